// Open work: which orders still have something to happen to them by themselves, and when the sweeper should look if
// nobody else did. The index in the ledger is made of this.
import type { LedgerEntry, Inquiries } from './ledger.ts';
import { sqsMaxDelaySeconds } from './limits.ts';

/** What stands still this long after it should have moved on is set moving again by the sweeper. */
const sweepSlackMs = 120_000;
/** Accepted orders are asked about by a chain of messages for so long; the sweeper stays away meanwhile. */
const rapidInquiriesMs = 300_000;

/**
 * The entry after a look that changed nothing but what is known of the gateway's silence. Its result stays the same to
 * the last byte, so the time of its last move does too. Where no message carries the next look, the sweeper does.
 */
export function looked(
  entry: LedgerEntry,
  inquiries: Inquiries,
  next: { readonly nowMs: number; readonly inSeconds: number },
): LedgerEntry {
  const atMs = next.nowMs + next.inSeconds * 1000;
  return { ...entry, inquiries, dueAtMs: next.inSeconds <= sqsMaxDelaySeconds ? atMs + sweepSlackMs : atMs };
}

/** The kinds of open work; the sweeper and the operator's tool look orders up by them. */
export type DueWorkKind = 'submitting' | 'in-doubt' | 'accepted' | 'held' | 'unpublished';

/** Which open work an order is, and since or until when; undefined when nothing is left to do. */
export function openWorkOf(entry: LedgerEntry): { readonly kind: DueWorkKind; readonly atMs: number } | undefined {
  const { state, dueAtMs, updatedAtMs } = entry;
  if (entry.unpublished) return { kind: 'unpublished', atMs: updatedAtMs + sweepSlackMs };
  switch (state) {
    case 'submitting':
      return { kind: state, atMs: entry.leaseUntilMs + sweepSlackMs };
    case 'in-doubt':
      return { kind: state, atMs: dueAtMs ?? updatedAtMs + sweepSlackMs };
    case 'accepted':
      return entry.final ? undefined : { kind: state, atMs: dueAtMs ?? updatedAtMs + rapidInquiriesMs + sweepSlackMs };
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
