// Collects what many jobs have to say into calls of ten. A full ten leaves at once, the rest when the batch of jobs is
// done, so that no timer and no idle wait is needed and a happy job costs a tenth of a call.
import { sqsBatchSize } from './limits.ts';
import type { NotTaken } from './ports.ts';

/** One kind of message leaving in tens. */
export interface Outbox<T> {
  /** True once the entry is on its queue; false when the queue would not take it. Never rejects. */
  add(entry: T): Promise<boolean>;
  /** Sends what is left. Entries added later leave by themselves, together with all that are added at the same moment. */
  flush(): void;
}

/** A queue may refuse some of a batch for a moment (throttling); these many tries, then the message stays unsent. */
const triesAtMost = 3;

/** What an outbox does with what its calls say. */
interface OutboxOptions<T> {
  /** Hears how many entries a call did not take. */
  readonly onRefused?: (entries: number) => void;
  /**
   * False for an entry that must not be sent again after a call without an answer, which may have taken it; default true.
   */
  readonly mayBeThereTwice?: (entry: T) => boolean;
}

/** An outbox over a call that takes up to ten entries. */
export function createOutbox<T>(
  send: (entries: readonly T[]) => Promise<NotTaken>,
  { onRefused = () => {}, mayBeThereTwice = () => true }: OutboxOptions<T> = {},
): Outbox<T> {
  let waiting: { entry: T; resolve: (sent: boolean) => void }[] = [];

  let isFlowing = false;

  function sendWaiting(): void {
    const leaving = waiting;
    waiting = [];
    for (let at = 0; at < leaving.length; at += sqsBatchSize) void deliver(leaving.slice(at, at + sqsBatchSize));
  }

  async function deliver(batch: typeof waiting): Promise<void> {
    let left = batch;
    for (let tries = 0; tries < triesAtMost && left.length > 0; tries += 1) {
      const answer = await answerOf(left.map((it) => it.entry));
      const notTaken = answer ?? new Set(left.keys());
      for (const [index, it] of left.entries()) if (!notTaken.has(index)) it.resolve(true);
      if (notTaken.size > 0) onRefused(notTaken.size);
      const again = (it: (typeof left)[number]) => answer !== undefined || mayBeThereTwice(it.entry);
      const failed = left.filter((_, index) => notTaken.has(index));
      for (const it of failed) if (!again(it)) it.resolve(false);
      left = failed.filter(again);
    }
    for (const it of left) it.resolve(false);
  }

  async function answerOf(entries: readonly T[]): Promise<NotTaken | undefined> {
    try {
      return await send(entries);
    } catch {
      return undefined;
    }
  }

  return {
    flush() {
      isFlowing = true;
      sendWaiting();
    },
    add: (entry) =>
      new Promise((resolve) => {
        waiting.push({ entry, resolve });
        if (waiting.length >= sqsBatchSize) sendWaiting();
        else if (isFlowing && waiting.length === 1) queueMicrotask(sendWaiting);
      }),
  };
}
