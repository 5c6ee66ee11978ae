// The long walk over many seeds, on as many threads as there are cores. The thread of a seed changes nothing: each
// world has its own time and its own chance.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Stretch, StretchReport } from './seed-thread.ts';

/** The seeds, and the number of threads. */
export interface SeedWalk {
  readonly from: number;
  readonly seeds: number;
  readonly jobs: number;
  readonly threads: number;
  /** Receives the sums so far, after each stretch. */
  readonly onProgress: (sums: ReadonlyMap<string, number>) => void;
}

/** The end of the walk; `brokenSeed` is the lowest that broke a promise. */
export interface WalkEnd {
  readonly sums: ReadonlyMap<string, number>;
  readonly faults: ReadonlyMap<string, number>;
  readonly brokenSeed: number | undefined;
}

/** Worlds come and go by the second: room for their rubbish spares the collector most of its rounds. */
const resourceLimits = { maxYoungGenerationSizeMb: 64 };
/** Short enough that no thread is left alone with the end for long. */
const seedsPerStretch = 25;

/** Walks over all seeds; stops at the first stretch that has a broken one, once the earlier stretches have ended too. */
export async function walkSeeds({ from, seeds, jobs, threads, onProgress }: SeedWalk): Promise<WalkEnd> {
  const sums = new Map<string, number>();
  const faults = new Map<string, number>();
  const last = from + seeds - 1;
  let next = from;
  let brokenSeed: number | undefined;

  async function work(thread: Worker): Promise<void> {
    while (next <= last && brokenSeed === undefined) {
      const stretch: Stretch = { from: next, to: Math.min(next + seedsPerStretch - 1, last), jobs };
      next = stretch.to + 1;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.postMessage(stretch);
      const [report] = (await once(thread, 'message')) as [StretchReport];
      for (const [name, count] of report.sums) sums.set(name, (sums.get(name) ?? 0) + count);
      for (const [name, count] of report.faults) faults.set(name, (faults.get(name) ?? 0) + count);
      if (report.brokenSeed !== undefined) brokenSeed = Math.min(brokenSeed ?? Infinity, report.brokenSeed);
      onProgress(sums);
    }
    await thread.terminate();
  }

  await Promise.all(
    Array.from({ length: threads }, () =>
      work(new Worker(new URL('./seed-thread.ts', import.meta.url), { resourceLimits })),
    ),
  );
  return { sums, faults, brokenSeed };
}
