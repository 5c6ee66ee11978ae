// Open work: which orders still have something to happen to them by themselves, and when the sweeper should look if
// nobody else did. The index in the ledger is made of this.
import { type Inquiries, isNeverSent, type LedgerEntry } from './ledger.ts';
import { isRefusedPost, isValidated } from './order-history.ts';
import { type Limits, sqsMaxDelaySeconds } from './limits.ts';
import type { FoundEntry, NotTaken, MetricValues } from './ports.ts';

/** Before anybody asked. */
export const noInquiries: Inquiries = { count: 0, negatives: 0 };

/** The order's checks so far. */
export const inquiriesOf = (entry: LedgerEntry): Inquiries => entry.inquiries ?? noInquiries;

/** What stands still this long after it should have moved on is set moving again by the sweeper. */
const sweepSlackMs = 120_000;

/**
 * The entry after a look that changed nothing but what is known of the gateway's silence. Its result stays the same to
 * the last byte, so the time of its last move does too. Where no message carries the next look, the sweeper does.
 */
export function looked(
  entry: LedgerEntry,
  inquiries: Inquiries,
  next: { readonly nowMs: number; readonly inSeconds: number },
): LedgerEntry {
  const { dueAtMs: _, ...rest } = entry;
  // The sweeper has nothing to do with an order that has ended or waits for a person, unless its result is untold.
  if (!entry.unpublished && !isMovedBySweeper(entry)) return { ...rest, inquiries };
  const atMs = next.nowMs + next.inSeconds * 1000;
  return { ...rest, inquiries, dueAtMs: next.inSeconds <= sqsMaxDelaySeconds ? atMs + sweepSlackMs : atMs };
}

const isMovedBySweeper = ({ state, final }: LedgerEntry) =>
  state === 'submitting' || state === 'in-doubt' || (state === 'accepted' && !final);

/**
 * True for a card key that must go: its order was claimed, and nobody will take it any more. A claim that died before it took
 * its key keeps it until its lease is over; a key of an order that may be claimed anew waits for that claim.
 */
export function outlivesItsClaim(entry: LedgerEntry, nowMs: number): boolean {
  return entry.state === 'submitting' ? entry.leaseUntilMs <= nowMs : !isNeverSent(entry);
}

/** The kinds of open work; the sweeper and the operator's tool look orders up by them. */
export type DueWorkKind = 'submitting' | 'in-doubt' | 'accepted' | 'overdue' | 'held' | 'unpublished';

/** Which open work an order is, and since or until when; undefined when nothing is left to do. */
export function openWorkOf(entry: LedgerEntry): { readonly kind: DueWorkKind; readonly atMs: number } | undefined {
  const { state, dueAtMs, updatedAtMs } = entry;
  if (entry.unpublished) return { kind: 'unpublished', atMs: dueAtMs ?? updatedAtMs + sweepSlackMs };
  switch (state) {
    case 'submitting':
      return { kind: state, atMs: dueAtMs ?? entry.leaseUntilMs + sweepSlackMs };
    case 'in-doubt':
      return { kind: state, atMs: dueAtMs ?? updatedAtMs + sweepSlackMs };
    case 'accepted':
      if (entry.final) return undefined;
      return { kind: entry.overdue ? 'overdue' : state, atMs: dueAtMs ?? updatedAtMs + sweepSlackMs };
    case 'held':
      return isValidated(entry) ? undefined : { kind: state, atMs: updatedAtMs };
    case 'retryable':
    case 'approved':
    case 'declined':
    case 'failed':
    case 'cancelled':
      return undefined;
  }
}

/** In so long the gateway sees two POSTs of an order at most, as times the longest wait of a copy: an hour as shipped. */
const restTimes = 4;

/**
 * Until when an order rests whose last two POSTs the gateway refused unprocessed, however the lane stands; 0 where it may
 * go. A claim under which two left counts for both.
 */
export function restsUntilMs(
  { state, history }: Pick<LedgerEntry, 'state' | 'history'>,
  { retryMaxDelaySeconds }: Pick<Limits, 'retryMaxDelaySeconds'>,
): number {
  const [before, last] = [undefined, undefined, ...history.filter(isRefusedPost)].slice(-2);
  if (state !== 'retryable' || !last) return 0;
  const claim = history[history.indexOf(last) - 1];
  const isTwice = claim?.state === 'submitting' && claim.attempts < last.attempts;
  const sinceMs = isTwice ? last.atMs : before?.atMs;
  return sinceMs === undefined ? 0 : sinceMs + retryMaxDelaySeconds * restTimes * 1000;
}

/** More than the writes of any order; and how far apart two restores are at least. */
export const revisionsApart = 2_000;
const restoresApartMs = 600_000;

/** Revisions of a table that was restored at this time are above this. */
export const revisionsFrom = (atMs: number): number =>
  revisionsApart * Math.max(Math.ceil((atMs - Date.UTC(2026, 0)) / restoresApartMs), 1);

/**
 * The next revision where a table may have forgotten what was told of an order: above all that was told in the gap, and, as
 * it goes by time, above what was told after another restore that this one has forgotten.
 */
export function afterForgotten(revision: number, atMs: number): number {
  const from = revisionsFrom(atMs);
  return revision < from ? from + (revision % revisionsApart) : revision + 100;
}

/** The same entry with its result still to publish, or published. */
export function withMark(entry: LedgerEntry, unpublished: boolean): LedgerEntry {
  const { unpublished: _, ...rest } = entry;
  return unpublished ? { ...rest, unpublished } : rest;
}

// What asking after orders needs from the world besides ports.ts: the index of open work, the checks queue.

/** The index of work that is left to do. It may lag behind the ledger: whoever acts on it goes by a conditional write. */
export interface DueWork {
  /**
   * Open orders of a kind with their time before `beforeMs`, the earliest first. Those that this version can't read are
   * left to newer code, and told of by their keys: nobody may take them for orders that are not there.
   */
  dueWork(kind: DueWorkKind, beforeMs: number, which?: DueWorkChoice): AsyncIterable<LedgerEntry>;
}

/** What of the index is read; by default all of it. */
export interface DueWorkChoice {
  /** Hears of an open order that this version of the worker can't read. */
  readonly onUnreadable?: (orderKey: string) => void;
  readonly part?: SweepPart;
}

/** One of so many parts of the index, counted from 0: each open order is in exactly one of them. */
export interface SweepPart {
  readonly part: number;
  readonly of: number;
}

/** All of it. */
export const wholeIndex: SweepPart = { part: 0, of: 1 };

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

/** The queues that are measured, by the name of the figure. */
export type QueueDepthName = 'jobsDepth' | 'batchJobsDepth' | 'checksDepth' | 'deadLettersDepth';

/** How full the queues are, messages that somebody works on included. */
export interface QueueDepths {
  measure(): Promise<Readonly<Partial<Record<QueueDepthName, number>>>>;
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

/**
 * A round that a feature adds to the sweep. Rounds run in their order, last of all: they can wait for the next minute,
 * doubt can't wait to be measured. What a round counts is published; one that rejects ends the sweep, and the next one
 * begins anew.
 */
export interface SweepRound {
  readonly name: string;
  /** Stops early at `deadlineMs`; what is left is the next sweep's. */
  run(deadlineMs: number): Promise<MetricValues['values']>;
}
