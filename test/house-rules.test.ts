// The style of the house as a failing test: who may import whom, who may touch the world, and how long is too long.
// The sources are read as text; oxfmt normalises the layout, so indentation tells where a function ends.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { privateParts } from './support/private-parts.ts';

const root = `${import.meta.dirname}/..`;

interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

interface Source {
  readonly path: string;
  readonly lines: readonly string[];
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

const filesBelow = (folder: string, ...endings: string[]) =>
  readdirSync(`${root}/${folder}`, { recursive: true })
    .map((name) => `${folder}/${name.toString()}`)
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .toSorted();

function sourceOf(path: string): Source {
  const text = readFileSync(`${root}/${path}`, 'utf8');
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
  const statements = code.matchAll(/^(?:import|export)(?<type> type)? (?:[^;']*? from )?'(?<from>[^']+)'/gm);
  const dynamic = code.matchAll(/\bimport\('(?<from>[^']+)'\)/g);
  const imports = [...statements, ...dynamic].map(({ groups }) => ({
    from: targetOf(path, groups?.['from'] ?? ''),
    typeOnly: groups?.['type'] !== undefined,
  }));
  return { path, lines: text.trimEnd().split('\n'), code, imports };
}

function targetOf(path: string, from: string): string {
  return from.startsWith('.') ? normalize(join(dirname(path), from)) : from;
}

const sources = [...filesBelow('functions', '.ts'), ...filesBelow('lib', '.ts')].map(sourceOf);
const byPath = new Map(sources.map((source) => [source.path, source]));
const below = (...folders: string[]) => sources.filter(({ path }) => folders.some((folder) => path.startsWith(folder)));

/** Every line that breaks a rule, as "path: what". */
const offences = (these: readonly Source[], find: (source: Source) => readonly string[]) =>
  these.flatMap((source) => find(source).map((what) => `${source.path}: ${what}`));

const importsOutside = (these: readonly Source[], allowed: (it: Import, source: Source) => boolean) =>
  offences(these, (source) => source.imports.filter((it) => !allowed(it, source)).map(({ from }) => from));

it('the reader of sources has not gone blind', () => {
  expect(sources.length).toBeGreaterThan(70);
  const composed = byPath.get('lib/composition-parts.ts')?.imports.map(({ from }) => from);
  expect(composed).toContain('lib/adapters/http-gateway.ts');
  expect(reachableFrom(['functions/submit.ts'])).toContain('lib/oauth1/percent-encode.ts');
  const names = functionsOf(sourceOf('test/house-rules.test.ts')).map(({ name, length }) => `${name} ${length}`);
  expect(names).toContain('targetOf 3');
});

describe('imports point one way', () => {
  it('domain: domain and valibot; node:crypto for the fingerprint, the control of a callback and approvals alone', () => {
    const allowed = ({ from }: Import, { path }: Source) =>
      from.startsWith('lib/domain/') ||
      from === 'valibot' ||
      (from === 'leven' && path === 'lib/domain/bulk-columns.ts') ||
      (from === 'node:crypto' && /^lib.domain.(fingerprint|callback|approval).ts$/.test(path));
    expect(importsOutside(below('lib/domain/'), allowed)).toEqual([]);
  });

  it('oauth1: itself and node:crypto', () => {
    const allowed = ({ from }: Import) => from.startsWith('lib/oauth1/') || from === 'node:crypto';
    expect(importsOutside(below('lib/oauth1/'), allowed)).toEqual([]);
  });

  it("app: app, domain, oauth1, valibot, and the types of Lambda's events", () => {
    const allowed = ({ from, typeOnly }: Import) =>
      ['lib/app/', 'lib/domain/', 'lib/oauth1/'].some((folder) => from.startsWith(folder)) ||
      from === 'valibot' ||
      (from === 'aws-lambda' && typeOnly);
    expect(importsOutside(below('lib/app/'), allowed)).toEqual([]);
  });

  it('adapters: port types, domain, the world outside, and no other adapter', () => {
    const allowed = ({ from, typeOnly }: Import, { path }: Source) =>
      (/^lib.app.([a-z-]+-)?ports.ts$/.test(from) && typeOnly) ||
      from.startsWith('lib/domain/') ||
      (from.startsWith('lib/oauth1/') && /^lib.adapters.(secret-schemas|kms-signer).ts$/.test(path)) ||
      from.startsWith('@aws-sdk/') ||
      from.startsWith('node:') ||
      from === 'valibot' ||
      (from.startsWith('jose/') && path === 'lib/adapters/jose-card-vault.ts') ||
      (from === 'aws-lambda' && typeOnly) ||
      (privateParts[path] ?? []).includes(from);
    expect(importsOutside(below('lib/adapters/'), allowed)).toEqual([]);
  });

  it('only the composition root, the tool and the local environment name concrete adapters; functions their settings', () => {
    const others = sources.filter(
      ({ path }) =>
        !/^lib\/((adapters|cli|local)\/|composition(-(tables|parts))?\.ts$|producer\/card-keys\.ts$)/.test(path),
    );
    const allowed = ({ from }: Import, { path }: Source) =>
      !from.startsWith('lib/adapters/') ||
      (/^(functions|lib.doctor)\//.test(path) && from === 'lib/adapters/env-config.ts');
    expect(importsOutside(others, allowed)).toEqual([]);
  });

  it('doctor: itself, domain, and the reader of the settings', () => {
    const allowed = ({ from }: Import) =>
      ['lib/doctor/', 'lib/domain/'].some((folder) => from.startsWith(folder)) || from === 'lib/adapters/env-config.ts';
    expect(importsOutside(below('lib/doctor/'), allowed)).toEqual([]);
  });

  it('functions: wiring only', () => {
    const allowed = ({ from }: Import) => from === 'lib/composition.ts' || from === 'lib/adapters/env-config.ts';
    expect(importsOutside(below('functions/'), allowed)).toEqual([]);
  });

  it('producer and consumer, which others install: domain and valibot; the SQS client to send, jose to seal', () => {
    const allowed =
      /^(lib\/(domain|producer|consumer)\/|valibot$|@aws-sdk\/client-sqs$|node:(crypto|timers\/promises)$|jose\/)/;
    // Where keys are left is its own door to the package, as it needs a client that few senders have.
    const ofCardKeys = /^(lib\/adapters\/(dynamodb-card-key-depot|system)\.ts|@aws-sdk\/client-dynamodb)$/;
    const others = ({ from, typeOnly }: Import, { path }: Source) =>
      (from === 'lib/app/card-ports.ts' && typeOnly) || (path === 'lib/producer/card-keys.ts' && ofCardKeys.test(from));
    const here = below('lib/producer/', 'lib/consumer/');
    expect(importsOutside(here, (it, source) => allowed.test(it.from) || others(it, source))).toEqual([]);
  });

  it('nothing that a Lambda bundles reaches the tool, the local environment or the memory ledger', () => {
    const reached = reachableFrom(below('functions/').map(({ path }) => path));
    const workshop = /^lib\/(local|cli|producer|consumer)\/|memory-(ledger|controls|batch)/;
    expect([...reached].filter((path) => workshop.test(path))).toEqual([]);
  });

  it('without a cycle, types included', () => {
    expect(cycles()).toEqual([]);
  });
});

describe('the world is touched in one place each', () => {
  const uses = (these: readonly Source[], forbidden: RegExp) =>
    offences(these, ({ code }) => [...code.matchAll(forbidden)].map(([what]) => what.trim()));

  it('the AWS SDK in adapters, composition, tool and local environment', () => {
    const pure = below('lib/domain/', 'lib/oauth1/', 'lib/app/', 'functions/');
    expect(uses(pure, /@aws-sdk\/[\w-]+/g)).toEqual([]);
  });

  it('process.env in env-config.ts, in the tool and the local environment', () => {
    const others = sources.filter(
      ({ path }) => path !== 'lib/adapters/env-config.ts' && !/^lib\/(cli|local)\//.test(path),
    );
    expect(uses(others, /process\.env|import\.meta\.env/g)).toEqual([]);
  });

  it('clock and chance in system.ts', () => {
    const waived = new Map([
      ['lib/adapters/system.ts', 'the one place'],
      ['lib/producer/seal-job.ts', 'keys of single-use card data, made by their senders'],
      ['lib/cli/worker-command.ts', 'request ids of a local Lambda: neither a nonce nor an owner'],
    ]);
    // lib/local plays the gateway and AWS themselves, which have clocks of their own.
    const others = sources.filter(({ path }) => !waived.has(path) && !path.startsWith('lib/local/'));
    const forbidden =
      /\b(Date\.now|Math\.random|randomBytes|randomUUID|randomInt|getRandomValues|performance\.now|process\.hrtime|new Date\(\))/g;
    expect(uses(others, forbidden)).toEqual([]);
  });
});

describe('style', () => {
  it('no default exports', () => {
    expect(offences(sources, ({ code }) => code.match(/^export default.*/gm) ?? [])).toEqual([]);
  });

  it('no file called after nothing in particular', () => {
    const forbidden = /(^|[-/.])(utils?|helpers?|commons?|managers?|services?|misc)([-.]|$)/;
    const names = [...filesBelow('lib', '.ts', '.js'), ...filesBelow('functions', '.ts'), ...filesBelow('test', '.ts')];
    // Secrets Manager is a name of AWS.
    const named = names.filter((path) => forbidden.test(path.replaceAll('secrets-manager', '')));
    expect(named).toEqual([]);
  });

  it('no `any`, no non-null `!`', () => {
    const withoutTexts = (code: string) => code.replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''");
    const loose = /(?::|<|\bas|\|) any\b|<any\b|\bany\[\]|[\w)\]]!(?=[.;,)\]])/g;
    expect(offences(sources, ({ code }) => withoutTexts(code).match(loose) ?? [])).toEqual([]);
  });

  it('nothing left for later', () => {
    expect(offences(sources, ({ lines }) => lines.filter((line) => /\b(TODO|FIXME|XXX|HACK)\b/.test(line)))).toEqual(
      [],
    );
  });

  it('every file opens with a comment that says what it is for', () => {
    expect(sources.filter(({ lines }) => !/^(\/\/ |\/\*\*)/.test(lines[0] ?? '')).map(({ path }) => path)).toEqual([]);
  });

  it('files of at most 200 lines; 300 in the local environment and in tests', () => {
    // An adapter's whole contract is read in one file.
    const limits = [
      { of: /^test\/(adapters|contract)\//, lines: 500 },
      { of: /^(test|lib\/local)\//, lines: 300 },
      { of: /^/, lines: 200 },
    ];
    const limitOf = (path: string) => limits.find((limit) => limit.of.test(path))?.lines ?? 0;
    const all = [...sources, ...filesBelow('test', '.ts').map(sourceOf)];
    const long = all.filter(({ path, lines }) => lines.length > limitOf(path));
    expect(long.map(({ path, lines }) => `${path}: ${lines.length} lines`)).toEqual([]);
  });

  it('functions of at most 70 lines, and normally 40', () => {
    const functions = sources.flatMap(functionsOf);
    expect(functions.length).toBeGreaterThan(300); // the reader of functions has not gone blind
    const listed = (limit: number) =>
      functions.filter(({ length }) => length > limit).map((it) => `${it.where} ${it.name}: ${it.length} lines`);
    for (const line of listed(40)) process.stdout.write(`over 40 lines: ${line}\n`);
    expect(listed(70)).toEqual([]);
  });
});

function reachableFrom(entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { from } of byPath.get(path)?.imports ?? []) if (byPath.has(from)) visit(from);
  };
  for (const entry of entries) visit(entry);
  return reached;
}

function cycles(): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (done.has(path) || trail.includes(path)) return;
    for (const { from } of byPath.get(path)?.imports ?? []) if (byPath.has(from)) visit(from, [...trail, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
  return found;
}

interface FunctionFound {
  readonly where: string;
  readonly name: string;
  readonly length: number;
}

/** Functions, methods and named arrows, by their first line; each ends at the next closing bracket of its own indent. */
function functionsOf({ path, lines }: Source): FunctionFound[] {
  const starts = [
    /^(?<indent> *)(?:export )?(?:async )?function\*? (?<name>\w+)/,
    /^(?<indent> *)(?:export )?const (?<name>\w+)(?:: .+)? = (?:async )?(?:\(.*|\w+ )=> \{$/,
    /^(?<indent> *)(?:export )?const (?<name>\w+)(?:: .+)? = (?:async )?\($/,
    /^(?<indent> *)(?:readonly )?(?<name>\w+): (?:async )?(?:\(.*|\w+ )=> \{$/,
    /^(?<indent> *)(?:async )?(?!if\b|for\b|while\b|switch\b|catch\b|function\b)(?<name>\w+)\(.*\)(?:: .+)? \{$/,
  ];
  return lines.flatMap((line, index) => {
    const { indent, name } = starts.map((start) => start.exec(line)?.groups).find((groups) => groups) ?? {};
    if (indent === undefined || name === undefined) return [];
    if (line.endsWith(';')) return [];
    const end = lines.findIndex((it, at) => at > index && it.startsWith(`${indent}}`));
    return end < 0 ? [] : [{ where: `${path}:${index + 1}`, name, length: end - index + 1 }];
  });
}
