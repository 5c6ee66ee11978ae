// Open work: which orders still have something to happen to them by themselves, and when the sweeper should look if
// nobody else did. The index in the ledger is made of this.
import type { LedgerEntry, Inquiries } from './ledger.ts';
import { sqsMaxDelaySeconds } from './limits.ts';

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
      return { kind: state, atMs: updatedAtMs };
    case 'retryable':
    case 'approved':
    case 'declined':
    case 'failed':
    case 'cancelled':
      return undefined;
  }
}

/** The same entry with its result still to publish, or published. */
export function withMark(entry: LedgerEntry, unpublished: boolean): LedgerEntry {
  const { unpublished: _, ...rest } = entry;
  return unpublished ? { ...rest, unpublished } : rest;
}
