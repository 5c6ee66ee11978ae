// A keyed digest of what a job asks for. It tells a replay of an order (the same content) from another order under the
// same id, without keeping the content: a plain hash of a card number is found by trying them all.
import { createHmac, type KeyObject } from 'node:crypto';
import type { Job } from './job.ts';
import { operations } from '../gateway/operations.ts';

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

/** `<key id>.<132 bits of HMAC-SHA256, base64url>` of a job, under every key, the current one first. */
export function fingerprints(job: Job, { current, keys }: FingerprintKeys): [string, ...string[]] {
  const content = canonicalContent(job);
  const digest = (keyId: string, key: KeyObject) =>
    `${keyId}.${createHmac('sha256', key).update(content).digest('base64url').slice(0, digestLength)}`;
  const currentKey = keys.get(current);
  if (!currentKey) throw new RangeError(`fingerprint key "${current}" is not among the keys`);
  const older = [...keys].filter(([keyId]) => keyId !== current).map(([keyId, key]) => digest(keyId, key));
  return [digest(current, currentKey), ...older];
}

/**
 * What makes two jobs the same order: operation, endpoint and fields, in one order, the amount by its value ("10.4" is
 * "10.40"). Single-use card data is left out: with the key in hand a three-digit CVV would be found in a thousand tries.
 */
function canonicalContent(job: Job): string {
  const { fields } = operations[job.operation];
  const params = Object.entries(job.params)
    .filter(([name]) => name !== 'amount' && !fields[name]?.singleUse)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([job.operation, job.endpointId, job.money?.minorUnits.toString() ?? null, params]);
}
