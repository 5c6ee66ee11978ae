// A walk over the dead-letter queue: every letter is shown once, ten at a time, and given back at the end, however the walk
// ends. What the walk holds is hidden from others meanwhile, so it ends long before it would be seen again.
import { deadLetterHiddenSeconds } from '../payout/limits.ts';
import type { Clock } from '../payout/ports.ts';
import { type DeadLetterView, letterView, type DeadLetters, type DeadMessage } from './dead-letter.ts';

/** The ports of a walk. */
interface WalkPorts {
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
}

/** The caller's decision about letters that were looked at. */
interface Looked {
  /** Letters that are no longer on the queue, and are not given back. */
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
   * `queue-end`: everything was seen that no other reader held; `enough`: the looker wanted no more; `time`: letters may
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

// Which dead letters are meant. Only what may be seen of a letter is searched: a search must not become a way to ask
// whether a card number is in the queue.

/** The choice of letters; every part that is given must fit. */
export interface DeadLetterFilter {
  readonly merchant?: string;
  readonly batch?: string;
  /** The order's key in the ledger. */
  readonly order?: string;
  /** A reason code, or `sqs` for what SQS moved itself. */
  readonly code?: string;
  /** The messages on the dead-letter queue, or those that were sent first. */
  readonly messages?: readonly string[];
  /** Text that some part of what is shown must hold, in capitals or not. */
  readonly search?: string;
}

/** True for a letter that fits the choice. */
export function fits(view: DeadLetterView, choice: DeadLetterFilter): boolean {
  const { merchant, batch, order, code, messages, search } = choice;
  return (
    (merchant === undefined || view.merchant === merchant) &&
    (batch === undefined || view.batchId === batch) &&
    (order === undefined || view.order === order) &&
    (code === undefined || codeOf(view) === code) &&
    (messages === undefined || [view.messageId, view.originMessageId].some((id) => messages.includes(id))) &&
    (search === undefined || searchable(view).includes(search.toLowerCase()))
  );
}

/** The same, of a message as it is on the queue. */
export function chosenBy(choice: DeadLetterFilter): (deadLetter: DeadMessage) => boolean {
  return (deadLetter) => fits(letterView(deadLetter), choice);
}

/** Why the letter is here: the worker's code, or `sqs`. */
export function codeOf({ from, code }: DeadLetterView): string {
  return from === 'sqs' ? 'sqs' : (code ?? 'sqs');
}

function searchable({ messageId, originMessageId, order, operation, batchId, code, reason }: DeadLetterView): string {
  return [messageId, originMessageId, order, operation, batchId, code, reason].join('\n').toLowerCase();
}
