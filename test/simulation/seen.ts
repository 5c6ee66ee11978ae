// An order as the referee sees it: its own view, and the owner of its last attempt. Whether that is true is judged from the
// gateway's book, and never by the rules of the worker.
import { attemptsOf } from '../../lib/payout/order/facts.ts';
import { fold, type Status } from '../../lib/payout/order/fold.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { type OrderView, viewOf } from '../../lib/payout/order/projection.ts';
import type { ResultStatus } from '../../lib/payout/message/result.ts';

/** An order in its present state. */
export interface SeenOrder extends OrderView {
  readonly order: Order;
  /** The status of its result, else what its facts conclude. */
  readonly state: ResultStatus | Status['kind'];
  /** Id of its last attempt, which bears the name of the process that made it; empty where it has none. */
  readonly owner: string;
  /** The time until which the last attempt may be sent; 0 where there is none. */
  readonly leaseUntilMs: number;
}

/** Orders by key. */
export type SeenOrders = Pick<ReadonlyMap<string, SeenOrder>, 'get' | 'has' | 'keys' | 'values' | 'size'>;

const known = new WeakMap<Order, SeenOrder>();

/** The order as it is seen. */
export function seen(order: Order): SeenOrder {
  const before = known.get(order);
  if (before) return before;
  const last = attemptsOf(order.facts).at(-1);
  const view = viewOf(order);
  const state = view.result ?? fold(order.facts).kind;
  const it = { ...view, state, order, owner: last?.id ?? '', leaseUntilMs: last?.leaseUntilMs ?? 0 };
  known.set(order, it);
  return it;
}

/** All orders of the map, in their state at the time of each look. */
export const seenOver = (items: ReadonlyMap<string, Order>): SeenOrders => ({
  get(key) {
    const order = items.get(key);
    return order && seen(order);
  },
  has: (key) => items.has(key),
  keys: () => items.keys(),
  values: () => Array.from(items.values(), seen).values(),
  get size() {
    return items.size;
  },
});
