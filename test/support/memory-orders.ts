// Orders in memory, for tests and benchmarks: the contract of the DynamoDB ones, proven by the same suite.
import { isDeepStrictEqual } from 'node:util';
import type { Orders, StoredOrder } from '../../lib/payout/order/orders.ts';
import { measuredOf, openWorkOf } from '../../lib/payout/order/open-work.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { DueWork } from '../../lib/payout/inquire/due-work.ts';

/** Concluded once of each order: as in DynamoDB, whose index has what the write put there. */
function once<Conclusion>(conclude: (order: Order) => Conclusion): (order: Order) => Conclusion {
  const known = new WeakMap<Order, { readonly conclusion: Conclusion }>();
  return (order) => {
    const found = known.get(order) ?? { conclusion: conclude(order) };
    known.set(order, found);
    return found.conclusion;
  };
}
const workOf = once(openWorkOf);
const measuresOf = once(measuredOf);

/** DynamoDB writes differences alone: what `before` has already, though the item has it not, would never be stored. */
function isAsRead(before: Order, standing: Order): boolean {
  return before === standing || isDeepStrictEqual({ ...before, dueAtMs: 0 }, { ...standing, dueAtMs: 0 });
}

/** Orders over a map, which may be shared to look inside, or to outlive a "restart". */
export function createMemoryOrders(orders: Map<string, Order> = new Map()): Orders & DueWork {
  const found = (order: Order): StoredOrder => ({ kind: 'found', order });
  return {
    async read(key) {
      const order = orders.get(key);
      return order ? found(order) : { kind: 'none' };
    },
    async write(before, next) {
      const standing = orders.get(before.key);
      if (!standing && before.version > 0) throw new Error('there is no such order');
      if (standing && standing.version !== before.version) return found(standing);
      if (next.version <= before.version) throw new RangeError('a write raises the version');
      if (standing && !isAsRead(before, standing)) throw new Error('a write begins from the order as it was read');
      orders.set(next.key, next);
      return { kind: 'written' };
    },
    restored: async () => undefined,
    async markPublished(order) {
      const standing = orders.get(order.key);
      if (!standing?.unpublished || standing.published.revision !== order.published.revision) return;
      const { unpublished: _, ...rest } = standing;
      orders.set(order.key, { ...rest, version: standing.version + 1 });
    },
    async move(key, fromMs, toMs) {
      const standing = orders.get(key);
      if (!standing || workOf(standing)?.atMs !== fromMs) return false;
      orders.set(key, { ...standing, dueAtMs: toMs });
      return true;
    },
    async *dueWork(kind, beforeMs, { sinceMs = 0 } = {}) {
      const open: { order: Order; atMs: number }[] = [];
      for (const order of orders.values()) {
        const work = workOf(order);
        if (work?.kind === kind && work.atMs < beforeMs && work.atMs >= sinceMs) open.push({ order, atMs: work.atMs });
      }
      for (const { order } of open.toSorted((a, b) => a.atMs - b.atMs)) yield order;
    },
    async *measured(kind) {
      for (const order of orders.values()) {
        const measured = workOf(order)?.kind === kind ? measuresOf(order) : undefined;
        if (measured) yield { ...measured, merchant: order.merchant };
      }
    },
  };
}
