// The sweeper's ports besides ports.ts: the index of open work, the queues that are measured, rounds.
import type { Measured, OpenWorkKind } from '../order/open-work.ts';
import type { Order } from '../order/order.ts';
import type { StoredOrder } from '../order/orders.ts';
import type { MetricValues } from '../ports.ts';

/** The index of work that is left to do. It may lag behind the ledger: a reader acts on it by a conditional write. */
export interface DueWork {
  /**
   * Open orders of a kind with their time before `beforeMs`, the earliest first. Those that this version can't read are
   * left to newer code, and reported by their keys: they must not be taken for orders that are not there.
   */
  dueWork(kind: OpenWorkKind, beforeMs: number, which?: DueWorkChoice): AsyncIterable<Order>;
  /** Makes the order due at `toMs` if it is still due at `fromMs`; false otherwise. The moment is no fact, so the version stays. */
  move(key: string, fromMs: number, toMs: number): Promise<boolean>;
  /**
   * The sums of the open orders of a kind, however many there are. The index holds them, so no order is read. Orders that newer code wrote
   * are reported by their keys.
   */
  measured(kind: MeasuredKind, which?: Pick<DueWorkChoice, 'onUnreadable'>): AsyncIterable<MeasuredOrder>;
}

/** The kinds whose orders may be in doubt, held or overdue. */
export type MeasuredKind = Exclude<OpenWorkKind, 'submitting' | 'accepted'>;

/** True for a kind whose orders may be in doubt, held or overdue. */
export const isMeasured = (kind: OpenWorkKind): kind is MeasuredKind => kind !== 'submitting' && kind !== 'accepted';

/** An order that is in doubt, held or overdue. */
export interface MeasuredOrder extends Measured {
  readonly merchant: string;
}

/** The part of the index that is read; by default all of it. */
export interface DueWorkChoice {
  /** Called with an open order that this version of the worker can't read. */
  readonly onUnreadable?: (orderKey: string) => void;
  /** Only those that are due since then. */
  readonly sinceMs?: number;
}

/** All orders of the ledger or of a merchant, some at a time; reads all of it either way. */
export interface AllOrders {
  scan(merchant?: string): AsyncIterable<readonly StoredOrder[]>;
}

/**
 * A round that a feature adds to the sweep. It stops early at its deadline; the rest is the next sweep's. Rounds run in their order, after
 * doubt was measured: a round can wait for the next minute. The figures of a round are published. A round that rejects makes the sweep
 * fail, after the others have run.
 */
export type SweepRound = (deadlineMs: number) => Promise<MetricValues['values']>;
