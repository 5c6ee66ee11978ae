// The store of orders, with the promises that every adapter must keep; test/contract holds each to them.
import type { Order } from './order.ts';

/** A restore of the table that the order has not known. */
export interface Gap {
  /** The restore's number: the moment (epoch ms) from which this table was the ledger. */
  readonly number: number;
}

/** The order under a key. */
export type StoredOrder =
  /** `gap`: facts of the order since the restored moment may be lost. */
  | { readonly kind: 'found'; readonly order: Order; readonly gap?: Gap }
  /** An order that newer code wrote, or whose table can't be judged: never sent, ended or rewritten by this code. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** No item is under a key. */
export interface NoOrder {
  readonly kind: 'none';
  /** An order may have been here that a restore has lost: nothing begins here until a person has ended the gap. */
  readonly gap?: Gap;
  /** The table's restore whose gap is ended: an order that begins here begins with this number (`newOrder`). */
  readonly restore?: number;
}

/** The outcome of a read. */
export type ReadOrder = StoredOrder | NoOrder;

/**
 * One item per order; the authority on what was sent. Every write is conditional; nothing is deleted. A call that rejects may or
 * may not have written: callers read again, and find what they added.
 */
export interface Orders {
  /** Reads the latest (consistently). */
  read(key: string): Promise<ReadOrder>;
  /** Writes the first version of an order, for its claim; of any number of concurrent writes exactly one is `written`. */
  put(order: Order): Promise<Written>;
  /**
   * Writes `next` over the version of `before`, which is 0 where there is none (then as {@link put}, with the rights of a
   * write); otherwise answers with the stored order.
   */
  write(before: Order, next: Order): Promise<Written>;
  /**
   * Marks the result of the order's revision as published, or still to be; does nothing where the item has another revision by
   * now.
   */
  mark(order: Order, unpublished: boolean): Promise<void>;
}

/** The outcome of a write; where not `written`, the stored order instead. */
export type Written = { readonly kind: 'written' } | ReadOrder;
