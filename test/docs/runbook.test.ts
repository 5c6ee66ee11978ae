// The pages can't drift: their commands are the tool's, the queries and charts that the runbook names exist.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { limitSettings, textSettings } from '../../lib/aws/env-config.ts';
import { failureCodes } from '../../lib/payout/failures.ts';
import { ofType } from '../infra/fragments.ts';
import { widgets } from '../infra/figures-used.ts';
import { runCli } from '../cli/support/cli.ts';
import { alarmPages, blocksOf, pages } from './pages.ts';

const root = new URL('../../', import.meta.url);
const everything = pages.map(({ text }) => text.replaceAll('\\\n', '')).join('\n');
const runbook = [...alarmPages.values()].map(({ text }) => text).join('\n');

/** One command line of the tool, as its words; quoted text is one word. */
const commandLines = [...everything.matchAll(/\bpayouts ((?:[a-z-]+)(?: (?:"[^"]*"|[^\s`"]+))*)/g)]
  .filter(({ index }) => /(?:`|npx )$/.test(everything.slice(Math.max(0, index - 9), index)))
  .map(([, words = '']) => words.match(/"[^"]*"|[^\s"]+/g) ?? []);

const helps = new Map<string, Promise<string>>();

/** What `--help` says after these words; each is asked once. */
function helpOf(path: readonly string[]): Promise<string> {
  const key = path.join(' ');
  const known = helps.get(key) ?? runCli([...path, '--help']).then(({ code, stdout }) => (code === 0 ? stdout : ''));
  helps.set(key, known);
  return known;
}

/** What is wrong with a command line of the tool; undefined when it could be typed like this. */
async function faultOf(words: readonly string[]): Promise<string | undefined> {
  const line = words.join(' ');
  const path: string[] = [];
  let help = await helpOf([]);
  for (const word of words) {
    if (!new RegExp(`^ {2}${word}(?:\\||[ \\n])`, 'm').test(help.split('Commands:')[1] ?? '')) break;
    path.push(word);
    help = await helpOf(path);
  }
  if (path.length === 0) return `there is no command "${words[0]}": ${line}`;
  const options = words.filter((word) => word.startsWith('--'));
  const unknown = options.filter((option) => !new RegExp(`${option}[ ,\\n]`).test(help));
  return unknown.length > 0 ? `"payouts ${path.join(' ')}" has no ${unknown.join(', ')}: ${line}` : undefined;
}

describe('a command of a page', () => {
  it('is one that the tool takes, with its options', async () => {
    expect(commandLines.length).toBeGreaterThan(80);
    const faults = await Promise.all(commandLines.map((words) => faultOf(words)));
    expect(faults.filter((it) => it !== undefined)).toEqual([]);
  });

  it('would be found out if it were none', async () => {
    expect(await faultOf(['relase', 'acme-eu/1', '--as', 'paid'])).toContain('no command "relase"');
    expect(await faultOf(['release', 'acme-eu/1', '--as-paid'])).toContain('has no --as-paid');
    expect(await faultOf(['hold', 'list', '--sorted'])).toContain('"payouts hold list" has no --sorted');
  });

  it('finds its settings in the outputs of the stack, each under the name that the tool reads', () => {
    const names = [...everything.matchAll(/\$(\{?)([A-Z_]+_(?:URL|NAME|PREFIX))\b/g)].map(([, , name]) => name);
    const outputs = readFileSync(new URL('infra/outputs.yml', root), 'utf8');
    const written = [...outputs.matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) =>
      name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase(),
    );
    expect(written).toEqual(expect.arrayContaining(['JOBS_QUEUE_URL', 'LEDGER_TABLE_NAME', 'SECRET_PREFIX']));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !written.includes(name ?? ''))).toEqual([]);
  });
});

describe('a block of commands', () => {
  const blocks = blocksOf('sh').map(({ file, block }) => [file, block] as const);

  it.each(blocks)('of %s is taken by a plain shell', (_, block) => {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: block, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('is complete as printed: no place to be filled in, no comment that a shell may take for words', () => {
    const odd = blocks.flatMap(([file, block]) =>
      (block.match(/<[a-z][\w -]*>|…|\s#\s.*/gi) ?? []).map((it) => `${file}: ${it}`),
    );
    expect(odd).toEqual([]);
  });

  it('is for every system: nothing that GNU alone knows, no program that is not asked for', () => {
    const foreign = /\bdate -d|\bdate --|\bsed -[ir]\b|\bgrep -P|\breadlink -f|\bxargs -r|\bstat -c|\bjq\b/g;
    const odd = blocks.flatMap(([file, block]) => (block.match(foreign) ?? []).map((it) => `${file}: ${it}`));
    expect(odd).toEqual([]);
  });
});

describe('what the pages call by name', () => {
  const infra = (name: string) => readFileSync(new URL(`infra/${name}`, root), 'utf8');

  it('resources of the stack: each is in its templates', () => {
    const there = new Set([
      ...[
        ...(infra('queues.yml') + infra('ledger.yml') + infra('events.yml') + infra('alarms.yml')).matchAll(
          /: payouts-\$\{sls:stage\}-([a-z-]+)/g,
        ),
      ].map(([, name = '']) => name),
      ...Object.keys(parse(infra('functions.yml'))),
    ]);
    const named = [...everything.matchAll(/payouts-(?:\$STAGE|<stage>)-([a-z]+(?:-[a-z]+)*)/g)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !there.has(name))).toEqual([]);
  });

  it('parameters of the stack: each is in parameters.yml', () => {
    const { default: parameters } = parse(infra('parameters.yml'));
    const named = [...everything.matchAll(/--param (\w+)=/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(6);
    expect(named.filter((name) => !(name in parameters))).toEqual([]);
  });

  it('settings and failure codes: each is one', () => {
    const there = new Set(Object.keys({ ...textSettings, ...limitSettings, ...failureCodes }));
    const foreign = /^(AWS_|LEDGER_ENTRY_UNREADABLE$|SIGN_VERIFY$|SIGTERM$|RSA_4096$|HTTP_4xx$)/;
    const named = [...everything.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_x]+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(60);
    expect([...new Set(named)].filter((name) => !there.has(name) && !foreign.test(name))).toEqual([]);
  });
});

describe('what the runbook points at', () => {
  it('queries: each is one of log-insights.yml', () => {
    const queries = ofType('log-insights.yml', 'AWS::Logs::QueryDefinition');
    const there = new Set(queries.map(([, { Name }]) => String(Name).replace('payouts-prod/', '')));
    const named = [...runbook.matchAll(/`payouts-<stage>\/([^`…]+)`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !there.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(10);
  });

  it('charts: each is on the dashboard', () => {
    const titles = widgets().map(({ properties: { title } }) => title.toLowerCase());
    const named = [...runbook.matchAll(/(?<!\*)\*([a-zA-Z][^*\n]+)\*(?!\*)/g)].map(([, name = '']) =>
      name.toLowerCase(),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !titles.some((title) => title.startsWith(name)))).toEqual([]);
  });
});
