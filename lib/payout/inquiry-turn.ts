// Whose turn it is: each order has one chain of checks, and the ledger holds its number. A check bears a number; if it is
// not the one that stands, the check is dropped. Before it asks or tells anything it writes the next number with the next
// due time, under condition, and only who has won that write goes on and sends the next check. So however often SQS, the
// sweeper, a callback or a person brings a check, an order has one chain, and what fails is made up for when it is due.
import { type Check, inquiriesOf, looked } from './due-work.ts';
import { stateSinceMs } from './accepted-rhythm.ts';
import { type Inquiries, type LedgerEntry, isAskedAbout } from './ledger.ts';
import { sqsMaxDelaySeconds } from './limits.ts';
import { operations } from '../gateway/operations.ts';
import type { Clock, Ledger } from './ports.ts';

/** What a check may do. */
export type Turn =
  /** It was overtaken, or there is nothing to do: it is dropped. */
  | { readonly kind: 'none' }
  /** Too early: it comes again by the number that stands, so that of a thousand one is left. */
  | { readonly kind: 'later'; readonly inSeconds: number }
  /** The result of the order could not be told yet. */
  | { readonly kind: 'tell' }
  /** The lease is over, and the claim's owner never reported. */
  | { readonly kind: 'worker-lost' }
  | { readonly kind: 'ask' };

/** Whether it is this check's turn. */
export function turnOf(entry: LedgerEntry, check: Check, nowMs: number): Turn {
  if (check.inquiries !== inquiriesOf(entry).count) return { kind: 'none' };
  if (entry.unpublished) return { kind: 'tell' };
  if (entry.state === 'submitting') {
    const leaseMs = entry.leaseUntilMs - nowMs;
    return leaseMs > 0 ? later(leaseMs + 1000) : { kind: 'worker-lost' };
  }
  // `v4/status` knows money alone.
  if (!operations[entry.operation].movesMoney) return { kind: 'none' };
  if (!check.now) return { kind: isAskedAbout(entry) ? 'ask' : 'none' };
  const waitMs = waitOutOfTurnMs(entry, nowMs);
  return waitMs > 0 ? later(waitMs) : { kind: 'ask' };
}

const minuteMs = 60_000;

const later = (ms: number): Turn => ({
  kind: 'later',
  inSeconds: Math.min(Math.ceil(ms / 1000), sqsMaxDelaySeconds),
});

/**
 * Takes the turn: writes the next number and when the one after is due. The entry as it stands then, or undefined where
 * somebody else was first, whose chain goes on. A write whose answer was lost is the sweeper's when it is due.
 */
export async function takeTurn(
  entry: LedgerEntry,
  inquiries: Inquiries,
  inSeconds: number,
  { ledger, clock }: { readonly ledger: Pick<Ledger, 'advance'>; readonly clock: Clock },
): Promise<LedgerEntry | undefined> {
  const next = looked(entry, inquiries, { nowMs: clock.nowMs(), inSeconds });
  const write = await ledger.advance(entry, next);
  return write.kind === 'advanced' ? next : undefined;
}

/**
 * Milliseconds that a look out of turn still has to wait, counted from the last: somebody's reason to ask, repeated a
 * thousand times, must not make a thousand inquiries. A young order is asked about every few seconds anyway.
 */
export function waitOutOfTurnMs(entry: LedgerEntry, nowMs: number): number {
  const sinceMs = stateSinceMs(entry);
  // The gateway's word ended it: that was the last look.
  const isToldEnd = entry.state === 'approved' || entry.state === 'declined';
  const lastMs = entry.inquiries?.askedAtMs ?? (isToldEnd ? sinceMs : 0);
  const apartMs = isAskedAbout(entry) && nowMs - sinceMs < 5 * minuteMs ? 10_000 : 6 * minuteMs;
  return Math.max(0, lastMs + apartMs - nowMs);
}

/** The check that follows; longer delays than SQS takes are the sweeper's. */
export function nextCheck(
  entry: LedgerEntry,
  delaySeconds: number,
): { readonly next?: { readonly check: Check; readonly delaySeconds: number } } {
  if (delaySeconds > sqsMaxDelaySeconds) return {};
  return { next: { check: { orderKey: entry.key, inquiries: inquiriesOf(entry).count }, delaySeconds } };
}

/** The same check once more. */
export const nextLater = (entry: LedgerEntry, { now }: Check, delaySeconds: number) =>
  now ? nextOutOfTurn(entry, delaySeconds) : nextCheck(entry, delaySeconds);

/** Looks out of turn at an order that has ended, until one says something. */
const triesOutOfTurn = 5;

/** False once an order that has ended was looked at in vain too often. */
export const mayLookAgain = (entry: LedgerEntry): boolean => inquiriesOf(entry).count < triesOutOfTurn;

/** The same, of an order that has no chain by itself: somebody had a reason to ask, and it was not answered yet. */
export function nextOutOfTurn(
  entry: LedgerEntry,
  delaySeconds: number,
): { readonly next: { readonly check: Check; readonly delaySeconds: number } } {
  return { next: { check: { orderKey: entry.key, inquiries: inquiriesOf(entry).count, now: true }, delaySeconds } };
}
