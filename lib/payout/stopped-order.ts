// What becomes of a job that a gate has stopped, and of its order. The ledger goes first: an order that was sent, or may
// have been, is told as it stands; only one that is proven never sent is ended by a verdict.
import {
  type ClaimDecision,
  type ClaimRequest,
  decideClaim,
  messagesBefore,
  takenOver,
  wasClaimedBy,
} from './claim.ts';
import { keyIdOf } from './fingerprint.ts';
import type { StopVerdict } from './gates.ts';
import { type LedgerEntry, moved, waitsForCardData } from './ledger.ts';
import { isValidated, mayHaveBeenSent } from './order-history.ts';

/** What is to be done. */
export type Stopped =
  /** The order is none of its business: the verdict is about the message alone. */
  | { readonly kind: 'message' }
  /** The verdict ends the order. */
  | { readonly kind: 'end'; readonly next: LedgerEntry }
  /** It stands, and is told again. */
  | { readonly kind: 'stands'; readonly entry: LedgerEntry }
  | Exclude<ClaimDecision, { kind: 'ours' | 'take-over' | 'stands' }>;

/** Decides it, for an order that is in the ledger. */
export function decideStopped(entry: LedgerEntry, request: ClaimRequest, verdict: StopVerdict): Stopped {
  const decision = decideUnopened(entry, request);
  switch (decision.kind) {
    case 'busy':
    case 'abandoned':
    case 'reused':
    case 'unreadable':
      return decision;
    case 'ours':
    case 'stands':
      return { kind: 'stands', entry };
    case 'take-over':
      return neverSent(entry, request, verdict);
  }
}

/** A claim could take it over: proven never processed. Sent it may have been all the same, and denied since. */
function neverSent(entry: LedgerEntry, request: ClaimRequest, verdict: StopVerdict): Stopped {
  if (verdict.kind === 'wait') return { kind: 'message' };
  if (mayHaveBeenSent(entry) && !isValidated(entry)) {
    if (entry.state !== 'retryable') return { kind: 'stands', entry };
    const failure = entry.failure ?? (verdict.kind === 'refuse' ? verdict.failure : undefined);
    return failure ? { kind: 'end', next: failed(entry, failure, request) } : { kind: 'stands', entry };
  }
  if (verdict.kind === 'cancel') return { kind: 'end', next: takenOver(entry, { ...request, callOff: true }) };
  // Ended for this very reason, for this very message, or untold as yet: the order itself is told.
  if (entry.state === 'failed' && isItsOwn(entry, request, verdict.failure.code)) return { kind: 'stands', entry };
  // It ended otherwise, or it waits for other card data: a message that can't be taken changes neither.
  if (entry.state !== 'retryable') return { kind: 'message' };
  return { kind: 'end', next: failed(entry, verdict.failure, request) };
}

const isItsOwn = (entry: LedgerEntry, { messageId }: ClaimRequest, code: string): boolean =>
  entry.failure?.code === code || entry.unpublished === true || wasClaimedBy(entry, messageId);

/**
 * The owner stays: should its answer come late and say that the gateway took the order, it can still be written. So do the
 * messages that had claimed it: forgotten, one that waits would count as a new request, and pay what was told as failed.
 */
function failed(
  entry: LedgerEntry,
  failure: NonNullable<LedgerEntry['failure']>,
  { nowMs, messageId }: ClaimRequest,
): LedgerEntry {
  const ended = moved(entry, { state: 'failed', final: true, reason: failure.code, nowMs, failure });
  return { ...ended, messageId, ...messagesBefore(entry, messageId) };
}

/** As {@link decideClaim}, for a job whose seal may still be closed: what it holds can't be compared. */
export function decideUnopened(entry: LedgerEntry, request: ClaimRequest): ClaimDecision {
  const { job, fingerprints } = request;
  if (job.sealedParams === undefined) return decideClaim(entry, request);
  // Whether it was sealed anew, under the key that lies beside the order, only the worker sees: then it is sent.
  if (waitsForCardData(entry) && entry.cardKeyId !== undefined) return { kind: 'take-over' };
  return decideClaim(entry, {
    ...request,
    fingerprints: isVisiblyOf(entry, request) ? [entry.fingerprint] : fingerprints,
  });
}

/**
 * True for a sealed job whose open part is the order's. What it holds under its seal is taken for the order's own; should
 * it be other content, the claim refuses it.
 */
function isVisiblyOf(entry: LedgerEntry, { job, fingerprints }: ClaimRequest): boolean {
  const { operation, endpointId, money } = job;
  return (
    fingerprints.some((it) => keyIdOf(it) === keyIdOf(entry.fingerprint)) &&
    entry.operation === operation &&
    entry.endpointId === endpointId &&
    entry.money?.currency === money?.currency &&
    entry.money?.minorUnits === money?.minorUnits
  );
}
