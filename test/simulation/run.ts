// npm run simulate -- --seeds 1000 [--jobs 20] [--from 1] [--threads 2]: many random worlds, each from one seed; stops at
// one that breaks a promise, prints its seed and its story and exits 1. npm run simulate -- --seed 42: the story of that one.
import { availableParallelism } from 'node:os';
import { commandLine } from '../../infra/command-line.ts';
import { runSeed, type WorldReport } from './random-world.ts';
import { walkSeeds } from './seed-walk.ts';

const { values } = commandLine(
  `npm run simulate [-- --seeds 1000] [--from 1] [--jobs 20] [--threads 2] [--seed 42]
  --seeds   how many random worlds are lived, from the seed --from on
  --jobs    jobs of a world
  --seed    tells the story of one world`,
  {
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      jobs: { type: 'string', default: '20' },
      threads: { type: 'string', default: String(availableParallelism()) },
    },
  },
);
const jobs = Number(values.jobs);
const write = (line: string) => void process.stdout.write(`${line}\n`);
// A reader that stops after the head of a story is not an error.
process.stdout.on('error', () => process.exit());

process.exitCode = values.seed === undefined ? await runSeeds() : await tellSeed(Number(values.seed));

async function runSeeds(): Promise<number> {
  const startedMs = performance.now();
  const threads = Number(values.threads);
  let toldThousands = 0;
  const { sums, faults, brokenSeed } = await walkSeeds({
    from: Number(values.from),
    seeds: Number(values.seeds),
    jobs,
    threads,
    onProgress(sumsSoFar) {
      const thousands = Math.floor((sumsSoFar.get('worlds') ?? 0) / 1000);
      if (thousands > toldThousands) write(progress(sumsSoFar, startedMs));
      toldThousands = thousands;
    },
  });
  if (brokenSeed !== undefined) return tellSeed(brokenSeed);
  write(progress(sums, startedMs, ` on ${threads} threads`));
  for (const [name, count] of sums) write(`  ${name.padEnd(34)}${String(count).padStart(10)}`);
  write(`${faults.size} kinds of fault were injected:`);
  for (const [name, count] of [...faults].toSorted(([a], [b]) => a.localeCompare(b)))
    write(`  ${name.padEnd(60)}${String(count).padStart(10)}`);
  write(
    'Jobs, seals and fingerprints were read once and remembered, requests not signed, log lines not made, results not',
  );
  write('held to their schema, but in one world of a hundred, which was lived for real too and was the same.');
  write('No promise was broken.');
  return 0;
}

function progress(sums: ReadonlyMap<string, number>, startedMs: number, where = ''): string {
  const seconds = (performance.now() - startedMs) / 1000;
  const lives = sums.get('lives') ?? 0;
  const rate = Math.round(lives / seconds);
  // The CPU of all threads, so the figure is the same on a busy machine.
  const { user, system } = process.cpuUsage();
  const cpu = `${((user + system) / 1000 / lives).toFixed(2)} ms of CPU a life`;
  return `${sums.get('worlds')} worlds, ${lives} lives in ${seconds.toFixed(1)} s: ${rate} lives per second${where}, ${cpu}`;
}

async function tellSeed(seed: number): Promise<number> {
  const report: WorldReport = await runSeed(seed, { jobs, keepsStory: true });
  for (const line of report.story) write(line);
  write('');
  if (report.fault === undefined) {
    write(`Seed ${seed}: no promise was broken. ${JSON.stringify(report.standings)}`);
    return 0;
  }
  write(`BROKEN: ${report.fault}`);
  write(`Replay this story with: npm run simulate -- --seed ${seed} --jobs ${jobs}`);
  return 1;
}
