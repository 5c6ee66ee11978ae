// npm run simulate -- --seeds 1000 [--jobs 20] [--from 1]: many random worlds, each from one seed; stops at the first that
// breaks a promise, prints its seed and its story and exits 1. npm run simulate -- --seed 42: that one world, told.
import { parseArgs } from 'node:util';
import { runSeed, type WorldReport } from './random-world.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    jobs: { type: 'string', default: '20' },
  },
});
const jobs = Number(values.jobs);
const write = (line: string) => void process.stdout.write(`${line}\n`);
// Whoever reads only the head of a story is not an error.
process.stdout.on('error', () => process.exit());

process.exitCode = values.seed === undefined ? await runSeeds() : await tellSeed(Number(values.seed));

async function runSeeds(): Promise<number> {
  const startedMs = performance.now();
  const sums = new Map<string, number>();
  const add = (name: string, count: number) => void sums.set(name, (sums.get(name) ?? 0) + count);
  const last = Number(values.from) + Number(values.seeds) - 1;
  for (let seed = Number(values.from); seed <= last; seed += 1) {
    const report = await runSeed(seed, { jobs });
    if (report.fault !== undefined) return tellSeed(seed);
    add('worlds', 1);
    add('lives', report.lives);
    add('orders committed by the gateway', report.paid);
    add('POSTs', report.posts);
    for (const [state, count] of Object.entries(report.standings)) add(`orders ${state}`, count);
    if ((sums.get('worlds') ?? 0) % 1000 === 0) write(progress(sums, startedMs));
  }
  write(progress(sums, startedMs));
  for (const [name, count] of sums) write(`  ${name.padEnd(34)}${String(count).padStart(10)}`);
  write('No promise was broken.');
  return 0;
}

function progress(sums: ReadonlyMap<string, number>, startedMs: number): string {
  const seconds = (performance.now() - startedMs) / 1000;
  const lives = sums.get('lives') ?? 0;
  return `${sums.get('worlds')} worlds, ${lives} lives in ${seconds.toFixed(1)} s: ${Math.round(lives / seconds)} lives per second`;
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
