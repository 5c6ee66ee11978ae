// A walk through simulated worlds with a bug in them, in a thread of its own.
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Walks, WalksEnd } from './walks-thread.ts';

/** The limits of a walk. */
export interface WalkLimits {
  /** The repository whose worlds are walked; default: this one. */
  readonly root?: string;
  /** Judged by CPU, as a busy machine makes no bug of a slow walk. */
  readonly cpuSeconds?: number;
  /** Of the wall clock. */
  readonly ms?: number;
}

/** The end of the walks; undefined where their time was over before. */
export async function walked(
  walks: Walks,
  { root = join(import.meta.dirname, '../..'), cpuSeconds = Infinity, ms = Infinity }: WalkLimits = {},
): Promise<WalksEnd | undefined> {
  const thread = new Worker(join(root, 'test/bugs/walks-thread.ts'), { workerData: walks });
  const endsMs = performance.now() + ms;
  const overtime = setInterval(async () => {
    // It rejects once the thread has ended.
    const used = await thread.cpuUsage().catch(() => undefined);
    if (performance.now() > endsMs || (used && used.user > cpuSeconds * 1_000_000)) await thread.terminate();
  }, 1_000);
  try {
    const isOver = once(thread, 'exit').then(() => []);
    const [end] = (await Promise.race([once(thread, 'message'), isOver])) as [WalksEnd?];
    return end;
  } finally {
    clearInterval(overtime);
    await thread.terminate();
  }
}
