// The rows of a batch that may be asked for once more, and their order ids. Only rows that are proven unpaid: a second id for a
// payment that may still come would pay it twice.
import type { FailureOf } from '../gateway/gateway-outcome.ts';
import { couldBear, type Job } from '../payout/message/job.ts';
import { maySend } from '../payout/order/fold.ts';
import { namesOfKey, type Order, orderKey } from '../payout/order/order.ts';
import { type OrderView, viewOf } from '../payout/order/projection.ts';
import { isEndedUnpaid, type KnownOrders } from './known-orders.ts';
import { type Standing, standings } from '../payout/order/standing.ts';
import type { Payout } from './batch-payouts.ts';

/** The verdict on a retry by the payout's standing. */
type RetryVerdict =
  | { readonly kind: 'unpaid'; readonly why: FailureOf<string> }
  /** Its order is another batch's, which retries it. */
  | { readonly kind: 'elsewhere' }
  /** Paid, or may still be paid. */
  | { readonly kind: 'not-proven' };

/** Judges a payout. A cancelled one may be asked for again only if `ofCancelled` says so. */
export function retryVerdict({ standing, elsewhere, failure, entry }: Payout, ofCancelled: boolean): RetryVerdict {
  // If writing a file of new ids was cut off, the file is written again.
  const isCancelled = standing === 'cancelled' && (ofCancelled || isSentAgain(entry));
  const isUnpaid = standings[standing].retry === 'by name' || standing === 'id-taken' || isCancelled;
  if (!isUnpaid) return { kind: 'not-proven' };
  if (elsewhere) return { kind: 'elsewhere' };
  return { kind: 'unpaid', why: failure ?? { code: standing.toUpperCase(), message: standings[standing].meaning } };
}

/** The way to ask for an unpaid row once more under its own order id, or why there is none. */
type Reopening =
  /** Its job names this end, and opens no other. */
  { readonly kind: 'named'; readonly resends: string } | { readonly kind: 'kept'; readonly why: string };

/** The records of a row that is to be asked for once more. */
export interface Retried {
  readonly payout: Payout;
  readonly job: Job;
  /** Its order as the ledger has it. */
  readonly known: { readonly order?: Order; readonly unreadable?: boolean } | undefined;
  readonly nowMs: number;
}

/** The name that reopens an unpaid row's order. */
export function reopeningOf({ payout, job, known, nowMs }: Retried): Reopening {
  const { order, unreadable } = known ?? {};
  const { entry } = payout;
  if (unreadable) return kept('its order was written by a newer version');
  if (job.expiresAtMs !== undefined && job.expiresAtMs <= nowMs)
    return kept('its expiresAt has passed; write it by --as-file, and correct it');
  if (payout.standing === 'id-taken')
    return kept('its order id was used for another payment; --as-file gives it a new one');
  if (!order || !entry) return kept(hasChanged);
  const { endId } = viewOf(order);
  if (endId === undefined || endId !== entry.endId) return kept(hasChanged);
  if (maySend(order.facts, { resends: endId })) return { kind: 'named', resends: endId };
  return kept('its order was tried too often to be opened again; --as-file gives it a new order id');
}

/** Why a row is kept if its order has changed. */
export const hasChanged = 'its order has changed while it was read; retry once more';
const kept = (why: string): Reopening => ({ kind: 'kept', why });

/** The id of the next try: `INV-1`, `INV-1-R1`, `INV-1-R2`. The same for every caller. */
export function nextOrderId(orderId: string): string {
  const [, stem = orderId, tries = '0'] = /^(.+)-R([1-9]\d{0,3})$/.exec(orderId) ?? [];
  return `${stem}-R${Number(tries) + 1}`;
}

/** Why an order is cancelled that is sent again under the next id. */
export const sentAgainReason = (orderId: string): string => `sent again as ${nextOrderId(orderId)}`;

const isSentAgain = (entry: OrderView | undefined): boolean =>
  entry?.note?.endsWith(sentAgainReason(entry.orderId)) ?? false;

/** The id of a row's retry, or why it has none. `tried`: the keys of earlier retries, which all ended unpaid. */
export type RetryId =
  | { readonly kind: 'free'; readonly orderId: string; readonly tried: readonly string[] }
  /** The row was retried before, and that order is not proven unpaid. */
  | { readonly kind: 'retried'; readonly orderId: string; readonly standing: Standing }
  /** No order id is that long. */
  | { readonly kind: 'too-long'; readonly orderId: string };

/**
 * The ids under which orders of these keys are asked for once more, by key. A retry that was itself declined or failed has the
 * next number; one that may be paid leaves the row without an id.
 */
export async function retryIds(
  orderKeys: readonly string[],
  { knownOrders }: { readonly knownOrders: KnownOrders },
): Promise<ReadonlyMap<string, RetryId>> {
  const ids = new Map<string, RetryId>();
  let asked = orderKeys.map((key) => ({ key, next: nextKey(key), tried: [] as readonly string[] }));
  while (asked.length > 0) {
    const again: typeof asked = [];
    const found = await knownOrders.read(asked.map(({ next }) => next));
    for (const { key, next, tried } of asked) {
      const { orderId } = namesOfKey(next);
      const { order, unreadable } = found.get(next) ?? {};
      const entry = order && viewOf(order);
      if (!couldBear({ orderId })) ids.set(key, { kind: 'too-long', orderId });
      else if (!entry && !unreadable) ids.set(key, { kind: 'free', orderId, tried });
      else if (entry && isEndedUnpaid(entry)) again.push({ key, next: nextKey(next), tried: [...tried, next] });
      else ids.set(key, { kind: 'retried', orderId, standing: entry?.standing ?? 'unreadable' });
    }
    asked = again;
  }
  return ids;
}

function nextKey(key: string): string {
  const { merchant, orderId } = namesOfKey(key);
  return orderKey({ merchant, orderId: nextOrderId(orderId) });
}
