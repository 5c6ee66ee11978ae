// From a look at the gateway to the ledger's next entry: how doubt ends (DESIGN 4.4), and how acceptance becomes truth.
import { gatewayIdentityOf, type GatewayIds } from '../gateway/reply-words.ts';
import type { Finding } from '../gateway/finding.ts';
import { type Asking, isUnknownToGateway, inquiredOnce, nextInquiryInTimeSeconds } from './retry-policy.ts';
import { isPastHorizon } from './accepted-rhythm.ts';
import type { Failure } from './failures.ts';
import { type LedgerEntry, moved, moves, isAskedAbout } from './ledger.ts';
import { operations } from '../gateway/operations.ts';
import { looked, noInquiries } from './due-work.ts';
import {
  forgottenAttemptMayLive,
  isValidated,
  type NewWord,
  newReversal,
  oneOfForgotten,
  withoutAmount,
  withoutForgottenAttempt,
  withWord,
} from './order-history.ts';

/** What a look leads to. */
export interface InquiryStep {
  /** The entry to be written; the same object where nothing changes. */
  readonly next: LedgerEntry;
  /** When to ask again; absent when there is nothing left to ask. */
  readonly nextInquirySeconds?: number;
}

/** The step after one look. */
export function afterInquiry(entry: LedgerEntry, finding: Finding, it: Asking): InquiryStep {
  // Whoever holds the claim will say how it went; until then no word about the order is the last.
  if (entry.state === 'submitting') return { next: entry };
  switch (finding.kind) {
    case 'approved':
    case 'declined':
      return { next: ended(entry, finding, it.nowMs) };
    case 'pending':
      return found(entry, finding, it);
    case 'validated':
      return rested(entry, finding, it);
    case 'unknown-order':
      return isAskedAbout(entry) ? missing(entry, it) : { next: entry };
    case 'inconclusive':
      return { next: isAskedAbout(entry) || isValidated(entry) ? heldWith(entry, finding, it.nowMs) : entry };
    case 'amount-differs':
      return ofAnotherAmount(entry, finding, it);
    case 'reversed':
      return undone(entry, finding, it);
    case 'credentials-refused':
    case 'unclear':
      return isAskedAbout(entry) ? goesOn(entry, false, it) : { next: entry };
  }
}

/** The ids that the gateway has named; an alias never takes the place of the identity. */
function idsIn(entry: LedgerEntry, { gatewayOrderId, gatewayAlias }: GatewayIds): GatewayIds {
  if (gatewayIdentityOf(entry) !== undefined && gatewayOrderId === gatewayAlias) return {};
  return {
    ...(gatewayOrderId !== undefined && { gatewayOrderId }),
    ...(gatewayAlias !== undefined && { gatewayAlias }),
  };
}

function ended(
  entry: LedgerEntry,
  finding: Extract<Finding, { kind: 'approved' | 'declined' }>,
  nowMs: number,
): LedgerEntry {
  if (finding.kind === 'declined' && forgottenAttemptMayLive(entry))
    return heldWith(entry, { ...finding, failure: oneOfForgotten(finding.failure) }, nowMs);
  if (!moves[entry.state].includes(finding.kind)) return entry;
  // Of all attempts at most one is paid: that this one is denies those that may be forgotten.
  return moved(withoutForgottenAttempt(withoutAmount(entry)), {
    state: finding.kind,
    final: true,
    reason: finding.kind,
    nowMs,
    ...idsIn(entry, finding),
    ...(finding.kind === 'declined' && { failure: finding.failure }),
  });
}

/** The gateway has the order: whatever was believed before ends in acceptance; an accepted order is asked about again. */
function found(entry: LedgerEntry, finding: Extract<Finding, { kind: 'pending' }>, it: Asking): InquiryStep {
  if (moves[entry.state].includes('accepted')) {
    const next = moved(entry, {
      state: 'accepted',
      final: false,
      reason: 'found',
      nowMs: it.nowMs,
      ...idsIn(entry, finding),
    });
    return { next, nextInquirySeconds: nextInquiryInTimeSeconds(next, noInquiries, it) };
  }
  if (!isAskedAbout(entry)) return { next: entry };
  // Known by its alias alone until now: the identity is what callbacks name.
  const identity = gatewayIdentityOf(finding);
  const isLearned =
    gatewayIdentityOf(entry) === undefined && identity !== undefined && identity !== entry.gatewayOrderId;
  return told(entry, isLearned ? idsIn(entry, finding) : undefined, it);
}

/**
 * The check of a payout in two steps has come to rest, and its payment may follow: but not of an order of which a restored
 * ledger may have forgotten that it was paid, nor of one without the identity by which it is paid.
 */
function rested(entry: LedgerEntry, finding: GatewayIds, it: Asking): InquiryStep {
  const isKnown = gatewayIdentityOf({ ...entry, ...idsIn(entry, finding) }) !== undefined;
  if (!isAskedAbout(entry)) return { next: entry };
  if (!isKnown || forgottenAttemptMayLive(entry)) return goesOn(entry, false, it);
  const failure: Failure = { code: 'CHECK_VALIDATED', message: 'the gateway has checked it: `payout-pay` pays it' };
  const move = { reason: failure.code, nowMs: it.nowMs, failure, unprocessed: true, ...idsIn(entry, finding) } as const;
  return { next: moved(entry, { state: 'held', final: false, ...move }) };
}

/** Published as it is, on every look that says something new; the end of an order is never of another amount. */
function ofAnotherAmount(
  entry: LedgerEntry,
  { amount, ...ids }: Extract<Finding, { kind: 'amount-differs' }>,
  it: Asking,
): InquiryStep {
  const { nowMs, profile } = it;
  if (!isAskedAbout(entry) || !isPastHorizon(entry, profile, nowMs))
    return told(entry, entry.gatewayAmount === amount ? undefined : { gatewayAmount: amount }, it);
  const failure: Failure = { code: 'AMOUNT_DIFFERS', message: `the gateway has it with ${amount}` };
  const move = { state: 'held', final: false, reason: failure.code, nowMs, failure, ...idsIn(entry, ids) } as const;
  return { next: moved({ ...entry, gatewayAmount: amount }, move) };
}

/** A later transaction under the order's id: a word beside its end, never another end, and no reason to doubt for longer. */
function undone(entry: LedgerEntry, finding: Extract<Finding, { kind: 'reversed' }>, it: Asking): InquiryStep {
  const { transactionType: type, status, totalAmount: amount } = finding;
  const word = newReversal(entry, { type, status, ...(amount !== undefined && { amount }) }, it.nowMs);
  const isOver = entry.state === 'in-doubt' && isPastHorizon(entry, it.profile, it.nowMs);
  if (isAskedAbout(entry) && (!word || isOver)) return goesOn({ ...entry, ...word }, false, it);
  return told(entry, word, it);
}

/** The word on a new revision, the chain of checks going on; what will be sent again has no result to say it. */
function told(entry: LedgerEntry, word: NewWord | undefined, it: Asking): InquiryStep {
  if (!isAskedAbout(entry) && (!word || entry.state === 'retryable')) return { next: entry };
  const { next, ...rest } = again(entry, false, it);
  return { next: word ? withWord(next, word, it.nowMs) : next, ...(isAskedAbout(entry) && rest) };
}

/** The gateway's word proves nothing, and asking again will not change it: for a person. */
function heldWith(entry: LedgerEntry, finding: GatewayIds & { readonly failure: Failure }, nowMs: number): LedgerEntry {
  if (!moves[entry.state].includes('held') && !isValidated(entry)) return entry;
  const { failure } = finding;
  return moved(entry, { state: 'held', final: false, reason: failure.code, nowMs, failure, ...idsIn(entry, finding) });
}

function missing(entry: LedgerEntry, it: Asking): InquiryStep {
  const { profile, nowMs } = it;
  if (entry.state === 'accepted') return again(entry, true, it);
  const inquiries = inquiredOnce(entry.inquiries ?? noInquiries, true, nowMs);
  if (!isUnknownToGateway(entry, inquiries, profile, nowMs)) return goesOn(entry, true, it);
  const failure: Failure = {
    code: 'NOT_AT_GATEWAY',
    message: `asked ${inquiries.negatives} times over the quiet period, the gateway knows no such order`,
  };
  // Asked by an id of one attempt, it says nothing of those that are forgotten; asked by the order's own, it denies them all.
  const isOfOne = forgottenAttemptMayLive(entry) && gatewayIdentityOf(entry) !== undefined;
  const move = { reason: failure.code, nowMs, failure };
  // The order that is paid was there at its check: that it is gone says nothing of its payment.
  const isPayment = operations[entry.operation].step === 'pay';
  if (!profile.resubmitUnknownOrders || isOfOne || isPayment)
    return { next: moved(entry, { ...move, state: 'held', final: false }) };
  return { next: moved(withoutForgottenAttempt(entry), { ...move, state: 'failed', final: true }) };
}

/** Doubt goes on, until its horizon: then a person must look. */
function goesOn(entry: LedgerEntry, negative: boolean, it: Asking): InquiryStep {
  const { profile, nowMs } = it;
  if (entry.state === 'accepted' || !isPastHorizon(entry, profile, nowMs)) return again(entry, negative, it);
  const failure = entry.failure ?? { code: 'UNCLEAR_ANSWER', message: 'the gateway never said how the order stands' };
  return { next: moved(entry, { state: 'held', final: false, reason: 'horizon', nowMs, failure }) };
}

function again(entry: LedgerEntry, negative: boolean, it: Asking): InquiryStep {
  const { nowMs } = it;
  const inquiries = inquiredOnce(entry.inquiries ?? noInquiries, negative, nowMs);
  const seconds = nextInquiryInTimeSeconds(entry, inquiries, it);
  return { next: looked(entry, inquiries, { nowMs, inSeconds: seconds }), nextInquirySeconds: seconds };
}
