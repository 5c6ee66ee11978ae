// A keyed digest of what a job asks for. It distinguishes a replay of an order (the same content) from another order under the same id,
// without keeping the content. A plain hash of a card number is found by trying them all.
import { createHmac, type KeyObject } from 'node:crypto';
import type { Job } from './job.ts';
import { operations } from '../../gateway/operations.ts';

/**
 * The HMAC keys, at least 32 bytes each; `current` makes new fingerprints, the others still recognise older ones. Key
 * objects do not print, and spare each job the cost of reading the key anew.
 */
export interface FingerprintKeys {
  readonly current: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

/** 22 characters of base64url hold 132 bits. */
const digestLength = 22;
/** 36 bits: another key under the same id has the same check value once in 70 thousand million. */
const checkLength = 6;

/**
 * `<key id>~<check value of the key>.<132 bits of HMAC-SHA256, base64url>` of a job, under every key, the current one first. The check
 * value binds the id to its key: a key that was made anew under an old id counts as an unknown key. Otherwise it would prove that every
 * order has other content.
 */
export function fingerprints(job: Job, { current, keys }: FingerprintKeys): [string, ...string[]] {
  const content = canonicalContent(job);
  const digest = (keyId: string, key: KeyObject) =>
    `${keyId}~${checkOf(key)}.${hmac(key, content).slice(0, digestLength)}`;
  const currentKey = keys.get(current);
  if (!currentKey) throw new RangeError(`fingerprint key "${current}" is not among the keys`);
  const older = [...keys].filter(([keyId]) => keyId !== current).map(([keyId, key]) => digest(keyId, key));
  return [digest(current, currentKey), ...older];
}

const hmac = (key: KeyObject, text: string) => createHmac('sha256', key).update(text).digest('base64url');

/** The check value of each key object, made once. */
const checks = new WeakMap<KeyObject, string>();

function checkOf(key: KeyObject): string {
  const known = checks.get(key) ?? hmac(key, 'check value of a fingerprint key').slice(0, checkLength);
  checks.set(key, known);
  return known;
}

/** The key under which a fingerprint was made: its id, and the check value of its material. */
export const keyIdOf = (fingerprint: string) => fingerprint.slice(0, fingerprint.indexOf('.'));

/**
 * Compares a stored fingerprint with a job's. `same` is proven under any key at hand. `other` requires that the stored one names a key at
 * hand by its check value.
 */
export function comparedWith(stored: string, own: readonly string[]): 'same' | 'other' | 'unknown key' {
  if (own.includes(stored)) return 'same';
  return own.some((it) => keyIdOf(it) === keyIdOf(stored)) ? 'other' : 'unknown key';
}

/**
 * The content that makes two jobs the same order: operation, endpoint and fields, in one order, the amount by its value ("10.4"
 * is "10.40"). Single-use card data is left out: with the key in hand a three-digit CVV would be found in a thousand tries.
 */
function canonicalContent(job: Job): string {
  const { fields } = operations[job.operation];
  const params = Object.entries(job.params)
    .filter(([name]) => name !== 'amount' && !fields[name]?.singleUse)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([job.operation, job.endpointId, job.money?.minorUnits.toString() ?? null, params]);
}
