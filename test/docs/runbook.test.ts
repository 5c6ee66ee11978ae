// The pages cannot drift: each alarm has its section with its own sentence, commands are the tool's, and queries exist.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ofType } from '../infra/packaged.ts';
import { runCli } from '../cli/support/cli.ts';
import { pageOf, pages } from './pages.ts';

const everything = pages.map(({ text }) => text.replaceAll('\\\n', '')).join('\n');
const runbook = pageOf('infra/docs/runbook.md').text;

/** One command line of the tool, as its words; quoted text is one word. */
const commandLines = [...everything.matchAll(/\bnode \. ((?:[a-z-]+)(?: (?:"[^"]*"|[^\s`"]+))*)/g)].map(
  ([, words = '']) => words.match(/"[^"]*"|[^\s"]+/g) ?? [],
);

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
    const commands = help.split('Commands:')[1] ?? '';
    if (!new RegExp(`^ {2}${word}(?:\\||[ \\n])|containers.* ${word}[,.]`, 'm').test(commands)) break;
    path.push(word);
    help = await helpOf(path);
  }
  if (path.length === 0) return `there is no command "${words[0]}": ${line}`;
  const options = words.filter((word) => word.startsWith('--'));
  const unknown = options.filter((option) => !new RegExp(`${option}[ ,\\n]`).test(help));
  return unknown.length > 0 ? `"${path.join(' ')}" has no ${unknown.join(', ')}: ${line}` : undefined;
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
    expect(await faultOf(['todo', '--held', '--sorted'])).toContain('"todo" has no --sorted');
  });

  it('finds its settings in the outputs of the stack, each under the name that the tool reads', () => {
    const names = [...everything.matchAll(/\$(\{?)([A-Z_]+_(?:URL|NAME|PREFIX))\b/g)].map(([, , name]) => name);
    const outputs = readFileSync('infra/resources/outputs.yml', 'utf8');
    const written = [...outputs.matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) =>
      name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase(),
    );
    expect(written).toEqual(expect.arrayContaining(['JOBS_QUEUE_URL', 'LEDGER_TABLE_NAME', 'SECRET_PREFIX']));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !written.includes(name ?? ''))).toEqual([]);
  });
});

describe('the runbook', () => {
  const alarms = ofType('AWS::CloudWatch::Alarm', 'example').map(([, { AlarmName }]) =>
    String(AlarmName).replace('payouts-example-', ''),
  );

  it('has a section for each alarm, and for no other', () => {
    const sections = [...runbook.matchAll(/^## ([a-z-]+)$/gm)].map(([, name]) => name);
    expect(sections.toSorted()).toEqual(alarms.toSorted());
  });

  it('names queries that the stack has', () => {
    const there = new Set(
      ofType('AWS::Logs::QueryDefinition').map(([, { Name }]) => String(Name).slice('payouts-prod/'.length)),
    );
    const named = [...runbook.matchAll(/`payouts-<stage>\/([^`…]+)`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !there.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(5);
  });
});
