// The index of batches in memory, for tests: the contract of the DynamoDB one, proven by the same suite.
import type { BatchIndex } from '../../lib/batches/batch-payouts.ts';
import type { KnownOrders } from '../../lib/batches/known-orders.ts';
import { attemptsOf } from '../../lib/payout/order/facts.ts';
import { fold } from '../../lib/payout/order/fold.ts';
import { batchEntryOf } from '../../lib/payout/order/batch-entry.ts';
import type { Order } from '../../lib/payout/order/order.ts';

/** The index over a map of orders; `shown`: each as it was when the index saw it last. */
export function createMemoryBatchIndex(
  orders: ReadonlyMap<string, Order>,
  shown: (order: Order) => Order | undefined = (order) => order,
): BatchIndex {
  return {
    async *entries(batchId) {
      for (const [orderKey, now] of orders) {
        const order = shown(now);
        const entry = order && !isClaimed(order) && batchEntryOf(order, 0);
        if (entry && entry.partition === `${batchId}#0`) yield { orderKey, text: entry.text };
      }
    },
  };
}

/** A claim is shown by the write after it, unless it opens an end. */
const isClaimed = ({ facts }: Order): boolean =>
  fold(facts).kind === 'sending' && attemptsOf(facts).at(-1)?.reopens === undefined;

/** Orders by their keys over the same map. */
export const createMemoryKnownOrders = (orders: ReadonlyMap<string, Order>): KnownOrders => ({
  async read(keys) {
    return new Map(
      keys.flatMap((key) => {
        const order = orders.get(key);
        return order ? [[key, { order }]] : [];
      }),
    );
  },
});

/** A map of orders that remembers, so that an index over it can lag. */
export function rememberedOrders(
  nowMs: () => number,
  lagMs: number,
): { readonly items: Map<string, Order>; readonly shown: (order: Order) => Order | undefined } {
  const written = new Map<string, { readonly atMs: number; readonly order: Order }[]>();
  const items = new (class extends Map<string, Order> {
    override set(key: string, order: Order): this {
      if (lagMs > 0) written.set(key, [...(written.get(key) ?? []), { atMs: nowMs(), order }]);
      return super.set(key, order);
    }
  })();
  const shown = (order: Order) =>
    lagMs === 0 ? order : written.get(order.key)?.findLast(({ atMs }) => atMs <= nowMs() - lagMs)?.order;
  return { items, shown };
}
