// The style of the house as a failing test: who may import whom, who may touch the world, and which functions need a reason.
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { floatingPromises } from './support/floating-promises.ts';
import {
  byPath,
  filesBelow,
  functionFiles,
  type Import,
  reachableFrom,
  roomOf,
  type Source,
  sourceOf,
  sources,
} from './support/sources.ts';

/** Every line that breaks a rule, as "path: what". */
const offences = (these: readonly Source[], find: (source: Source) => readonly string[]) =>
  these.flatMap((source) => find(source).map((what) => `${source.path}: ${what}`));

const importsOutside = (these: readonly Source[], allowed: (it: Import, source: Source) => boolean) =>
  offences(these, (source) => source.imports.filter((it) => !allowed(it, source)).map(({ from }) => from));

it('the reader of sources has not gone blind', () => {
  expect(sources.length).toBeGreaterThan(70);
  expect(reachableFrom(['functions/submit.ts'])).toContain('lib/oauth1/parameters.ts');
  const lengths = functionsOf(sourceOf('test/support/sources.ts')).map(({ length }) => length);
  expect(lengths).toContain(3);
});

/**
 * Whom each room may import, besides itself. A feature is a room of its own: it knows the kernel and no other feature.
 * What a person's own machine runs (cli, console, local, doctor) is never reachable from a Lambda, so it may know every room.
 */
const kernel = ['oauth1', 'gateway', 'payout'];
const features = ['card-data', 'files', 'batches', 'dead-letters', 'merchants', 'restore', 'reconcile'];
const everything = [...kernel, 'aws', ...features, 'client'];
const mayImport: Readonly<Record<string, readonly string[]>> = {
  oauth1: [],
  gateway: ['oauth1'],
  payout: ['oauth1', 'gateway'],
  aws: kernel,
  ...Object.fromEntries(features.map((feature) => [feature, kernel])),
  batches: [...kernel, 'files'],
  client: [...kernel, 'card-data', 'files', 'batches'],
  functions: [...kernel, 'aws', ...features],
  operate: [...kernel, ...features],
  doctor: ['payout', 'aws'],
  local: [...everything, 'operate'],
  console: [...everything, 'operate', 'local'],
  cli: [...everything, 'operate', 'console', 'local', 'doctor'],
};

/** Files that touch the world outside are told by their names; all others are pure. */
const adapterName = /\/(dynamodb|sqs|secrets-manager|kms|lambda|sts|s3|jose|http)-[a-z-]+\.ts$/;

describe('imports point one way', () => {
  it('from room to room', () => {
    const allowed = ({ from }: Import, { path }: Source) => {
      if (!/^(lib|functions)\//.test(from)) return true;
      const [here, there] = [roomOf(path), roomOf(from)];
      // An adapter of a feature stands on those of the kernel: the same table, the same way of writing to it.
      const reach = adapterName.test(path) ? [...(mayImport[here] ?? []), 'aws'] : (mayImport[here] ?? []);
      return here === there || reach.includes(there) || !/^lib\/.+\//.test(from);
    };
    expect(importsOutside(sources, allowed)).toEqual([]);
  });

  it('nothing that a Lambda bundles reaches the tool, the local environment or what others install', () => {
    const reached = reachableFrom(functionFiles);
    expect([...reached].filter((path) => /^lib\/(local|cli|console|doctor|client)\//.test(path))).toEqual([]);
  });

  it('between folders of the tool, one way', () => {
    const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
    const isBeside = (folder: string) => folder.startsWith('lib/cli/');
    const arrows = new Set(
      sources.flatMap(({ path, imports }) =>
        imports.map(({ from }) => `${folderOf(path)} ${folderOf(from)}`).filter((it) => it.split(' ').every(isBeside)),
      ),
    );
    expect(arrows.size).toBeGreaterThan(10);
    const both = [...arrows].filter((it) => {
      const [here = '', there = ''] = it.split(' ');
      return here < there && arrows.has(`${there} ${here}`);
    });
    expect(both).toEqual([]);
  });

  it('without a cycle, types included', () => {
    expect(cycles()).toEqual([]);
  });
});

describe('the gateway is a port', () => {
  const payout = sources.filter(({ path }) => path.startsWith('lib/payout/'));
  /** What is the port's, and what jobs and results are made of; a dialect's own files are not among them. */
  const port = ['ports', 'finding', 'gateway-outcome', 'operations', 'fields', 'money', 'profile', 'profile-limits'];
  const known = new Set([...port, 'check-digits', 'currencies', 'redact'].map((name) => `lib/gateway/${name}.ts`));

  it('of which the kernel imports no dialect, no signing and no wire', () => {
    expect(importsOutside(payout, ({ from }) => !/^lib\/(gateway|oauth1)\//.test(from) || known.has(from))).toEqual([]);
  });

  it('of which the kernel names no path, no field and no word of a secret', () => {
    const words =
      /(?<![\w-])(login|orderid|client[_-]order-?id|merchant_order|paynet[\w-]*|payout-id|transaction-id|account_number|apiPath|signatureMethod|orderIdField|statusWords|transactionTypes|extraFields|replyFormat|realm)(?![\w-])|\bv[24]\//g;
    expect(sources.filter(({ code }) => code.match(words)).length).toBeGreaterThan(10); // the reader has not gone blind
    expect(offences(payout, ({ code }) => code.match(words) ?? [])).toEqual([]);
  });
});

describe('the world is touched in one place each', () => {
  const uses = (these: readonly Source[], forbidden: RegExp) =>
    offences(these, ({ code }) => [...code.matchAll(forbidden)].map(([what]) => what.trim()));

  it('AWS, sockets and ciphers by files that are named after them', () => {
    const workshop = /^lib\/(cli|console|doctor|files|local)\//;
    const others = sources.filter(({ path }) => !adapterName.test(path) && !workshop.test(path));
    const world = /^(@aws-sdk\/|jose\/|node:(http|https|http2|net|tls|dns|fs|child_process)\b)/;
    expect(
      offences(others, ({ imports }) =>
        imports.filter(({ from, typeOnly }) => !typeOnly && world.test(from)).map(({ from }) => from),
      ),
    ).toEqual([]);
  });

  it('clients of AWS are made in one place each, and every call of theirs ends', () => {
    const programs = [...sources, ...filesBelow('infra', '.ts').map(sourceOf)];
    const made = programs.flatMap(({ code }) => code.match(/\b(new \w+Client|clientsOf\(\w+)\b/g) ?? []);
    expect(made.filter((it) => !it.startsWith('clientsOf('))).toEqual([]);
    expect(new Set(made).size).toBe(made.length);
    expect(made).toHaveLength(11);
  });

  it('process.env in env-config.ts, in the tool and the local environment', () => {
    const others = sources.filter(({ path }) => path !== 'lib/aws/env-config.ts' && !/^lib\/(cli|local)\//.test(path));
    expect(uses(others, /process\.env|import\.meta\.env/g)).toEqual([]);
  });

  it('clock and chance in system.ts', () => {
    const waived = new Map([
      ['lib/aws/system.ts', 'the one place'],
      ['lib/client/jose-seal-job.ts', 'keys of single-use card data, made by their senders'],
      ['lib/cli/local/worker-command.ts', 'request ids of a local Lambda: neither a nonce nor an owner'],
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

  it('no exported name is defined twice: a name means one thing wherever it is read', () => {
    const definition = /^export (?:declare )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
    const definers = new Map<string, Set<string>>();
    for (const { path, code } of sources)
      for (const [, name = ''] of code.matchAll(definition))
        definers.set(name, (definers.get(name) ?? new Set()).add(path));
    definers.delete('handler'); // of each function, as AWS calls it
    expect(definers.size).toBeGreaterThan(500); // the reader of names has not gone blind
    expect([...definers].filter(([, paths]) => paths.size > 1).map(([name, paths]) => [name, ...paths])).toEqual([]);
  });

  // knip sees the values; a type that its own file alone uses it takes for part of what the file exports.
  it('every exported type is imported by another file', () => {
    const readers = [...filesBelow('infra', '.ts'), ...filesBelow('test', '.ts')].map(sourceOf);
    const braces = /(?:import|export)(?: type)? (?:\w+, )?\{([^}]*)\} from/g;
    const imported = new Set(
      [...sources, ...readers].flatMap(({ code }) =>
        [...code.matchAll(braces)].flatMap(([, names = '']) =>
          names.split(',').map((it) =>
            it
              .trim()
              .replace(/^type /, '')
              .replace(/ as .*/, ''),
          ),
        ),
      ),
    );
    const types = /^export (?:interface|type) (\w+)/gm;
    const idle = offences(sources, ({ code }) =>
      [...code.matchAll(types)].flatMap(([, name = '']) => (imported.has(name) ? [] : [name])),
    );
    expect(idle).toEqual([]);
  });

  it('no export is there for tests alone', () => {
    const code = [...sources, ...filesBelow('infra', '.ts').map(sourceOf)].map((it) => it.code).join('\n');
    const uses = new Map<string, number>();
    for (const [name] of code.matchAll(/\w+/g)) uses.set(name, (uses.get(name) ?? 0) + 1);
    const values = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;
    // The package's own exports are used by its users.
    const ours = sources.filter(({ path }) => !path.startsWith('lib/client/'));
    const idle = offences(ours, (it) =>
      [...it.code.matchAll(values)].flatMap(([, name = '']) => ((uses.get(name) ?? 0) > 1 ? [] : [name])),
    );
    expect(idle).toEqual([]);
  });

  it('a file that is named in a comment exists', () => {
    const known = new Set(sources.map(({ path }) => path.slice(path.lastIndexOf('/') + 1)));
    const named = /^\s*(?:\/?\*|\/\/).*/;
    const files = /(?<![\w./'-])(?:[a-z0-9-]+\/)*([a-z][a-z0-9-]*\.ts)\b/g;
    const missing = offences(sources, ({ lines }) =>
      lines
        .filter((line) => named.test(line))
        .flatMap((line) => [...line.matchAll(files)])
        .flatMap(([path, name = '']) => (known.has(name) ? [] : [path])),
    );
    expect(missing).toEqual([]);
  });

  it('no comment cites a design that the repository does not have', () => {
    const all = [
      ...sources,
      ...filesBelow('infra', '.ts', '.yml').map(sourceOf),
      ...filesBelow('test', '.ts').map(sourceOf),
    ];
    expect(offences(all, ({ text }) => text.match(/\b[D]ESIGN\b.*/g) ?? [])).toEqual([]);
  });

  it('no file called after nothing in particular', () => {
    const forbidden = /(^|[-/.])(utils?|helpers?|commons?|managers?|services?|misc)([-.]|$)/;
    const names = [...filesBelow('lib', '.ts', '.js'), ...filesBelow('functions', '.ts'), ...filesBelow('test', '.ts')];
    // Secrets Manager is a name of AWS.
    const named = names.filter((path) => forbidden.test(path.replaceAll('secrets-manager', '')));
    expect(named).toEqual([]);
  });

  it('no promise is left to itself: what it does would be cut off by the end of an invocation', () => {
    expect(floatingPromises(sources)).toEqual([]);
    const called = 'async function pay() {}\nexport async function run() {\n  pay();\n}';
    expect(floatingPromises([{ path: 'lib/a.ts', text: called }])).toEqual(['lib/a.ts:3: pay']);
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

  it('a function of more than 70 lines says why beside it', () => {
    const functions = sources.flatMap(functionsOf);
    expect(functions.length).toBeGreaterThan(1000); // the reader of functions has not gone blind
    const long = functions.filter(({ length }) => length > 70);
    expect(long.filter(({ isExplained }) => !isExplained).map((it) => `${it.where}: ${it.length} lines`)).toEqual([]);
  });
});

/** Words that hide who does something, or say of a thing that it stands or lies: a sentence names its subject. */
const vague = /\b(?:nobody|whoever|stands|lies)\b|(?<!\bno )\bsuch\b(?! as\b)/gi;

it.each([
  ['functions', 0, ['.ts']],
  ['lib', 1, ['.ts', '.js', '.html']],
  ['infra', 0, ['.ts', '.js', '.yml', '.md']],
  ['test', 26, ['.ts', '.md']],
] as const)('vague words do not become more: %s', (folder, most, endings) => {
  const found = filesBelow(folder, ...endings)
    .filter((path) => !path.includes('node_modules') && path !== 'test/house-rules.test.ts')
    .flatMap((path) => (sourceOf(path).text.match(vague) ?? []).map((word) => `${path}: ${word}`));
  expect(found.length > most ? found : []).toEqual([]);
});

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
  readonly length: number;
  /** A comment within the function's first lines, or right above it, begins with "Long: " and gives the reason. */
  readonly isExplained: boolean;
}

/** Every function, method and arrow whose body is a block, as a parser of the language finds it. */
function functionsOf({ path, text }: Source): FunctionFound[] {
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  const found: FunctionFound[] = [];
  const add = ({ start, end, body }: { readonly start: number; readonly end: number; readonly body: unknown }) => {
    if (!body || text[end - 1] !== '}') return;
    const first = lineOf(start);
    const above = text.split('\n').slice(Math.max(0, first - 6), first + 1);
    found.push({
      where: `${path}:${first}`,
      length: lineOf(end) - first + 1,
      isExplained: above.some((line) => /^\s*(\/\/|\/?\*).*\bLong: /.test(line)),
    });
  };
  new Visitor({ FunctionDeclaration: add, FunctionExpression: add, ArrowFunctionExpression: add }).visit(
    parseSync(path, text).program,
  );
  return found;
}
