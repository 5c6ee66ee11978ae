// Collects what many jobs have to say into calls of ten. A full ten leaves at once, the rest when the batch of jobs is
// done, so that no timer and no idle wait is needed and a happy job costs a tenth of a call.
import { sqsBatchSize } from '../domain/limits.ts';
import type { NotTaken } from './ports.ts';

/** One kind of message leaving in tens. */
export interface Outbox<T> {
  /** True once the entry is on its queue; false when the queue would not take it. Never rejects. */
  add(entry: T): Promise<boolean>;
  /** Sends what is left. Entries added later wait for the next flush. */
  flush(): void;
}

/** A queue may refuse some of a batch for a moment (throttling); these many tries, then the message stays unsent. */
const triesAtMost = 3;

/** An outbox over a call that takes up to ten entries; `onRefused` hears how many of them a call did not take. */
export function createOutbox<T>(
  send: (entries: readonly T[]) => Promise<NotTaken>,
  onRefused: (entries: number) => void = () => {},
): Outbox<T> {
  let waiting: { entry: T; resolve: (sent: boolean) => void }[] = [];

  function flush(): void {
    const leaving = waiting;
    waiting = [];
    for (let at = 0; at < leaving.length; at += sqsBatchSize) void deliver(leaving.slice(at, at + sqsBatchSize));
  }

  async function deliver(batch: typeof waiting): Promise<void> {
    let left = batch;
    for (let tries = 0; tries < triesAtMost && left.length > 0; tries += 1) {
      const notTaken = await notTakenOf(left.map((it) => it.entry));
      for (const [index, it] of left.entries()) if (!notTaken.has(index)) it.resolve(true);
      if (notTaken.size > 0) onRefused(notTaken.size);
      left = left.filter((_, index) => notTaken.has(index));
    }
    for (const it of left) it.resolve(false);
  }

  async function notTakenOf(entries: readonly T[]): Promise<NotTaken> {
    try {
      return await send(entries);
    } catch {
      return new Set(entries.keys());
    }
  }

  return {
    flush,
    add: (entry) =>
      new Promise((resolve) => {
        waiting.push({ entry, resolve });
        if (waiting.length >= sqsBatchSize) flush();
      }),
  };
}
