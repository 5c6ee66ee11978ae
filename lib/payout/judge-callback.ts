// What a callback's word is worth beside what the ledger knows of its order (DESIGN 4.4). `control` proves who made it, not
// when: it covers neither type nor amount nor time, and its three parts have no separators. So a word may end an order only
// where everything fits; what fits nowhere is kept for a person, and what contradicts is alarmed.
import { type Callback, findingOf } from '../gateway/callback.ts';
import { endOf, type Finding } from '../gateway/finding.ts';
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
  /** The ledger knows no id of the gateway's, so that the word might be another order's: for a person to weigh. */
  | { readonly kind: 'evidence' }
  /** Valid, and it does not fit; `contradicts`: an end that was told, or the identity of the order. */
  | { readonly kind: 'surprise'; readonly contradicts: boolean };

/** Types of later transactions, which bear the id and the `control` of the payment that they undo. */
const laterTypes: ReadonlySet<string> = new Set(
  'cancel void reversal chargeback refund return fraud retrieval dispute capture'.split(' '),
);

/** Judges a callback whose `control` is right. */
export function judgeCallback(callback: Callback, entry: LedgerEntry): CallbackVerdict {
  const { status, gatewayOrderId, type = '' } = callback;
  if (entry.state === 'submitting') return { kind: 'early' };
  if (entry.gatewayOrderId !== undefined && entry.gatewayOrderId !== gatewayOrderId)
    return { kind: 'surprise', contradicts: true };
  if (laterTypes.has(type.toLowerCase())) return { kind: 'surprise', contradicts: true };
  const end = endOf(status, gatewayOrderId, (code) => ({ code, message: '' }));
  if (!end) return { kind: 'no-news' };
  const amount = amountOf(callback, entry);
  if (end.kind === entry.state && amount !== 'another') return { kind: 'no-news' };
  if (!isOpen(entry, end.kind)) return { kind: 'surprise', contradicts: contradicts(entry, end.kind) };
  if (entry.gatewayOrderId === undefined) return { kind: 'evidence' };
  const finding = findingOf(callback, entry);
  if (amount !== 'this' || (finding.kind !== 'approved' && finding.kind !== 'declined'))
    return { kind: 'surprise', contradicts: false };
  return { kind: 'end', finding };
}

/** A person's "not paid" is no proof: that its own attempt was paid is the truth, however late. */
function isOpen({ state, failure, gatewayOrderId }: LedgerEntry, end: 'approved' | 'declined'): boolean {
  if (state === 'accepted' || state === 'in-doubt' || state === 'held') return true;
  if (end === 'declined' || gatewayOrderId === undefined) return false;
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
