// What asking after orders needs from the world besides ports.ts: the index of open work, the checks queue.
import type { LedgerEntry } from './ledger.ts';
import type { DueWorkKind } from './due-work.ts';
import type { FoundEntry, NotTaken } from './ports.ts';

/** The index of work that is left to do. It may lag behind the ledger: whoever acts on it goes by a conditional write. */
export interface DueWork {
  /**
   * Open orders of a kind with their time before `beforeMs`, the earliest first. Those that this version can't read are
   * left to newer code, and told of by their keys: nobody may take them for orders that are not there.
   */
  dueWork(kind: DueWorkKind, beforeMs: number, onUnreadable?: OnUnreadable): AsyncIterable<LedgerEntry>;
}

/** Hears of an open order that this version of the worker can't read. */
export type OnUnreadable = (orderKey: string) => void;

/** A look at one order at the gateway, still to be made. */
export interface Check {
  readonly orderKey: string;
  /** Its number: checks counted in the ledger when this one was sent. Where another stands by then it is dropped. */
  readonly inquiries: number;
  /** Somebody has a reason to ask now (a callback, an operator): asked whatever the state. */
  readonly now?: true;
  /**
   * The gateway's callback that is the reason; it came without looking into the ledger, so its number only counts
   * how often it was weighed. */
  readonly callback?: Readonly<Record<string, string>>;
}

/** The checks queue. At most ten a call; losing every one of its messages only delays (the sweeper finds the orders). */
export interface ChecksQueue {
  send(checks: readonly { readonly check: Check; readonly delaySeconds: number }[]): Promise<NotTaken>;
}

/** How full the queues are, messages that somebody works on included. */
export interface QueueDepths {
  measure(): Promise<Readonly<Partial<Record<'jobsDepth' | 'checksDepth' | 'deadLettersDepth', number>>>>;
}

/** A callback as it came in. */
export interface IncomingCallback {
  readonly merchant: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** All orders of the ledger, some at a time; reads all of it, whatever is asked for. */
export interface AllOrders {
  scan(only: {
    readonly merchant?: string;
    /** Those whose last move was then or later. */
    readonly sinceMs?: number;
  }): AsyncIterable<readonly FoundEntry[]>;
}
