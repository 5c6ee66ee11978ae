// The ledger's states and moves: what may happen to an order, decided here and only written by the adapters.
//
//   submitting ──▶ accepted ──▶ approved | declined
//      │ ▲  └────▶ declined                       (the gateway refused: no money moved)
//      │ └─ retryable | failed                    (proven never sent, so a new claim may send)
//      └──▶ in-doubt ──▶ held | accepted | ...    (bytes may have left: no second POST, ever, from here)
//
// The claim is the only way to a POST. An expired lease leads to doubt, never to a second POST. An order that is held
// because its CVV is spent was never sent, and a claim with new card data may take it over (waitsForCardData).
import { type Attempts, attemptsAfter, cutHistory, heldUnsent, isValidated, type ToldWords } from './order-history.ts';
import type { Failure } from './failures.ts';
import type { Money } from '../gateway/money.ts';
import type { Job } from './job.ts';
import type { JsonText } from './json-text.ts';
import { type OperationName, operations } from '../gateway/operations.ts';
import { cutToBytes, outsideTextLimitBytes } from '../gateway/redact.ts';

/** Where an order stands. */
export type OrderState =
  | 'submitting'
  | 'retryable'
  | 'in-doubt'
  | 'held'
  | 'accepted'
  | 'approved'
  | 'declined'
  | 'failed'
  | 'cancelled';

/**
 * The moves that exist; a write that is not in this table is a bug and is refused before it is made.
 * Out of doubt there is no way back to `submitting` here: a second POST needs the inquiry rule of DESIGN 4.4. What a restored
 * ledger may have forgotten goes into doubt from anywhere (restored-ledger.ts).
 */
export const moves: Readonly<Record<OrderState, readonly OrderState[]>> = {
  submitting: ['accepted', 'declined', 'failed', 'retryable', 'in-doubt', 'held'],
  // Never sent by us, and the gateway has it all the same: whoever sent it, it must not be sent again.
  retryable: ['submitting', 'cancelled', 'failed', 'accepted', 'approved'],
  'in-doubt': ['accepted', 'approved', 'declined', 'failed', 'retryable', 'held'],
  held: ['accepted', 'approved', 'declined', 'failed', 'retryable'],
  accepted: ['approved', 'declined', 'held'],
  // Reconciliation may change even a final state (gateway-facts.md section 4): late truth is a new revision.
  approved: ['declined'],
  declined: ['approved'],
  failed: ['submitting', 'cancelled', 'failed', 'accepted', 'approved', 'declined'],
  // Called off once a person had released it: late truth finds its way in.
  cancelled: ['accepted', 'approved', 'declined'],
};

/** One line of an order's short history. */
export interface HistoryLine {
  readonly state: OrderState;
  readonly atMs: number;
  readonly attempts: number;
  readonly reason: string;
}

/** One order as the ledger holds it, its attempts included. Times are epoch milliseconds. */
export interface LedgerEntry extends Attempts, ToldWords {
  readonly key: string;
  readonly operation: OperationName;
  readonly merchant: string;
  readonly endpointId: string;
  readonly orderId: string;
  readonly money?: Money;
  readonly fingerprint: string;
  readonly batchId?: string;
  readonly context?: JsonText;
  readonly state: OrderState;
  /** Counts the writes; the higher revision of an order supersedes the lower. */
  readonly revision: number;
  /** Nothing follows of itself after this state. */
  readonly final: boolean;
  /** Who claimed it last: one random id per claim. */
  readonly owner: string;
  /** The message that the last claim came from: a later message is a new request, a copy of this one is not. */
  readonly messageId: string;
  /** When that message was first sent; and digests (claim.ts) of messages that claimed it before. */
  readonly sentAtMs?: number;
  readonly earlierMessages?: readonly string[];
  readonly leaseUntilMs: number;
  /** POSTs made so far, the one under way included. */
  readonly attempts: number;
  readonly failure?: Failure;
  /** Who decided by hand and why; in the place of a failure. */
  readonly note?: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly history: readonly HistoryLine[];
  /** The result of this revision could not be sent yet. */
  readonly unpublished?: true;
  /** How often the gateway was asked about this state, and how often it knew nothing. */
  readonly inquiries?: Inquiries;
  /** Words of the gateway that fitted nowhere, eight different ones at most. Never written by a move. */
  readonly surprises?: readonly string[];
  /** How many more there were. */
  readonly moreSurprises?: number;
  /** A key for new card data was deposited beside it; the next move destroys it. Never the key itself. */
  readonly cardKeyId?: string;
  /** Accepted for longer than its profile's horizon: no end, but a person is to know. The next move takes it away. */
  readonly overdue?: true;
  /** When the sweeper looks after it, where a look at the gateway has set a time; otherwise its state says when. */
  readonly dueAtMs?: number;
}

/** The checks of one order since it came into its present state: there is one chain of them, and this is its number. */
export interface Inquiries {
  /** Checks made. Only a check that bears this number may make the next. */
  readonly count: number;
  /** How often in a row the gateway said that it knows no such order. */
  readonly negatives: number;
  /** When the first of those negative answers came. */
  readonly firstNegativeAtMs?: number;
  /** When it was asked last; absent while checks only told its result, or could not ask. */
  readonly askedAtMs?: number;
}

/**
 * The identity of an order: merchant and order id; checks are kept apart, as a check and a payment may bear one id.
 * "~" can't occur in a merchant's name, so no two orders share a key.
 */
export function orderKey(job: Pick<Job, 'operation' | 'merchant' | 'orderId'>): string {
  return `${job.merchant}${operations[job.operation].movesMoney ? '' : '~check'}/${job.orderId}`;
}

/**
 * Held, and proven never sent: what it lacks is card data. The one way out of `held` that leads to a POST, and only for a
 * claim that brings the key of new card data (claim.ts); where its batch was called off, that claim cancels it.
 */
export function waitsForCardData({ state, failure }: Pick<LedgerEntry, 'state' | 'failure'>): boolean {
  return state === 'held' && failure?.code === 'NEW_CARD_DATA_NEEDED';
}

/** True for a failure that came before anything was sent: who is held by it has no money in doubt. */
export function wasNeverSent({ failure }: Pick<LedgerEntry, 'failure'>): boolean {
  return heldUnsent.has(failure?.code);
}

/** True for an order that is proven never to have been sent, and that a claim may therefore take over. */
export function isNeverSent(entry: LedgerEntry): boolean {
  const isUnsent = entry.state === 'retryable' || entry.state === 'failed' || waitsForCardData(entry);
  return isUnsent || isValidated(entry);
}

/** States about which the gateway is asked by itself. */
export const isAskedAbout = ({ state, final }: Pick<LedgerEntry, 'state' | 'final'>): boolean =>
  state === 'in-doubt' || (state === 'accepted' && !final);

function allows(entry: LedgerEntry, next: OrderState): boolean {
  if (moves[entry.state].includes(next)) return true;
  if (isValidated(entry)) return next === 'submitting' || next === 'cancelled' || next === 'held';
  return (next === 'submitting' || next === 'cancelled') && waitsForCardData(entry);
}

/** One move of an order. */
export interface Move {
  readonly state: OrderState;
  readonly final: boolean;
  readonly reason: string;
  readonly nowMs: number;
  readonly attempts?: number;
  readonly failure?: Failure;
  readonly gatewayOrderId?: string;
  readonly gatewayAlias?: string;
  readonly unprocessed?: true;
}

/**
 * The entry after a move; a failure belongs to the state that it led to and does not outlive it. Throws on a move that
 * the table doesn't know: better a crash than an invented state.
 */
export function moved(entry: LedgerEntry, move: Move): LedgerEntry {
  if (!allows(entry, move.state)) {
    throw new RangeError(`an order can't move from ${entry.state} to ${move.state}`);
  }
  const attempts = move.attempts ?? entry.attempts;
  // Whoever worded it, a failure must leave the entry's item under 1 KB.
  const message = cutToBytes(move.failure?.message ?? '', outsideTextLimitBytes);
  const line = { state: move.state, atMs: move.nowMs, attempts, reason: move.reason };
  return {
    ...lasting(entry),
    ...attemptsAfter(entry, move),
    state: move.state,
    final: move.final,
    attempts,
    ...(move.failure && { failure: { ...move.failure, message } }),
    revision: entry.revision + 1,
    updatedAtMs: move.nowMs,
    history: cutHistory([...entry.history, line]),
  };
}

/** What a move does not touch. */
function lasting(entry: LedgerEntry): LedgerEntry {
  const { unpublished: _1, failure: _2, note: _3, inquiries: _4, dueAtMs: _5, cardKeyId: _6, ...more } = entry;
  const { overdue: _7, account: _8, gatewayOrderId: _9, gatewayAlias: _10, ...others } = more;
  const { unproven: _11, earlierAttempts: _12, ...rest } = others;
  return rest;
}
