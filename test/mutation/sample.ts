// npm run test:mutants [-- --seed 7 --lines 10 --base main]: a habit before each commit. Small faults are planted into
// lines of lib/ that differ from the base (default: main, or the last commit where nothing differs from it), drawn by a
// seed that is printed; the quick tests that reach these files must notice each. Prints the survivors and exits 1; 2 where
// the tests fail before anything is planted. Faults are planted into a copy of the repository: the files stay as they are.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { createChance } from '../simulation/chance.ts';
import { copiesIn, strykerOptions } from './options.ts';
import { isRoom, roomsVariable } from './rooms.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    lines: { type: 'string', default: '10' },
    base: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const write = (line: string) => void process.stdout.write(`${line}\n`);
const usage = `npm run test:mutants [-- [files of lib/] [--lines 10] [--seed 7] [--base main]]
  files     every line of these files may be drawn; default: the lines that differ from the base
  --lines   how many lines are drawn
  --seed    the same seed draws the same lines again
  --base    a branch or a commit; default: main, or the last commit where nothing differs from main
Exits 0 where every fault was noticed or none could be planted, 1 where one survived, 2 where it can't be tried.`;
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' });

interface Line {
  readonly file: string;
  readonly number: number;
}

/** A line on which a fault can be planted: no comment, no import, no lone bracket. */
const isCode = (text: string) => /\w/.test(text) && !/^\s*(\/\/|\/?\*|import\b|export type\b|\} from )/.test(text);

/** Lines of lib/ that were added or changed since this commit, whether committed or not. */
function changedSince(commit: string): Line[] {
  let file = '';
  return git('diff', '--unified=0', '--no-color', '--no-ext-diff', commit, '--', 'lib')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('+++ ')) file = line.slice('+++ b/'.length);
      const [, from, count = '1'] = /^@@ .* \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
      return from === undefined
        ? []
        : Array.from({ length: Number(count) }, (_, index) => ({ file, number: Number(from) + index }));
    })
    .filter((it) => existsSync(it.file) && isCode(textOf(it)));
}

const textOf = ({ file, number }: Line) => readFileSync(file, 'utf8').split('\n')[number - 1] ?? '';

/** Every line of files that were named. */
const linesOf = (file: string): Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((_, index) => ({ file, number: index + 1 }))
    .filter((it) => isCode(textOf(it)));

function candidates(): Line[] {
  if (positionals.length > 0) return positionals.flatMap(linesOf);
  if (values.base !== undefined) return changedSince(git('merge-base', values.base, 'HEAD').trim());
  const sinceMain = changedSince(git('merge-base', 'main', 'HEAD').trim());
  return sinceMain.length > 0 ? sinceMain : changedSince('HEAD~1');
}

/** So many of them, by chance. */
function drawn(lines: readonly Line[], atMost: number): Line[] {
  const chance = createChance(Number(values.seed));
  const left = [...lines];
  return Array.from({ length: Math.min(atMost, left.length) }, () =>
    left.splice(Math.floor(chance.next() * left.length), 1),
  ).flat();
}

/** What is left behind of a run that is stopped: nothing. */
function stopped(signal: NodeJS.Signals): void {
  rmSync(copiesIn, { recursive: true, force: true });
  write(`Stopped (${signal}). No file of yours was touched.`);
  process.exit(signal === 'SIGINT' ? 130 : 143);
}

async function main(): Promise<number> {
  if (values.help) {
    write(usage);
    return 0;
  }
  const absent = positionals.filter((file) => !file.startsWith('lib/') || !existsSync(file));
  if (absent.length > 0) {
    write(`no such file of lib/: ${absent.join(', ')}`);
    return 2;
  }
  const differing = candidates();
  const tried = differing.filter(({ file }) => isRoom(file));
  const slow = [...new Set(differing.filter(({ file }) => !isRoom(file)).map(({ file }) => file))];
  if (slow.length > 0) write(`Left out, as no quick tests are about them: ${slow.join(', ')}`);
  const sample = drawn(tried, Number(values.lines));
  if (sample.length === 0) {
    write('No line of lib/ differs that a fault could be planted into.');
    return 0;
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stopped);
  write(`Faults are planted on ${sample.length} of ${tried.length} lines; seed ${values.seed}.`);
  return report(sample, await mutantsOn(sample));
}

type Mutants = Awaited<ReturnType<Stryker['runMutationTest']>>;

async function mutantsOn(sample: readonly Line[]): Promise<Mutants | undefined> {
  process.env[roomsVariable] = [...new Set(sample.map(({ file }) => file))].join(' ');
  try {
    return await new Stryker({
      ...strykerOptions,
      logLevel: 'error' as NonNullable<typeof strykerOptions.logLevel>,
      mutate: sample.map(({ file, number }) => `${file}:${number}-${number}`),
      vitest: { configFile: 'test/mutation/vitest.config.ts', related: true },
      reporters: [],
    }).runMutationTest();
  } catch (error) {
    write(`The tests could not be run before any fault was planted: ${String(error)}`);
    return undefined;
  }
}

function report(sample: readonly Line[], mutants: Mutants | undefined): number {
  if (!mutants) return 2;
  const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const tried = mutants.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError');
  for (const { fileName, location, status, mutatorName, replacement } of survivors) {
    const file = relative(process.cwd(), fileName);
    const { start, end } = location;
    const text = textOf({ file, number: start.line });
    const [before, after] = [text.slice(0, start.column - 1), textOf({ file, number: end.line }).slice(end.column - 1)];
    const why = status === 'NoCoverage' ? 'no test runs it' : 'no test notices it';
    write(`\n${file}:${start.line}:${start.column} ${mutatorName}: ${why}`);
    write(`  - ${text.trim()}${end.line > start.line ? ' …' : ''}`);
    write(`  + ${(before + (replacement ?? '') + after).trim()}`);
  }
  if (tried.length === 0) write('None of these lines holds anything that a fault could be planted into.');
  else write(`${tried.length} faults on ${sample.length} lines, ${survivors.length} survived. Seed ${values.seed}.`);
  return survivors.length > 0 ? 1 : 0;
}

process.exitCode = await main();
