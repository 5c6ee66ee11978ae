// One thread of the long walk: it runs stretches of seeds, and answers each with its sums.
import { parentPort } from 'node:worker_threads';
import { isDeepStrictEqual } from 'node:util';
import { installStandIns, useReal } from './stand-ins.ts';

// Thousands of calls fail in each world on purpose, and their stacks are not read.
Error.stackTraceLimit = 0;
installStandIns();
const { runSeed } = await import('./random-world.ts');
const { runLaneSeed } = await import('./lane-world.ts');
const { runRestore } = await import('./restore.ts');

/** Seeds from `from` to `to`, both included. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly jobs: number;
}

/** The report of a stretch: its sums by name, and the first of its seeds that broke a promise. */
export interface StretchReport {
  readonly sums: ReadonlyMap<string, number>;
  readonly faults: ReadonlyMap<string, number>;
  readonly brokenSeed?: number;
}

/** One world in so many is lived with the real parser, signer and contract as well; see stand-ins.ts. */
const seedsPerRealOne = 100;
/** Beside one in so many a world of a lane is lived: many jobs of one merchant, which take longer. */
const seedsPerLane = 400;
/** Beside one in so many a world whose ledger is lost and restored. */
const seedsPerRestore = 50;

parentPort?.on('message', (stretch: Stretch) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void runStretch(stretch).then((report) => parentPort?.postMessage(report));
});

async function runStretch({ from, to, jobs }: Stretch): Promise<StretchReport> {
  const sums = new Map<string, number>();
  const add = (name: string, count: number) => void sums.set(name, (sums.get(name) ?? 0) + count);
  const faults = new Map<string, number>();
  for (let seed = from; seed <= to; seed += 1) {
    const report = await runSeed(seed, { jobs });
    if (seed % seedsPerLane === 0) {
      const { fault, lives } = await runLaneSeed(seed);
      if (fault !== undefined) throw new Error(`the world of a lane of seed ${seed}: ${fault}`);
      add('lives in worlds of a lane', lives);
    }
    if (seed % seedsPerRestore === 0) {
      const restored = await runRestore(seed, { jobs });
      if (restored.fault !== undefined) throw new Error(`the restored world of seed ${seed}: ${restored.fault}`);
      add('lives in worlds whose ledger was restored', jobs);
      for (const [fault, count] of restored.faults) faults.set(fault, (faults.get(fault) ?? 0) + count);
    }
    if (seed % seedsPerRealOne === 0) {
      useReal(true);
      const real = await runSeed(seed, { jobs });
      useReal(false);
      if (!isDeepStrictEqual(real, report)) throw new Error(`seed ${seed} is another world with the stand-ins`);
      add('lives lived again for real', real.lives);
    }
    if (report.fault !== undefined) return { sums, faults, brokenSeed: seed };
    for (const [fault, count] of report.faults) faults.set(fault, (faults.get(fault) ?? 0) + count);
    add('worlds', 1);
    add('lives', report.lives);
    add('orders committed by the gateway', report.paid);
    add('POSTs', report.posts);
    for (const [state, count] of Object.entries(report.standings)) add(`orders ${state}`, count);
  }
  return { sums, faults };
}
