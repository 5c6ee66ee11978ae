// npm run bugs [-- --worlds 40] [--jobs 20] [--threads 2] [--only text] [--every 1] [--bases 1] [--minutes 60]: plants every bug, one after the other,
// each into a fresh copy of the worker's modules, and prints what finds it: random worlds (after how many lives), worlds
// drawn towards what was never seen (after how many), the walk over every cut of one job, or the ways from doubt to truth.
// With several bases the worlds are walked so often, by other seeds, to compare the two. Exits 1 where the walks find something with nothing planted.
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { BugHunt, BugReport, LivesLived } from './bug-thread.ts';
import { answersJudged, judgedOtherwise } from './outcome-evidence.ts';
import { plantedBugs } from './planted-bugs.ts';
import { tableChanges } from './planted-mechanically.ts';

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '40' },
    jobs: { type: 'string', default: '20' },
    threads: { type: 'string', default: String(availableParallelism()) },
    only: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    bases: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
  },
});
const write = (line: string) => void process.stdout.write(`${line}\n`);
const startedMs = performance.now();
const endsMs = startedMs + Number(values.minutes) * 60_000;
const bases = Number(values.bases);
const chosen = plantedBugs
  .filter(({ name }) => name.includes(values.only))
  .filter((_, index) => index % Number(values.every) === 0);
/** Of one walk through worlds that finds nothing. */
const livesAtMost = Number(values.worlds) * Number(values.jobs);
const reports = new Map<string, BugReport>();
const same: string[] = [];
/** The worker as it is must pass all that finds the bugs. */
const nothingPlanted = '(nothing planted)';
const waiting = [nothingPlanted, ...chosen.map(({ name }) => name)];

async function hunt(): Promise<void> {
  while (performance.now() < endsMs) {
    const name = waiting.shift();
    if (name === undefined) return;
    const workerData: BugHunt = { name, worlds: Number(values.worlds), jobs: Number(values.jobs), bases };
    const thread = new Worker(new URL('./bug-thread.ts', import.meta.url), { workerData });
    const [report] = (await once(thread, 'message')) as [BugReport];
    await thread.terminate();
    reports.set(name, report);
    for (const { uniform, guided } of report.lives) write(`${cell(uniform)} ${cell(guided)}  ${name}`);
    write(`${' '.repeat(20)}${verdictOn(name, report)}`);
  }
}

/** What no answer can tell from the worker as it is, is no bug: it is set aside, with the proof. */
function verdictOn(name: string, { by, fault }: BugReport): string {
  if (fault !== undefined) return `${by}: ${fault}`;
  const change = tableChanges.get(name);
  if (!change || judgedOtherwise(change) > 0) return 'NOT FOUND';
  reports.delete(name);
  same.push(name);
  return `CHANGES NOTHING: each of ${answersJudged} answers is judged as before`;
}

const cell = (lives: number | undefined) => (lives === undefined ? '–' : String(lives)).padStart(8);

write('  lives, random and guided, until the bug was found');
await Promise.all(Array.from({ length: Number(values.threads) }, hunt));

const control = reports.get(nothingPlanted)?.fault;
reports.delete(nothingPlanted);
const found = [...reports.values()].filter(({ fault }) => fault !== undefined).length;
const isSeen = ({ lives }: BugReport) =>
  lives.some(({ uniform, guided }) => uniform !== undefined || guided !== undefined);
const byWorlds = [...reports.values()].filter(isSeen);
/** By base, of the bugs that worlds find: one that they did not find there cost all the lives that were lived. */
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
if (same.length > 0) write(`${same.length} changes of the table of outcomes change nothing, and are not counted`);
if (waiting.length > 0) write(`${waiting.length} bugs were not hunted: the time was over`);
if (control !== undefined) write(`with nothing planted: ${control}`);
process.exitCode = control === undefined ? 0 : 1;
