// The mark in the order's item that the result of its revision is published, or still to be; written where it is not right already.
import { errorFields } from '../log-fields.ts';
import type { Log } from '../ports.ts';
import type { Order } from './order.ts';
import type { Orders } from './orders.ts';

/** False where the store does not answer. */
export async function keepMark(
  order: Order | undefined,
  isPublished: boolean,
  { orders, log }: { readonly orders: Pick<Orders, 'mark'>; readonly log: Log },
): Promise<boolean> {
  if (!order || isPublished !== (order.unpublished ?? false)) return true;
  try {
    await orders.mark(order, !isPublished);
    return true;
  } catch (error) {
    log.write('error', 'mark-failed', { merchant: order.merchant, orderId: order.orderId, ...errorFields(error) });
    return false;
  }
}
