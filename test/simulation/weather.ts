// The faults of a world, as questions that it asks while it runs. A scripted weather answers for one schedule of the
// exhaustive mode (schedules.ts), a random one by seed (random-weather.ts); fair weather answers that all is well.
import type { SeenOrder } from './seen.ts';
import type { Mood, Post } from './gateway-moods.ts';
import type { Fate } from './gateway-book.ts';
import { inquiries, type LookMood } from './gateway-looks.ts';
import { moods } from './gateway-moods.ts';

/** The worker's questions to the world. Between two of these its place can't be seen from outside. */
export type Effect =
  | 'keys'
  | 'card keys'
  | 'CVV key'
  | 'credentials'
  | 'refresh'
  | 'put'
  | 'read'
  | 'write'
  | 'mark'
  | 'connect'
  | 'POST'
  | 'results'
  | 'waiting'
  | 'references'
  | 'letters'
  | 'checks'
  | 'controls'
  | 'count'
  | 'open work'
  | 'doubt'
  | 'note'
  | 'lane'
  | 'look'
  | 'respond';

/** A boundary of an effect: right before the world is asked, or when the answer is there but not yet heard. */
export interface Boundary {
  readonly when: 'before' | 'after';
  readonly effect: Effect;
  /** The order's key, where the effect is about one. */
  readonly order: string;
  readonly process: string;
}

/** The cut of a process at a boundary. */
export type Cut = { readonly kind: 'dies' } | { readonly kind: 'freezes'; readonly ms: number };

/**
 * A ledger call: done; refused; done with its answer lost; done by a first try of the SDK whose second try then meets
 * what the first has written; or lost on the way and done much later, when no call waits for it any more.
 */
export type LedgerFault = 'none' | 'throttled' | 'answer lost' | 'found own write' | 'lands late';

/** A batch call to a queue: taken; refused whole; taken with its answer lost; or these places refused. */
export type QueueFault = 'none' | 'down' | 'answer lost' | { readonly refuses: readonly number[] };

/**
 * The key of a CVV, as its sender leaves it in its table before the message is sent: left; never; left once before by a
 * sender who died in between; or left, and gone when its time is over.
 */
export type CardKeyFault = 'is left' | 'is forgotten' | 'is left by a sender who died' | 'is left, and goes';

/**
 * The connection that is begun beside a claim: it opens; it is refused; there is no answer; or it opens, and the gateway closes
 * it while it waits, which is seen here or is still on its way.
 */
export type AheadFault = 'none' | 'refused' | 'hangs' | 'closed before use' | 'closed unseen';

/**
 * The further callback: signed by a guess; genuine, with another amount, or with ten others; cut anew, so that it is about another order;
 * about another attempt, or a sale, of the same order id; or about an order of this id at the account of before, to which ours was
 * never sent.
 */
export type Forgery = 'control' | 'amount' | 'cut' | 'attempt' | 'amounts' | 'sale' | 'elsewhere';

/** The way of a callback: so late, perhaps a second time, perhaps with a forged one beside it. */
export interface CallbackPost {
  readonly delayMs: number;
  readonly againAfterMs?: number;
  readonly forged?: Forgery;
}

/** The answers of one world's weather. */
export interface Weather {
  cut(boundary: Boundary): Cut | undefined;
  /** The time that the world takes to answer this effect, in ms. */
  latencyMs(effect: Effect): number;
  ledger(effect: Effect): LedgerFault;
  queue(effect: Effect): QueueFault;
  /** Secrets Manager does not answer. */
  secretsDown(): boolean;
  cardKey(): CardKeyFault;
  ahead(): AheadFault;
  mood(post: Post): Mood;
  /** The fate of an order that the gateway commits. */
  fate(post: Post): Fate;
  /** The mood towards a status inquiry. */
  look(): LookMood;
  callback(): CallbackPost;
  /** Like `deliveredTwiceAfterMs`, for a check: each duplicate begins a chain of looks, so they are rarer. */
  checkTwiceAfterMs(): number | undefined;
  /** The check just sent is lost on its queue. */
  checkLost(): boolean;
  /** The schedule's treatment of the sweep that is due. */
  sweep(): 'runs' | 'is missed' | 'overlaps';
  /** The message just received is delivered to somebody else too, so many ms from now. */
  deliveredTwiceAfterMs(): number | undefined;
  /** The message just deleted comes again all the same, so many ms from now. */
  survivesDeletionForMs(): number | undefined;
  /** A receipt handle older than the last receive still deletes. */
  staleHandleWorks(): boolean;
  /** Newer code writes this entry in its own layout, which older code can't read. */
  newLayout(entry: SeenOrder): boolean;
  /** A page of an index shows its orders before their last write. */
  staleIndex(): boolean;
  /** Lambda counts this copy into a chain that went round too often, and does not hand it on. */
  loopStops(): boolean;
  /** The place of the message to be received next, of so many. */
  nextOf(messages: number): number;
  /** Chance as the worker itself uses it: jitter. */
  jitter(): number;
}

const latencies: Readonly<Record<Effect, number>> = {
  keys: 1,
  'card keys': 1,
  'CVV key': 10,
  credentials: 1,
  refresh: 30,
  put: 10,
  read: 10,
  write: 10,
  mark: 10,
  connect: 100,
  POST: 1_000,
  results: 20,
  waiting: 10,
  references: 20,
  letters: 20,
  checks: 20,
  controls: 5,
  count: 10,
  'open work': 20,
  doubt: 10,
  lane: 5,
  note: 10,
  look: 300,
  respond: 5,
};

/** Weather without faults. */
export const fairWeather: Weather = {
  cut: () => undefined,
  latencyMs: (effect) => latencies[effect],
  ledger: () => 'none',
  queue: () => 'none',
  secretsDown: () => false,
  cardKey: () => 'is left',
  ahead: () => 'none',
  mood: () => moods.accepts,
  fate: () => ({ ends: 'approved', afterMs: 3_000 }),
  look: () => inquiries.answers,
  callback: () => ({ delayMs: 500 }),
  checkTwiceAfterMs: () => undefined,
  checkLost: () => false,
  sweep: () => 'runs',
  deliveredTwiceAfterMs: () => undefined,
  survivesDeletionForMs: () => undefined,
  staleHandleWorks: () => true,
  newLayout: () => false,
  staleIndex: () => false,
  loopStops: () => false,
  nextOf: () => 0,
  jitter: () => 0.5,
};
