// Readers that count orders (batches do) must hear of every order that changes after its end. An order that leaves an end is
// announced before it is written, so that no death between the two loses the change: an announced change that never came is
// merely looked for. An order that moves by itself (still open, still asked about) needs no announcement.
import type { Order } from './order.ts';
import type { Orders } from './orders.ts';
import { viewOf } from './projection.ts';

/** An order that is about to leave an end, as its next revision. */
export interface OrderChange {
  readonly orderKey: string;
  readonly revision: number;
  /** The batch that the order bears. */
  readonly batchId?: string;
}

/** The revision of an order's first result. */
export const firstRevision = 1;

/** The announcer of changes. */
export interface ChangeAnnouncing {
  /** Before the order's own write; it may be repeated, and may never be followed by that write. */
  announce(change: OrderChange): Promise<void>;
}

/** Orders whose moves out of an end or out of a person's hands are announced. While that can't be, they fail. */
export function announcingOrders(orders: Orders, changes: ChangeAnnouncing): Orders {
  return {
    ...orders,
    async write(before, next) {
      if (leavesAnEnd(before, next)) {
        const { key, content, published } = before;
        const { batchId } = content ?? {};
        // The next result has this revision, should this write bring none of its own: a claim opens an end, and its answer is published.
        const revision = published.revision + 1;
        await changes.announce({ orderKey: key, revision, ...(batchId !== undefined && { batchId }) });
      }
      return orders.write(before, next);
    },
  };
}

function leavesAnEnd(before: Order, next: Order): boolean {
  const { final, state } = viewOf(before);
  if (!final && state !== 'held') return false;
  return next.published.revision > before.published.revision || viewOf(next).state !== state;
}
