// The orders that a file names, and the first row of each.
import { orderKey } from '../payout/order/order.ts';

/** The identity of an order. */
export type OrderIdentity = Parameters<typeof orderKey>[0];

/** The orders that a file names, right or wrong. */
export interface OrdersOfFile {
  /** The first row of the order; undefined, and noted, where it is this one. */
  firstRow(identity: OrderIdentity, row: number): number | undefined;
  /** By the order's key in the ledger. */
  has(orderKey: string): boolean;
}

/** None yet. */
export function ordersOfFile(): OrdersOfFile {
  // Order ids alone under their common part: a million keys of their own would take twice the memory.
  const rowsOf = new Map<string, Map<string, number>>();
  return {
    firstRow(identity, row) {
      const { operation, merchant } = identity;
      const common = orderKey({ operation, merchant, orderId: '' });
      const rows = rowsOf.get(common) ?? new Map<string, number>();
      rowsOf.set(common, rows);
      const first = rows.get(identity.orderId);
      if (first === undefined) rows.set(identity.orderId, row);
      return first;
    },
    has: (key) => [...rowsOf].some(([common, rows]) => key.startsWith(common) && rows.has(key.slice(common.length))),
  };
}
