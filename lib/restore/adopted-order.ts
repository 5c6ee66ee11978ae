// An order as a published result, or a line of the worker's log, tells it: put back into a restored ledger that has forgotten
// it, or remembers less. What it tells again under a result id is what was told under that id.
import { type LedgerEntry, orderKey, isNeverSent } from '../payout/ledger.ts';
import { parseAmount } from '../gateway/money.ts';
import { afterForgotten, revisionsApart, revisionsFrom, withMark } from '../payout/due-work.ts';
import type { ToldWords } from '../payout/order-history.ts';
import { operations } from '../gateway/operations.ts';
import type { Result } from '../payout/result.ts';
import { doubtedAfterRestore, restoredDoubt, restoredOwner, withPresentArchived } from './restored-ledger.ts';
import { unknownContent } from '../payout/fingerprint.ts';

/** The entry knows what was told as `told`: a restore leaves revisions out, and says so in its lines of history. */
function isKnown({ revision, history }: Pick<LedgerEntry, 'revision' | 'history'>, told: number): boolean {
  const { reason = '', atMs = 0 } = history.at(-1) ?? {};
  if (reason.startsWith(adoptedAs)) return Number(reason.slice(adoptedAs.length)) >= told;
  if (!isOfRestore({ reason })) return revision >= told;
  const before = history.slice(0, -1);
  const isRepeated = before.some((line) => isOfRestore(line) && revisionsFrom(line.atMs) === revisionsFrom(atMs));
  if (isRepeated) return isKnown({ revision: revision - 100, history: before }, told);
  return revision % revisionsApart >= told % revisionsApart;
}

const isOfRestore = ({ reason }: { readonly reason: string }) => reason === 'reopened' || reason === restoredDoubt.code;

/** Followed by the revision that was told, where it bears another now. */
const adoptedAs = 'adopted-';

/**
 * The same under a result id that nothing was told under: what a line of the log knows of it is less than was told, and so
 * is what a reader has heard who heard of the restore already.
 */
export function underNewId(
  next: LedgerEntry,
  standing: LedgerEntry | undefined,
  { told, nowMs }: { readonly told: number; readonly nowMs: number },
): LedgerEntry {
  const history = next.history.map((line, at) =>
    at === next.history.length - 1 ? { ...line, reason: `${adoptedAs}${told}` } : line,
  );
  const before = standing?.revision ?? 0;
  const moved = { ...next, revision: afterForgotten(Math.max(told, before), nowMs), history };
  return withMark(moved, before >= told);
}

/**
 * The order as a result of the gap tells it, over what the ledger remembers of it; undefined where the ledger knows at
 * least as much, or the result tells of nothing that could have been sent. An order of which the ledger remembers nothing
 * is without its content then: should it turn out unpaid, it needs a new order id to be sent. `nowMs` is the time of the
 * restore; by default when it was told.
 */
export function adopted(
  standing: LedgerEntry | undefined,
  result: Result,
  nowMs = Date.parse(result.occurredAt),
): LedgerEntry | undefined {
  const { operation, merchant, endpointId, orderId, status, revision, batchId, context } = result;
  if (operation === undefined || merchant === undefined || orderId === undefined || !revision) return undefined;
  if (!operations[operation].movesMoney) return undefined;
  // By revision, never by time: two workers' clocks differ.
  if (standing && isKnown(standing, revision)) return undefined;
  if (status === 'failed')
    return standing && failedSince({ ...standing, operation }, result, { told: revision, nowMs });
  // A payment of two steps is told under the order that its check made.
  const told = { ...toldBy(result), operation, revision };
  if (standing) {
    const { failure: _f, note: _n, inquiries: _l, dueAtMs: _d, unpublished: _u, overdue: _o, ...open } = standing;
    const { gatewayAlias: _a, gatewayAmount: _g, reversal: _r, ...rest } = withPresentArchived(open, told);
    return { ...rest, ...told, history: [...standing.history.slice(0, 3), ...told.history] };
  }
  const money = moneyOf(result);
  return {
    key: orderKey({ operation, merchant, orderId }),
    merchant,
    orderId,
    endpointId: endpointId ?? '',
    fingerprint: unknownContent,
    messageId: '',
    createdAtMs: told.updatedAtMs,
    ...told,
    ...(money && { money }),
    ...(batchId !== undefined && { batchId }),
    ...(context && { context }),
  };
}

/** All that the result tells, and nothing that it does not: one result id has one content. */
function toldBy(result: Result) {
  const { status: state, final, attempts } = result;
  const atMs = Date.parse(result.occurredAt);
  const named = result.payoutId ?? result.transactionId;
  const gatewayOrderId = result.gatewayOrderId ?? named;
  // Alone, it may be an alias, by which the gateway would know no such order: while that would count it is taken for one.
  const isOpen = state === 'in-doubt' || state === 'held';
  const isAlias = named !== undefined && (named !== gatewayOrderId || isOpen);
  return {
    state,
    final,
    owner: restoredOwner,
    attempts,
    leaseUntilMs: atMs,
    updatedAtMs: atMs,
    ...(gatewayOrderId !== undefined && { gatewayOrderId }),
    ...(isAlias && { gatewayAlias: named }),
    ...(result.failure && { failure: result.failure }),
    ...wordsOf(result),
    ...(state !== 'declined' && state !== 'cancelled' && { unproven: true as const }),
    history: [{ state, atMs, attempts, reason: 'adopted' }],
  };
}

/**
 * What was never sent may be sent. But an order that the ledger knows to have been sent, and that failed in the gap, may
 * have been sent again in it by a new message.
 */
function failedSince(
  standing: LedgerEntry,
  { occurredAt }: Result,
  id: { readonly told: number; readonly nowMs: number },
): LedgerEntry | undefined {
  if (!mayFail.has(standing.state) || isNeverSent(standing)) return undefined;
  const atMs = Date.parse(occurredAt);
  const doubted = doubtedAfterRestore(standing, { ...standing, updatedAtMs: atMs }, { sinceMs: atMs });
  return withMark(underNewId(doubted, standing, id), true);
}

const mayFail: ReadonlySet<LedgerEntry['state']> = new Set(['submitting', 'in-doubt', 'held', 'accepted']);

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
