// The store of orders, with the promises that every adapter must keep; test/contract holds each to them.
import type { Restored } from './restored.ts';
import type { Order } from './order.ts';

/** The order under a key. */
export type StoredOrder =
  | { readonly kind: 'found'; readonly order: Order }
  /** An order that newer code wrote, or whose table can't be judged: never sent, ended or rewritten by this code. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** The outcome of a read. */
export type ReadOrder = StoredOrder | { readonly kind: 'none' };

/**
 * One item per order; the authority on what was sent. Every write is conditional; nothing is deleted. A call that rejects may or
 * may not have written: callers read again, and find what they added.
 */
export interface Orders {
  /** Reads the latest (consistently). */
  read(key: string): Promise<ReadOrder>;
  /**
   * Writes `next` if the stored version is still that of `before`; 0: nothing is stored. Of any number of concurrent writes exactly one is
   * `written`; the others get the stored order.
   */
  write(before: Order, next: Order): Promise<Written>;
  /** Clears the mark of the order's revision, whose result is published. Does nothing if the item has another revision by now. */
  markPublished(order: Order): Promise<void>;
  /** The last restore of the table, which every writer of a new order asks for; as known to this process, without a read. */
  restored(): Promise<Restored | undefined>;
}

/** The outcome of a write; if not `written`, the stored order instead. */
export type Written = { readonly kind: 'written' } | ReadOrder;
