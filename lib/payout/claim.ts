// The claim's rules: what the first claim of an order puts, and what a claim that finds one already there must do. The
// claim is the only way to a POST, so "paid twice" is prevented on this page or nowhere.
import { comparedWith, decideSteps, namedByPayment, stepWaitMs, unknownContent } from './fingerprint.ts';
import type { Job } from './job.ts';
import { type LedgerEntry, moved, orderKey, waitsForCardData } from './ledger.ts';

/** A claim: who asks, for which job, until when. */
export interface ClaimRequest {
  readonly job: Job;
  /** Current key first; an entry made under an older key is recognised by the others. */
  readonly fingerprints: readonly [string, ...string[]];
  readonly owner: string;
  readonly messageId: string;
  /** When the message was first sent; absent where it is not on any queue yet (a plan). */
  readonly sentAtMs?: number;
  /** The account that the order is to be sent to (gateway/signed-request.ts); absent where nothing is sent. */
  readonly account?: string;
  readonly nowMs: number;
  readonly leaseMs: number;
  /** Ends the order as cancelled instead, where it was not sent yet. */
  readonly callOff?: boolean;
}

/** The entry that a first claim puts. */
export function newEntry(request: ClaimRequest): LedgerEntry {
  const { job, fingerprints, owner, messageId, nowMs, leaseMs, callOff } = request;
  const state = callOff ? 'cancelled' : 'submitting';
  const attempts = callOff ? 0 : 1;
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
    state,
    revision: 1,
    final: callOff ?? false,
    owner,
    messageId,
    ...sentWith(request),
    leaseUntilMs: nowMs + leaseMs,
    attempts,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    history: [{ state, atMs: nowMs, attempts, reason: callOff ? 'called-off' : 'claimed' }],
  };
}

function sentWith({ account, sentAtMs, callOff }: ClaimRequest): Pick<LedgerEntry, 'account' | 'sentAtMs'> {
  return {
    ...(account !== undefined && !callOff && { account }),
    ...(sentAtMs !== undefined && { sentAtMs }),
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
  // Cancelled before its content was known, or adopted after a restore (restored-ledger.ts): it is told, and never sent.
  if (entry.fingerprint === unknownContent) return { kind: 'stands' };
  const content = comparedWith(entry.fingerprint, request.fingerprints);
  if (content === 'other') return { kind: 'reused' };
  // What was called off is not sent, whatever its content.
  if (content === 'unknown key') return { kind: entry.state === 'cancelled' ? 'stands' : 'unreadable' };
  const ofSteps = decideSteps(entry, request);
  if (ofSteps) return { kind: ofSteps, untilMs: request.nowMs + stepWaitMs };
  switch (entry.state) {
    case 'submitting':
      return entry.leaseUntilMs > request.nowMs ? { kind: 'busy', untilMs: entry.leaseUntilMs } : { kind: 'abandoned' };
    case 'retryable':
      return { kind: 'take-over' };
    case 'failed':
      return { kind: isNewRequest(entry, request) ? 'take-over' : 'stands' };
    case 'held':
      return { kind: bringsNewCardData(request.job, entry) ? 'take-over' : 'stands' };
    case 'in-doubt':
    case 'accepted':
    case 'approved':
    case 'declined':
    case 'cancelled':
      return { kind: 'stands' };
  }
}

/**
 * The end was told, and only a message that was sent after it is a new request: the file sent again, or a dead letter that
 * somebody brought back, which SQS gives a new id and time. Every copy of a message that was there before only repeats the
 * end, however late it comes: who released the order as not paid may have paid it by other means. Messages of one call to
 * SQS bear one time, so one that was sent with the last claimed one, and never claimed, counts as a request of its own.
 */
function isNewRequest(entry: LedgerEntry, { messageId, sentAtMs }: ClaimRequest): boolean {
  if (wasClaimedBy(entry, messageId)) return false;
  if (sentAtMs === undefined || entry.sentAtMs === undefined) return true;
  return sentAtMs >= entry.updatedAtMs || sentAtMs === entry.sentAtMs;
}

/** True for a message whose claim the ledger remembers. */
export function wasClaimedBy({ messageId, earlierMessages }: LedgerEntry, message: string): boolean {
  return messageId === message || (earlierMessages?.includes(digestOf(message)) ?? false);
}

/** Messages that claimed it before, by the ends of their ids; of the others their time says that they are older. */
const earlierMessagesKept = 8;

const digestOf = (messageId: string) => messageId.slice(-12);

/** Never sent for want of card data, and this job's was sealed anew: under the key that was deposited since. */
function bringsNewCardData({ sealedCode }: Job, entry: LedgerEntry): boolean {
  return waitsForCardData(entry) && sealedCode !== undefined && sealedCode.keyId === entry.cardKeyId;
}

/** The entry of a claim that takes over an order which was proven never sent, or calls it off. */
export function takenOver(entry: LedgerEntry, request: ClaimRequest): LedgerEntry {
  const { nowMs, owner, messageId } = request;
  if (request.callOff) {
    const cancelled = moved(entry, { state: 'cancelled', final: true, reason: 'called-off', nowMs });
    return { ...cancelled, owner, messageId };
  }
  const attempts = entry.attempts + 1;
  const { sentAtMs: _before, ...next } = moved(entry, {
    state: 'submitting',
    final: false,
    attempts,
    reason: 'claimed',
    nowMs,
  });
  const leaseUntilMs = nowMs + request.leaseMs;
  const named = namedByPayment(entry, request.job);
  return {
    ...next,
    ...named,
    owner,
    messageId,
    ...sentWith(request),
    ...messagesBefore(entry, messageId),
    leaseUntilMs,
  };
}

/** The messages that claimed it before this one took it up: whatever ends it now, they only repeat that. */
export function messagesBefore(entry: LedgerEntry, messageId: string): Pick<LedgerEntry, 'earlierMessages'> {
  const { earlierMessages = [] } = entry;
  if (entry.messageId === messageId || entry.messageId === '')
    return earlierMessages.length > 0 ? { earlierMessages } : {};
  return { earlierMessages: [...earlierMessages, digestOf(entry.messageId)].slice(-earlierMessagesKept) };
}

/**
 * True when the owner's own answer may still be written over this entry: its state came from that same claim. That the
 * gateway took the order is written even over an end that was made without this answer (a person's, or an inquiry's):
 * as `failed` it could be sent again.
 */
export function takesAnswerOf({ owner: stands, state }: LedgerEntry, owner: string, accepted = false): boolean {
  if (stands !== owner) return false;
  return state === 'submitting' || state === 'in-doubt' || state === 'held' || (accepted && state === 'failed');
}
