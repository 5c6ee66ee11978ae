// A RESULT IS PUBLISHED, and then the mark of its revision goes, which the write that raised the revision has set. Whatever fails on the
// way, the mark stays, and the leader publishes once more under the same id.
import type { Order } from './order/order.ts';
import type { Orders } from './order/orders.ts';
import type { Result } from './message/result.ts';
import type { Results } from './ports.ts';

/** Publishes a result of the order; true when the queue took it. */
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

/** True when the results queue took it. */
export async function tell(result: Result, results: Results): Promise<boolean> {
  const notTaken = await results.send([result]).catch(() => new Set([0]));
  return notTaken.size === 0;
}
