// A walk over the dead-letter queue: every letter is shown once, ten at a time, and given back at the end, however the walk
// ends. What the walk holds is hidden from others meanwhile, so it ends long before it would be seen again.
import { deadLetterHiddenSeconds } from '../payout/limits.ts';
import type { DeadLetters, DeadMessage } from './dead-letter-ports.ts';
import type { Clock } from '../payout/ports.ts';

/** What a walk needs. */
export interface WalkPorts {
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
}

/** What becomes of letters that were looked at. */
interface Looked {
  /** They are no longer on the queue, and are not given back. */
  readonly gone?: readonly DeadMessage[];
  /** The walk may end here. */
  readonly enough?: boolean;
}

/** How a walk may be cut short. */
export interface WalkLimits {
  /** Aborted when the person interrupts it. */
  readonly signal?: AbortSignal;
  /** No letter is taken after this moment (epoch ms). */
  readonly untilMs?: number;
}

/** How the walk went. */
export interface Walk {
  readonly seen: number;
  /**
   * `queue-end`: everything was seen that nobody else looked at; `enough`: the looker wanted no more; `time`: letters may
   * be left; `interrupted`: by the person.
   */
  readonly end: 'queue-end' | 'enough' | 'time' | 'interrupted';
}

/** Longer than this no walk holds its letters. */
const walkAtMostMs = deadLetterHiddenSeconds * 800;
/** SQS asks all its servers in a long poll: twice nothing is the end, once is when as many were seen as it counts. */
const emptyTakesAtMost = 2;

/** Shows every letter to `look`. Rejects as `look` does, after everything was given back. */
export async function scanDeadLetters(
  look: (letters: readonly DeadMessage[]) => Promise<Looked>,
  { deadLetters, clock }: WalkPorts,
  { signal, untilMs = Infinity }: WalkLimits = {},
): Promise<Walk> {
  const endsAtMs = Math.min(untilMs, clock.nowMs() + walkAtMostMs);
  const held = new Map<string, DeadMessage>();
  const depth = await deadLetters.depth();
  let seen = 0;
  let emptyTakes = 0;
  try {
    for (;;) {
      if (signal?.aborted) return { seen, end: 'interrupted' };
      if (clock.nowMs() >= endsAtMs) return { seen, end: 'time' };
      const taken = await deadLetters.take();
      if (taken.length === 0) {
        emptyTakes += 1;
        if (emptyTakes >= emptyTakesAtMost || seen >= depth) return { seen, end: 'queue-end' };
      }
      // Delivered at least once: a letter that comes a second time is held by its newer handle and not shown again.
      const fresh = taken.filter(({ messageId }) => !held.has(messageId));
      for (const deadLetter of taken) held.set(deadLetter.messageId, deadLetter);
      seen += fresh.length;
      const { gone = [], enough } = await look(fresh);
      for (const { messageId } of gone) held.delete(messageId);
      if (enough) return { seen, end: 'enough' };
    }
  } finally {
    await deadLetters.giveBack([...held.values()]);
  }
}
