// The payee and amount of a row, as eight bytes beside a batch's rows. The digest is keyed, because a plain hash of a card number is found
// by trying them all. Two orders with one digest ask for the same payment under two ids.
import { createHmac, hash, type KeyObject } from 'node:crypto';
import { operations } from '../gateway/operations.ts';
import type { FingerprintKeys } from '../payout/message/fingerprint.ts';
import type { Job } from '../payout/message/job.ts';
import { compactAccount, ibanCountry } from '../files/payee-checks.ts';

/** If ten million rows are compared with a million, two that differ have one digest once in two million files. */
export const digestBytes = 8;

/** Makes digests under one key. */
export interface ContentDigests {
  /** Names the key and a check value of its material: digests of two keys are never compared. */
  readonly keyId: string;
  /** Undefined if no payee can be seen: of a check, of a sealed card. */
  of(job: Job): Buffer | undefined;
}

/** Digests under the key that makes fingerprints. */
export function contentDigests({ current, keys }: FingerprintKeys): ContentDigests {
  const key = keys.get(current);
  if (!key) throw new RangeError(`fingerprint key "${current}" is not among the keys`);
  const check = hmac(key, 'payee: check value').toString('base64url').slice(0, 6);
  // A key of its own: a digest under it says nothing of the fingerprints.
  const ownKey = hmac(key, 'payee: key').toString('hex');
  return {
    keyId: `${current}~${check}`,
    of(job) {
      const payee = payeeOf(job);
      if (payee === undefined || !job.money) return undefined;
      const { currency, minorUnits } = job.money;
      const content = `${job.merchant}\n${minorUnits} ${currency}\n${payee.content}`;
      // Nested as HMAC is, by a hash that costs a third of an HMAC's object: there may be a million of them.
      const inner = hash('sha256', ownKey + content);
      return hash('sha256', ownKey + inner, 'buffer').subarray(0, digestBytes);
    },
  };
}

const hmac = (key: KeyObject, text: string) => createHmac('sha256', key).update(text).digest();

/** The payee of a job that moves money: the field that names it, and the payee in one notation. */
export function payeeOf({ operation, params }: Job): { readonly path: string; readonly content: string } | undefined {
  if (!operations[operation].movesMoney) return undefined;
  for (const name of payeeFields) {
    const text = params[name];
    // In a transfer this is the source, not the payee.
    if (text === undefined || (name === 'credit_card_number' && operation === 'transfer')) continue;
    return { path: `params.${name}`, content: contentOf(name, text, params) };
  }
  return undefined;
}

const payeeFields = [
  'destination-card-no',
  'destination_card_recurring_payment_id',
  'destination-card-ref-id',
  'account_number',
  'credit_card_number',
];

/** Without its bank an account number names no account, unless it is an IBAN. */
function contentOf(name: string, text: string, params: Readonly<Record<string, string>>): string {
  if (name === 'account_number') {
    const compact = compactAccount(text);
    if (ibanCountry(compact) !== undefined) return `account ${compact}`;
    const bank = bankFields.map((field) => params[field]?.toLowerCase() ?? '').join(' ');
    return `account ${compact} ${bank.trimEnd()}`;
  }
  return name === 'destination-card-no' || name === 'credit_card_number' ? `card ${text}` : `${name} ${text}`;
}

const bankFields = ['bank_name', 'bank_branch', 'bank_city', 'bank_province'] as const;
