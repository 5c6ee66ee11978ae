// The results queue and the jobs queue in memory: they keep the messages, and fail when a story says so.
import { expect } from 'vitest';
import type { OwnMessage, OwnQueue } from '../../lib/payout/inquire/own-queue.ts';
import type { ReferenceMessage, References } from '../../lib/payout/wait/references.ts';
import type { Clock, DeadLetter, JobsQueue, NotTaken, Results } from '../../lib/payout/ports.ts';
import { type ReadResult, resultText } from '../../lib/payout/message/result.ts';
import { breachOfContract } from './published-result.ts';

/**
 * The queue's answer to its next calls: takes all; takes none, and the call rejects; takes all, and the call rejects all the
 * same; or refuses these places of the batch.
 */
type QueueMood = 'up' | 'down' | 'answer lost' | { readonly refuses: readonly number[] };

/** The messages that were put, and the moods to come. */
interface Shelf<T> {
  readonly taken: T[];
  /** The moods of the next calls, one each; after them the queue is up again. */
  moods(...moods: QueueMood[]): void;
  /** The mood of every call from now on. */
  stays(mood: QueueMood): void;
}

/** The fake results queue. Results are taken as their readers have them, long numbers with every digit. */
export type FakeResults = Results & Shelf<ReadResult>;

/** The fake jobs queue with its dead-letter queue. */
export interface FakeJobsQueue extends JobsQueue {
  readonly deadLetters: Shelf<DeadLetter>;
}

/** A message of the worker's own, and when it will be delivered. */
interface WaitingMessage extends OwnMessage {
  readonly dueAtMs: number;
  /** Deliveries so far; default 1. */
  readonly receives?: number;
}

/** The worker's own queue. */
export type FakeOwnQueue = OwnQueue & Shelf<WaitingMessage>;

/** A queue that is up. Like SQS it takes no delay above 900 seconds. */
function createDelayed<M extends { readonly delaySeconds: number }>({ nowMs }: Pick<Clock, 'nowMs'>) {
  const { put, ...shelf } = createShelf<M & { readonly dueAtMs: number }>();
  return {
    ...shelf,
    async send(messages: readonly M[]) {
      if (messages.some(({ delaySeconds }) => delaySeconds > 900)) throw new Error('DelaySeconds must be 900 at most');
      return put(messages.map((it) => ({ ...it, dueAtMs: nowMs() + it.delaySeconds * 1000 })));
    },
  };
}

/** The worker's own queue. */
export const createFakeOwnQueue = (clock: Pick<Clock, 'nowMs'>): FakeOwnQueue => createDelayed(clock);

/** A reference, and when it will be delivered. */
interface WaitingReference extends ReferenceMessage {
  readonly dueAtMs: number;
}

/** The queue of references. */
export type FakeReferences = References & Shelf<WaitingReference>;

/** The queue of references. */
export const createFakeReferences = (clock: Pick<Clock, 'nowMs'>): FakeReferences => createDelayed(clock);

/** A results queue that is up. Its readers rely on the contract, so every result of a story must keep it. */
export function createFakeResults(): FakeResults {
  const { put, ...shelf } = createShelf<ReadResult>();
  return {
    ...shelf,
    async send(results) {
      const messages = results.map((result) => JSON.parse(resultText(result), exactNumber) as ReadResult);
      // Softly: an error thrown here would only look like a queue that is down.
      // Where no test runs, as in a hunt for planted bugs, there is nothing to assert with.
      const breaches = messages.map(breachOfContract).filter((it) => it !== undefined);
      if (breaches.length > 0) expect.soft(breaches).toEqual([]);
      return put(messages);
    },
  };
}

/** Numbers as readers in other languages have them: JSON has no limit for them. */
function exactNumber(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isRounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && context?.source !== undefined ? rawJson(context.source) : value;
}

/** ES2026, which the compiler's library does not know yet. */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** A jobs queue that is up. */
export function createFakeJobsQueue(): FakeJobsQueue {
  const { put: putLetters, ...deadLetters } = createShelf<DeadLetter>();
  return {
    deadLetters,
    sendDeadLetters: putLetters,
  };
}

function createShelf<T>(): Shelf<T> & { put(entries: readonly T[]): Promise<NotTaken> } {
  const taken: T[] = [];
  let coming: QueueMood[] = [];
  let lasting: QueueMood = 'up';
  return {
    taken,
    moods: (...moods) => void (coming = moods),
    stays: (mood) => void (lasting = mood),
    async put(entries) {
      const mood = coming.shift() ?? lasting;
      if (mood === 'down') throw new Error('the queue is down');
      const refuses = typeof mood === 'string' ? [] : mood.refuses;
      const refused = new Set(refuses.filter((index) => index < entries.length));
      taken.push(...entries.filter((_, index) => !refused.has(index)));
      if (mood === 'answer lost') throw new Error('the queue does not answer');
      return refused;
    },
  };
}
