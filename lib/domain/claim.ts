// The claim's rules: what the first claim of an order puts, and what a claim that finds one already there must do. The
// claim is the only way to a POST, so "paid twice" is prevented on this page or nowhere.
import type { Job } from './job.ts';
import { type LedgerEntry, moved, orderKey } from './ledger.ts';

/** A claim: who asks, for which job, until when. */
export interface ClaimRequest {
  readonly job: Job;
  /** Current key first; an entry made under an older key is recognised by the others. */
  readonly fingerprints: readonly [string, ...string[]];
  readonly owner: string;
  readonly messageId: string;
  readonly nowMs: number;
  readonly leaseMs: number;
}

/** The entry that a first claim puts. */
export function newEntry({ job, fingerprints, owner, messageId, nowMs, leaseMs }: ClaimRequest): LedgerEntry {
  return {
    key: orderKey(job),
    operation: job.operation,
    merchant: job.merchant,
    endpointId: job.endpointId,
    orderId: job.orderId,
    ...(job.money && { money: job.money }),
    ...(job.batchId !== undefined && { batchId: job.batchId }),
    ...(job.context && { context: job.context }),
    fingerprint: fingerprints[0],
    state: 'submitting',
    revision: 1,
    final: false,
    owner,
    messageId,
    leaseUntilMs: nowMs + leaseMs,
    attempts: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    history: [{ state: 'submitting', atMs: nowMs, attempts: 1, reason: 'claimed' }],
  };
}

/** What a claim that finds an entry must do. */
export type ClaimDecision =
  /** The entry is this very claim's: the SDK's own retry made a won claim look lost. */
  | { readonly kind: 'ours' }
  /** Proven never sent, so this claim may take it over by a conditional write. */
  | { readonly kind: 'take-over' }
  /** Somebody is at it; their lease still runs. */
  | { readonly kind: 'busy'; readonly untilMs: number }
  /** Their lease is over: what they sent, nobody knows. */
  | { readonly kind: 'abandoned' }
  /** It stands somewhere that this job can't change; its result is told again. */
  | { readonly kind: 'stands' }
  /** The same order id with other content; the stored order is left alone. */
  | { readonly kind: 'reused' }
  /** Its fingerprint was made under a key that this worker does not have, so nothing can be said of its content. */
  | { readonly kind: 'unreadable' };

/** Decides what a claim that found `entry` must do. */
export function decideClaim(entry: LedgerEntry, request: ClaimRequest): ClaimDecision {
  if (entry.owner === request.owner) return { kind: 'ours' };
  if (!request.fingerprints.includes(entry.fingerprint)) {
    const keyId = keyIdOf(entry.fingerprint);
    return { kind: request.fingerprints.some((it) => keyIdOf(it) === keyId) ? 'reused' : 'unreadable' };
  }
  switch (entry.state) {
    case 'submitting':
      return entry.leaseUntilMs > request.nowMs ? { kind: 'busy', untilMs: entry.leaseUntilMs } : { kind: 'abandoned' };
    case 'retryable':
      return { kind: 'take-over' };
    case 'failed':
      // The end was told. A late copy of the same message only repeats it; a new message (a redrive from the
      // dead-letter queue, the file sent again) is a new request, and safe: nothing was ever sent.
      return { kind: entry.messageId === request.messageId ? 'stands' : 'take-over' };
    case 'in-doubt':
    case 'held':
    case 'accepted':
    case 'approved':
    case 'declined':
    case 'cancelled':
      return { kind: 'stands' };
  }
}

const keyIdOf = (fingerprint: string) => fingerprint.slice(0, fingerprint.indexOf('.'));

/** The entry of a claim that takes over an order which was proven never sent. */
export function takenOver(entry: LedgerEntry, request: ClaimRequest): LedgerEntry {
  const attempts = entry.attempts + 1;
  const next = moved(entry, { state: 'submitting', final: false, attempts, reason: 'claimed', nowMs: request.nowMs });
  const leaseUntilMs = request.nowMs + request.leaseMs;
  return {
    ...next,
    owner: request.owner,
    messageId: request.messageId,
    leaseUntilMs,
  };
}
