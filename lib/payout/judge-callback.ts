// What a callback's word is worth beside what the ledger knows of its order (DESIGN 4.4). `control` proves who made it, not
// when: it covers neither type nor amount nor time, and its three parts have no separators. So a word may end an order only
// where everything fits; what fits nowhere is kept for a person, and what contradicts is alarmed.
import { type Callback, endOfCallback, findingOf } from '../gateway/callback.ts';
import { type Finding, kindOfTransaction } from '../gateway/finding.ts';
import { gatewayIdentityOf } from '../gateway/reply-words.ts';
import { operations } from '../gateway/operations.ts';
import type { Profile } from '../gateway/profile.ts';
import { anyAttemptMayLive, forgottenAttemptMayLive } from './order-history.ts';
import { isAmountOf } from '../gateway/money.ts';
import type { LedgerEntry } from './ledger.ts';
import { redact } from '../gateway/redact.ts';

/** What a callback is to its order. */
export type CallbackVerdict =
  /** The answer to the POST is still on its way into the ledger. */
  | { readonly kind: 'early' }
  /** It says what the ledger says, or nothing about an end. */
  | { readonly kind: 'no-news' }
  /** It is about this attempt and this money, and may end the order. */
  | { readonly kind: 'end'; readonly finding: Extract<Finding, { kind: 'approved' | 'declined' }> }
  /** A later transaction of this attempt, which undid the payment or tries to. */
  | { readonly kind: 'undone'; readonly type: string; readonly status: string }
  /** About this attempt, and another amount: no end. */
  | { readonly kind: 'another-amount'; readonly amount: string }
  /** The ledger knows no id of the gateway's to compare, so that the word might be another order's: for a person to weigh. */
  | { readonly kind: 'evidence' }
  /** Valid, and it does not fit; `contradicts`: an end that was told, or the identity of the order. */
  | { readonly kind: 'surprise'; readonly contradicts: boolean };

/** Judges a callback whose `control` is right. */
export function judgeCallback(callback: Callback, entry: LedgerEntry, profile: Profile): CallbackVerdict {
  const { status, gatewayOrderId } = callback;
  if (entry.state === 'submitting') return { kind: 'early' };
  const attempt = attemptOf(gatewayOrderId, entry);
  if (attempt === 'none') return { kind: 'surprise', contradicts: true };
  const kind = kindOf(callback, entry, profile);
  if (kind === 'undoing') return undone(callback, entry, attempt);
  if (kind === 'another') return { kind: 'surprise', contradicts: false };
  const end = endOfCallback(status, gatewayOrderId, (code) => ({ code, message: '' }));
  if (!end) return { kind: 'no-news' };
  // What is approved may be the check alone: nobody has paid it here, or only a look can tell.
  const { step } = operations[entry.operation];
  const isOfCheck = step === 'check' || (step === 'pay' && !profile.statusInquiry);
  if (isOfCheck && end.kind === 'approved') return { kind: 'surprise', contradicts: false };
  // That an attempt before was paid may be the second payment; that it was not is what was believed.
  if (attempt === 'earlier') return { kind: 'surprise', contradicts: end.kind === 'approved' };
  const amount = amountOf(callback, entry);
  if (end.kind === entry.state && amount !== 'another') return { kind: 'no-news' };
  if (!isOpen(entry, end.kind)) return { kind: 'surprise', contradicts: contradicts(entry, end.kind) };
  if (attempt === 'unknown') return { kind: 'evidence' };
  // One of several attempts, for all that a restored ledger knows: held already, it only tells a person more.
  if (end.kind === 'declined' && entry.state === 'held' && forgottenAttemptMayLive(entry))
    return { kind: 'surprise', contradicts: false };
  const finding = findingOf(callback, entry);
  if (amount === 'this' && (finding.kind === 'approved' || finding.kind === 'declined'))
    return { kind: 'end', finding };
  if (amount !== 'another') return { kind: 'surprise', contradicts: false };
  return { kind: 'another-amount', amount: `${callback.amount} ${callback.currency?.toUpperCase()}`.slice(0, 24) };
}

/**
 * Judges a callback of another account than the present attempt's. Ids of two gateways may be alike, so it ends nothing; that
 * an order of ours was paid there too may be the proof of a double payment.
 */
export function judgeOfAnotherAccount({ status, gatewayOrderId }: Callback): CallbackVerdict {
  const end = endOfCallback(status, gatewayOrderId, (code) => ({ code, message: '' }));
  return end ? { kind: 'surprise', contradicts: end.kind === 'approved' } : { kind: 'no-news' };
}

/** Which attempt bears the id. An alias alone says nothing of the identity, by which callbacks name their order. */
function attemptOf(id: string, entry: LedgerEntry): 'this' | 'earlier' | 'unknown' | 'none' {
  if (id === entry.gatewayOrderId || id === entry.gatewayAlias) return 'this';
  const { earlierAttempts = [] } = entry;
  if (earlierAttempts.some((it) => id === it.gatewayOrderId || id === it.gatewayAlias)) return 'earlier';
  return gatewayIdentityOf(entry) === undefined ? 'unknown' : 'none';
}

/** A callback without a type, or of one that no profile told us of, is taken for the payment's own. */
function kindOf({ type }: Callback, entry: LedgerEntry, profile: Profile): 'own' | 'undoing' | 'another' {
  if (type === undefined || type === '') return 'own';
  const kind = kindOfTransaction(type, entry, profile);
  if (kind !== 'another') return kind;
  const isNamed = (profile.transactionTypes[entry.operation] ?? []).length > 0;
  return isNamed || type.toLowerCase() === 'capture' ? 'another' : 'own';
}

/** What undoes a payment that nobody holds for paid is a contradiction: money moved. */
function undone({ type = '', status }: Callback, { state }: LedgerEntry, attempt: string): CallbackVerdict {
  if (attempt === 'unknown') return { kind: 'evidence' };
  const isSent = state !== 'failed' && state !== 'cancelled' && state !== 'retryable';
  return attempt === 'this' && isSent ? { kind: 'undone', type, status } : { kind: 'surprise', contradicts: true };
}

/** A person's "not paid" is no proof: that its own attempt was paid is the truth, however late. */
function isOpen(entry: LedgerEntry, end: 'approved' | 'declined'): boolean {
  const { state, failure, gatewayOrderId } = entry;
  if (state === 'accepted' || state === 'in-doubt' || state === 'held') return true;
  if (end === 'declined' || gatewayOrderId === undefined) return false;
  if (state === 'cancelled') return anyAttemptMayLive(entry);
  return state === 'retryable' || (state === 'failed' && failure?.code === 'RELEASED_NOT_PAID');
}

const contradicts = ({ state }: LedgerEntry, end: 'approved' | 'declined') =>
  end === 'approved' || state === 'approved';

function amountOf({ amount, currency }: Callback, { money }: LedgerEntry): 'this' | 'another' | 'untold' {
  if (amount === undefined || currency === undefined) return 'untold';
  return money && currency.toUpperCase() === money.currency && isAmountOf(amount, money) ? 'this' : 'another';
}

/** The longest word that is kept. */
const wordLimit = 96;

/** A callback's word as it is kept on the order: status, type, the gateway's id, amount and currency. */
export function wordOf({ status, type, gatewayOrderId, amount, currency }: Callback): string {
  const parts = [status.toLowerCase(), type?.toLowerCase() ?? '-', gatewayOrderId, amount ?? '-', currency ?? '-'];
  return redact(parts.map((part) => part.replaceAll(/[^\w.+-]/g, '?').slice(0, 40)).join(' '), []).slice(0, wordLimit);
}
