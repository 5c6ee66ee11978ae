// npm run test:mutants [-- --seed 7 --lines 10 --base main]: a habit before each commit. Small faults are planted into
// lines of lib/ that differ from the base (default: main, or the last commit where nothing differs from it), drawn by a
// seed that is printed; the quick tests that reach these files must notice each. Prints the survivors and exits 1.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { createChance } from '../simulation/chance.ts';
import { strykerOptions } from './options.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    lines: { type: 'string', default: '10' },
    base: { type: 'string' },
  },
});
const write = (line: string) => void process.stdout.write(`${line}\n`);
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' });

interface Line {
  readonly file: string;
  readonly number: number;
}

/** The rooms whose tests are quick enough to meet every fault (vitest.config.ts beside this file). */
const rooms = /^lib\/(oauth1|gateway|payout|card-data|batches|dead-letters|merchants|restore|reconcile)\/.+\.ts$/;
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
    .filter((it) => rooms.test(it.file) && existsSync(it.file) && isCode(textOf(it)));
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

const sample = drawn(candidates(), Number(values.lines));
if (sample.length === 0) {
  write('No line of the core differs: nothing to plant a fault into.');
} else {
  const mutants = await new Stryker({
    ...strykerOptions,
    mutate: sample.map(({ file, number }) => `${file}:${number}-${number}`),
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: true },
    reporters: ['clear-text'],
  }).runMutationTest();
  const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const tried = mutants.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError');
  write(`${tried.length} faults on ${sample.length} changed lines, ${survivors.length} survived. Seed ${values.seed}.`);
  if (survivors.length > 0) process.exitCode = 1;
}
