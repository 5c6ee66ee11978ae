// The scope of a reconciliation: the same merchants, days and batches in all three books. A book may have more than the
// others; orders outside the scope are counted and named, and are no difference.
import { momentOf } from '../payout/message/inbound.ts';
import { namesOfKey } from '../payout/order/order.ts';
import type { OrderInBooks } from './reconcile.ts';

/** The scope of a comparison. An empty one is everything. */
export interface Scope {
  readonly merchants?: ReadonlySet<string>;
  /** The ledger's book then has their orders alone. */
  readonly batches?: ReadonlySet<string>;
  /** From this moment on, epoch milliseconds. */
  readonly fromMs?: number;
  /** Before this moment. */
  readonly toMs?: number;
}

/** Why an order is not compared. */
export const outsideReasons = {
  merchant: 'of another merchant',
  batch: 'of no batch that is compared',
  days: 'of other days',
} as const;

/** One of {@link outsideReasons}. */
export type OutsideReason = keyof typeof outsideReasons;

/** Why the order is not compared; undefined if it is. */
export function outsideOf(key: string, order: OrderInBooks, scope: Scope): OutsideReason | undefined {
  if (scope.merchants && !scope.merchants.has(namesOfKey(key).merchant)) return 'merchant';
  if (scope.batches && !isOfBatch(order, scope.batches)) return 'batch';
  return isOnDays(order, scope) ? undefined : 'days';
}

/** A row without an order in the ledger is a batch's only where a result says so: the gateway knows no batches. */
function isOfBatch({ ledger, results }: OrderInBooks, batches: ReadonlySet<string>): boolean {
  return ledger !== undefined || results.some(({ batchId }) => batchId !== undefined && batches.has(batchId));
}

/** An order is of the moment when it was sent last; one that the ledger does not have, of the day that the others name. */
function isOnDays(order: OrderInBooks, { fromMs = -Infinity, toMs = Infinity }: Scope): boolean {
  const atMs = orderMs(order);
  // A row that names no day might be of these.
  return atMs === undefined || (atMs >= fromMs && atMs < toMs);
}

function orderMs({ ledger, results, gateway }: OrderInBooks): number | undefined {
  if (ledger) return ledger.atMs;
  const reported = gateway.flatMap(({ date }) => (date === undefined ? [] : (reportDateMs(date) ?? [])));
  if (gateway.length > 0) return reported.length === 0 ? undefined : Math.max(...reported);
  const times = results.flatMap(({ at }) => (at === undefined ? [] : [Date.parse(at)]));
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The time of a report's date, without a zone taken as UTC; undefined if it can't be read. */
export function reportDateMs(text: string): number | undefined {
  const [, day, time = '00:00:00', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/.exec(text.trim()) ?? [];
  return day === undefined ? undefined : momentOf(`${day}T${time}${zone}`);
}
