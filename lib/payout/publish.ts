// Publishing a result: the results queue takes it, then the mark goes that the write of its revision has set. If anything fails on the way,
// the mark stays, and the leader publishes again under the same result id.
import type { Order } from './order/order.ts';
import type { Orders } from './order/orders.ts';
import type { Result } from './message/result.ts';
import type { Results } from './ports.ts';

/** Publishes a result, and clears the mark if it is the order's last revision. True if the queue took the result. */
export async function publish(
  result: Result,
  order: Order | undefined,
  take: (result: Result) => Promise<boolean>,
  { orders }: { readonly orders: Pick<Orders, 'markPublished'> },
): Promise<boolean> {
  if (!(await take(result))) return false;
  const isMarked = order?.unpublished && result.resultId === `${order.key}/${order.published.revision}`;
  if (isMarked) await orders.markPublished(order).catch(() => {});
  return true;
}

/** True if the results queue took it. Never rejects. */
export async function sendResult(result: Result, results: Results): Promise<boolean> {
  const notTaken = await results.send([result]).catch(() => new Set([0]));
  return notTaken.size === 0;
}
