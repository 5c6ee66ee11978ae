// npm run bugs [-- --seed N | --edit FILE]: bugs that nobody chose, met by tests and simulation (test/bugs/run.ts). Without them
// npm run bugs [-- --worlds 40] [--most 1500] [--jobs 20] [--threads 2] [--only text|text] [--every 1] [--bases 1]
//   [--minutes 60] [--write]
// plants every bug, one after the other, each into a fresh copy of the worker's modules, and prints what finds it: random
// worlds (after how many lives), worlds drawn towards what was never seen (after how many), worlds of a lane, the walk over
// every cut of one job, the ways from doubt to truth, or the random worlds that come after those.
// With several bases the worlds are walked so often, by other seeds, to compare the two. `--write` puts the table into
// infra/docs/planted-bugs.md. Exits 1 where the walks find something with nothing planted, or miss a bug that is known to be found.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { commandLine } from '../../infra/command-line.ts';
import { type BugHunt, type BugReport, type LivesLived, nothingPlanted } from './bug-hunt.ts';
import { bugTable, withBugTable } from './bug-table.ts';
import { huntDrawn } from '../bugs/run.ts';
import { answersJudged, judgedOtherwise } from './outcome-evidence.ts';
import { plantedBugs } from './planted-bugs.ts';
import { tableChanges } from './planted-mechanically.ts';

const { values, positionals } = commandLine(
  `npm run bugs [-- --seed N] [files or folders of lib/ and functions/] [--count 60] [--base main] [--worlds 40] [--minutes 60]
npm run bugs [-- --edit FILE.diff] [--edit ...]
  plants bugs that are drawn by the seed (any text; of a landing: its parent's hash) from the syntax trees of what ships, of the
  files that are named, or of the lines that differ from the base; or each of these edits, as git diff prints it. Each goes into
  a copy, is met by the short tests that reach it and then by simulated worlds (--worlds 0: by none), and is printed as
  found or survived.
  Exits 0 where 95 % were found, 1 where not, 2 where it can't be tried.
npm run bugs [-- --worlds 40] [--most 1500] [--jobs 20] [--threads 2] [--only text|text] [--every 1] [--bases 1]
             [--minutes 60] [--write]
  plants every bug of the lists, one after the other, and prints what finds it; --write puts the table into its page`,
  {
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      edit: { type: 'string', multiple: true, default: [] },
      count: { type: 'string', default: '60' },
      base: { type: 'string' },
      worlds: { type: 'string', default: '40' },
      most: { type: 'string', default: '1500' },
      jobs: { type: 'string', default: '20' },
      threads: { type: 'string', default: String(availableParallelism()) },
      only: { type: 'string', default: '' },
      every: { type: 'string', default: '1' },
      bases: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '60' },
      write: { type: 'boolean', default: false },
    },
  },
);
if (values.seed !== undefined || values.edit.length > 0) {
  const { seed, base, edit: edits } = values;
  const numbers = { count: Number(values.count), worlds: Number(values.worlds), minutes: Number(values.minutes) };
  const chosenBy = { ...(seed !== undefined && { seed }), ...(base !== undefined && { base }) };
  process.exit(await huntDrawn({ ...chosenBy, ...numbers, edits, from: positionals }));
}
const write = (line: string) => void process.stdout.write(`${line}\n`);
const startedMs = performance.now();
const endsMs = startedMs + Number(values.minutes) * 60_000;
const bases = Number(values.bases);
const chosen = plantedBugs
  .filter(({ name }) => values.only.split('|').some((part) => name.includes(part)))
  .filter((_, index) => index % Number(values.every) === 0);
/** The lives of one walk through worlds that finds nothing. */
const livesAtMost = Number(values.worlds) * Number(values.jobs);
const reports = new Map<string, BugReport>();
/** A change that no answer can tell from the worker as it is, is no bug: it is set aside, with the proof. */
const same = chosen.filter(({ name }) => {
  const change = tableChanges.get(name);
  return change !== undefined && judgedOtherwise(change) === 0;
});
/** Nor is a change that another part of the worker makes up for: the two are planted together beside it. */
const guarded = chosen.filter(({ guardedBy }) => guardedBy !== undefined);
const hunted = chosen.filter((it) => !same.includes(it) && !guarded.includes(it));
const waiting = [nothingPlanted, ...hunted.map(({ name }) => name)];
/** Hunts that the end of the time broke off: nothing is known of them. */
const cutOff: string[] = [];

async function hunt(): Promise<void> {
  while (performance.now() < endsMs) {
    const name = waiting.shift();
    if (name === undefined) return;
    const { worlds, jobs, most } = values;
    const workerData: BugHunt = { name, worlds: Number(worlds), jobs: Number(jobs), bases, most: Number(most) };
    const thread = new Worker(new URL('./bug-thread.ts', import.meta.url), { workerData });
    const untilMs = name === nothingPlanted ? controlEndsMs : endsMs;
    const overtime = setTimeout(() => void thread.terminate(), Math.max(untilMs - performance.now(), 1));
    const isOver = once(thread, 'exit').then(() => [undefined] as const);
    const [report] = (await Promise.race([once(thread, 'message'), isOver])) as [BugReport | undefined];
    clearTimeout(overtime);
    await thread.terminate();
    if (!report) {
      cutOff.push(name);
      continue;
    }
    reports.set(name, report);
    for (const { uniform, guided } of report.lives) write(`${cell(uniform)} ${cell(guided)}  ${name}`);
    if (report.lives.length === 0) write(`${cell(undefined)} ${cell(undefined)}  ${name}`);
    write(`${' '.repeat(20)}${verdictOn(report)}`);
  }
}

const verdictOn = ({ by, after, fault }: BugReport): string =>
  fault === undefined ? 'NOT FOUND' : `${by}, after ${after} lives: ${fault}`;
const cell = (lives: number | undefined) => (lives === undefined ? '–' : String(lives)).padStart(8);

/** The walks with nothing planted are as long as those of a bug that nothing finds: a short hunt is there for the bugs. */
const controlEndsMs = performance.now() + Math.max(endsMs - performance.now(), 0) / 4;
write('  lives, random and guided, until the bug was found');
await Promise.all(Array.from({ length: Number(values.threads) }, hunt));

const control = reports.get(nothingPlanted)?.fault;
reports.delete(nothingPlanted);
const found = [...reports.values()].filter(({ fault }) => fault !== undefined).length;
const isSeen = ({ lives }: BugReport) =>
  lives.some(({ uniform, guided }) => uniform !== undefined || guided !== undefined);
const byWorlds = [...reports.values()].filter(isSeen);
/** By base, of the bugs that worlds find: one that they did not find there costs all the lives of that base. */
const sumsOf = (lived: (it: LivesLived) => number | undefined) =>
  Array.from({ length: bases }, (_, base) =>
    byWorlds.reduce((sum, { lives }) => sum + (lived(lives[base] ?? {}) ?? livesAtMost), 0),
  );
const told = (sums: readonly number[]) =>
  sums.length === 1
    ? `${sums[0]} lives`
    : `${Math.round(sums.reduce((sum, it) => sum + it, 0) / sums.length)} lives (${sums.join(', ')})`;
const share = found / Math.max(reports.size, 1);
write(`${reports.size} bugs planted in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
write(
  `${found} found by the simulation (${(100 * share).toFixed(1)} %), ${byWorlds.length} of them by random or guided worlds`,
);
write(
  `to these ${byWorlds.length}: ${told(sumsOf((it) => it.uniform))} random, ${told(sumsOf((it) => it.guided))} guided`,
);
if (same.length > 0)
  write(
    `${same.length} changes of the table of outcomes change nothing (each of ${answersJudged} answers is judged as before), and are not counted`,
  );
for (const { name, guardedBy } of guarded) write(`not counted, as it is doubly guarded: ${name}: ${guardedBy}`);
if (waiting.length > 0) write(`${waiting.length} bugs were not hunted: the time was over`);
for (const name of cutOff) write(`not hunted to its end: ${name}`);
/** Each of these is known to be found: a miss is a hole in the simulation, or in the list. */
const missed = hunted.filter(
  ({ name, foundBy, isSeldom }) =>
    foundBy !== 'any walk' && !isSeldom && reports.has(name) && reports.get(name)?.fault === undefined,
);
for (const { name, foundBy } of missed) write(`not found, though it is known to be (${foundBy}): ${name}`);
if (control !== undefined) write(`with nothing planted: ${control}`);
if (values.write) {
  const file = new URL('../../infra/docs/planted-bugs.md', import.meta.url);
  const command = `npm run bugs -- ${process.argv
    .slice(2)
    .filter((it) => it !== '--write')
    .join(' ')}`.trim();
  const table = bugTable(reports, { command, livesAtMost, guarded, same: same.map(({ name }) => name) });
  writeFileSync(file, withBugTable(readFileSync(file, 'utf8'), table));
}
process.exitCode = control === undefined && missed.length === 0 ? 0 : 1;
