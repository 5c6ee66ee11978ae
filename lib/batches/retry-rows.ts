// Which rows of a batch may be asked for once more, and under which order id. Only what is proven unpaid: a second id for a
// payment that may still come would pay it twice.
import { viewOf } from '../payout/order/view.ts';
import type { FailureOf } from '../gateway/failures.ts';
import { couldBear } from '../payout/job.ts';
import { isEndedUnpaid, type KnownOrders } from './known-orders.ts';
import type { RowStanding } from './batch-row.ts';

/** What a row's standing says of a retry. */
export type RetryVerdict =
  | { readonly kind: 'unpaid'; readonly why: FailureOf<string> }
  /** Its order is another batch's, which retries it. */
  | { readonly kind: 'elsewhere' }
  /** Paid, or it may still be: nobody knows, or it goes on by itself. */
  | { readonly kind: 'not-proven'; readonly state: string };

const said = { declined: 'declined by the gateway', failed: 'never sent', cancelled: 'called off before it was sent' };

/** Judges a row; what was called off is asked for again only where `ofCancelled` says so. */
export function retryVerdict(standing: RowStanding, ofCancelled: boolean): RetryVerdict {
  if (standing.kind === 'open') return { kind: 'not-proven', state: standing.state };
  const { end, elsewhere, entry, inDoubt } = standing;
  const isUnpaid = end === 'declined' || end === 'failed' || (end === 'cancelled' && ofCancelled);
  if (!isUnpaid || inDoubt) return { kind: 'not-proven', state: end };
  if (elsewhere) return { kind: 'elsewhere' };
  const failure = standing.failure ?? entry?.failure;
  return { kind: 'unpaid', why: failure ?? { code: end.toUpperCase(), message: said[end] } };
}

/** The id of the next try: `INV-1`, `INV-1-R1`, `INV-1-R2`. The same for whoever asks. */
export function nextOrderId(orderId: string): string {
  const [, stem = orderId, tries = '0'] = /^(.+)-R([1-9]\d{0,3})$/.exec(orderId) ?? [];
  return `${stem}-R${Number(tries) + 1}`;
}

/** The id of a row's retry, or why it has none. */
export type RetryId =
  | { readonly kind: 'free'; readonly orderId: string }
  /** It was retried before, and that order is not proven unpaid. */
  | { readonly kind: 'retried'; readonly orderId: string; readonly state: string }
  /** No order id is that long. */
  | { readonly kind: 'too-long'; readonly orderId: string };

const keysAtOnce = 100;

/**
 * The ids under which orders of these keys are asked for once more, by key. A retry that was itself declined or failed has the
 * next number; one that may be paid leaves the row without an id.
 */
export async function retryIds(
  orderKeys: readonly string[],
  { knownOrders }: { readonly knownOrders: KnownOrders },
): Promise<ReadonlyMap<string, RetryId>> {
  const ids = new Map<string, RetryId>();
  let asked = orderKeys.map((key) => ({ key, next: nextKey(key) }));
  while (asked.length > 0) {
    const again: typeof asked = [];
    for (let from = 0; from < asked.length; from += keysAtOnce) {
      const some = asked.slice(from, from + keysAtOnce);
      const found = await knownOrders.read(some.map(({ next }) => next));
      for (const { key, next } of some) {
        const orderId = next.slice(next.indexOf('/') + 1);
        const { order, unreadable } = found.get(next) ?? {};
        const entry = order && viewOf(order);
        if (!couldBear({ orderId })) ids.set(key, { kind: 'too-long', orderId });
        else if (!entry && !unreadable) ids.set(key, { kind: 'free', orderId });
        else if (entry && isEndedUnpaid(entry)) again.push({ key, next: nextKey(next) });
        else ids.set(key, { kind: 'retried', orderId, state: entry?.state ?? 'unreadable' });
      }
    }
    asked = again;
  }
  return ids;
}

function nextKey(orderKey: string): string {
  const slash = orderKey.indexOf('/');
  return `${orderKey.slice(0, slash)}/${nextOrderId(orderKey.slice(slash + 1))}`;
}
