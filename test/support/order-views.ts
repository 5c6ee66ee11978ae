// Orders as people see them, over a map of orders: for stories that look inside.
import type { Order } from '../../lib/payout/order/order.ts';
import { type OrderView, viewOf } from '../../lib/payout/order/projection.ts';

/** The views of all orders of the map, in their state at the time of each look. */
export function viewsOver(orders: ReadonlyMap<string, Order>): ReadonlyMap<string, OrderView> {
  const all = () => new Map([...orders].map(([key, order]) => [key, viewOf(order)]));
  return {
    get: (key) => {
      const order = orders.get(key);
      return order && viewOf(order);
    },
    has: (key) => orders.has(key),
    get size() {
      return orders.size;
    },
    forEach: (each) => all().forEach(each),
    entries: () => all().entries(),
    keys: () => all().keys(),
    values: () => all().values(),
    [Symbol.iterator]: () => all()[Symbol.iterator](),
  };
}
