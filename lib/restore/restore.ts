// A ledger that was restored to an earlier moment has forgotten what was written since: orders that it does not know, and
// orders that it calls never sent, may have been sent in the gap. Such an order is not sent. It goes into doubt, and the
// gateway or a person says what became of it; only what is in the ledger again may be believed.
import type { Failure } from '../payout/failures.ts';
import { isNeverSent, unknownContent } from '../payout/claim.ts';
import { type LedgerEntry, orderKey } from '../payout/ledger.ts';
import { parseAmount } from '../gateway/money.ts';
import { withMark } from '../payout/due-work.ts';
import type { ToldWords } from '../payout/order-history.ts';
import { operations } from '../gateway/operations.ts';
import { type Result, resultOf } from '../payout/result.ts';

/** A restore. */
export interface Restored {
  /** What was written later is forgotten. */
  readonly toMs: number;
  /** Since when this table is the ledger: the end of the gap. */
  readonly sinceMs: number;
  /** Every order of the gap is back in the ledger: an order that it does not know is a new one. */
  readonly settled: boolean;
}

/** What a table is to the worker. */
export type LedgerStanding =
  | { readonly kind: 'ledger' }
  /** A copy of another table, or one that another has taken over from: nothing may be decided by it. */
  | { readonly kind: 'foreign'; readonly of: string }
  | { readonly kind: 'restored'; readonly restored: Restored };

/** No worker of the old table is at work any more so long after it was taken out of service: Lambda's longest time-out. */
const inFlightMs = 900_000;
/** The clocks of a worker and of the operator's machine differ by less. */
const clockSlackMs = 60_000;
/** More than the writes of any order in a gap: no result that was told in it may be told again with another content. */
const revisionsForgotten = 100;

/** True where the order may have been sent in the gap although this entry (or none) says that it was not. */
export function mayBeForgotten(
  standing: LedgerEntry | undefined,
  operation: LedgerEntry['operation'],
  standingOf: LedgerStanding,
): boolean {
  if (standingOf.kind !== 'restored' || !operations[operation].movesMoney) return false;
  const { sinceMs, settled } = standingOf.restored;
  if (!standing) return !settled;
  return isNeverSent(standing) && standing.updatedAtMs < sinceMs + clockSlackMs;
}

const failure: Failure = {
  code: 'LEDGER_RESTORED',
  message: 'the ledger was restored and may have forgotten that it was sent',
};
/** No claim's: no answer that somebody still carries can be taken for this entry's. */
const owner = '~restored';

/** The order in doubt, in the place of what a claim (or a person) was about to write over `standing`. */
export function doubtedAfterRestore(
  standing: LedgerEntry | undefined,
  instead: LedgerEntry,
  { sinceMs }: Pick<Restored, 'sinceMs'>,
): LedgerEntry {
  const nowMs = instead.updatedAtMs;
  const { note: _n, unpublished: _u, inquiries: _l, dueAtMs: _d, ...rest } = standing ?? { ...instead, attempts: 0 };
  const line = { state: 'in-doubt', atMs: nowMs, attempts: rest.attempts, reason: failure.code } as const;
  return {
    ...rest,
    state: 'in-doubt',
    unproven: true,
    final: false,
    failure,
    owner,
    // The quiet period of an inquiry begins when nobody can be sending any more.
    leaseUntilMs: Math.max(nowMs, sinceMs + inFlightMs),
    updatedAtMs: nowMs,
    revision: (standing?.revision ?? 0) + revisionsForgotten,
    history: [...(standing?.history ?? []).slice(0, 3), line],
  };
}

/** True for an order whose content nobody knows: it can be told about, and never sent. */
export const isWithoutContent = ({ fingerprint }: LedgerEntry) => fingerprint === unknownContent;

/**
 * An open order as it goes on in the restored ledger. What is known of it from before the gap proves nothing about what was
 * sent in it: neither looks, nor an answer ("never sent") that a message still carries from the claim that stands here.
 * Further results must not bear the ids of those that were told in the gap, and its reader hears where it stands now.
 */
export function reopened(entry: LedgerEntry, sinceMs: number): LedgerEntry {
  const { inquiries: _looks, dueAtMs: _dueAtMs, ...rest } = entry;
  const leaseUntilMs = Math.max(entry.leaseUntilMs, sinceMs + inFlightMs);
  const next = { ...rest, owner, leaseUntilMs, revision: entry.revision + revisionsForgotten };
  return withMark(next, resultOf(next) !== undefined);
}

/**
 * The order as a result of the gap tells it, over what the ledger remembers of it; undefined where the ledger knows at
 * least as much, or the result tells of nothing that could have been sent. An order of which the ledger remembers nothing
 * is without its content then: should it turn out unpaid, it needs a new order id to be sent.
 */
export function adopted(standing: LedgerEntry | undefined, result: Result): LedgerEntry | undefined {
  const { operation, merchant, endpointId, orderId, status, final, attempts, revision, batchId, context } = result;
  if (operation === undefined || merchant === undefined || orderId === undefined || revision === undefined)
    return undefined;
  // What was never sent may be sent; what was sent after all has a later result, or its message is still there.
  if (status === 'failed' || !operations[operation].movesMoney) return undefined;
  // By revision, never by time: two workers' clocks differ.
  if (standing && standing.revision >= revision) return undefined;
  const atMs = Date.parse(result.occurredAt);
  const named = result.payoutId ?? result.transactionId;
  const gatewayOrderId = result.gatewayOrderId ?? named;
  const line = { state: status, atMs, attempts, reason: 'adopted' };
  const told = {
    state: status,
    final,
    owner,
    attempts,
    leaseUntilMs: atMs,
    updatedAtMs: atMs,
    revision,
    ...(gatewayOrderId !== undefined && { gatewayOrderId }),
    ...(named !== undefined && named !== gatewayOrderId && { gatewayAlias: named }),
    ...(result.failure && { failure: result.failure }),
    ...wordsOf(result),
    ...(status !== 'declined' && status !== 'cancelled' && { unproven: true as const }),
  };
  if (standing) {
    const { failure: _f, note: _n, inquiries: _l, dueAtMs: _d, unpublished: _u, ...rest } = standing;
    return { ...rest, ...told, history: [...standing.history.slice(0, 3), line] };
  }
  const money = moneyOf(result);
  return {
    key: orderKey({ operation, merchant, orderId }),
    operation,
    merchant,
    orderId,
    endpointId: endpointId ?? '',
    fingerprint: unknownContent,
    messageId: '',
    createdAtMs: atMs,
    ...told,
    ...(money && { money }),
    ...(batchId !== undefined && { batchId }),
    ...(context && { context }),
    history: [line],
  };
}

function wordsOf({ gatewayAmount, reversal }: Result): ToldWords {
  const { at, ...said } = reversal ?? { type: '', status: '', at: '' };
  return {
    ...(gatewayAmount !== undefined && { gatewayAmount }),
    ...(reversal && { reversal: { ...said, atMs: Date.parse(at) } }),
  };
}

function moneyOf({ amount, currency }: Result): LedgerEntry['money'] {
  if (amount === undefined || currency === undefined) return undefined;
  const parsed = parseAmount(amount, currency);
  return parsed.kind === 'amount' ? { currency, minorUnits: parsed.minorUnits } : undefined;
}
