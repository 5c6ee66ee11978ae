// What the secrets must hold. A malformed secret stops a merchant's payments, so the fault names the field and the
// remedy; it never repeats a value, as whoever reads the log must not learn the key.
import { createSecretKey } from 'node:crypto';
import * as v from 'valibot';
import type { FingerprintKeys } from '../payout/fingerprint.ts';

/** A secret that can't be used. `message` names the field. */
export class SecretFault extends Error {
  readonly code = 'SECRET_INVALID';
}

/** Text that is there. */
export const given = v.pipe(v.string('must be text'), v.nonEmpty('must not be empty'));

/** Text of this shape, or this fault. */
export const shape = (pattern: RegExp, fault: string) => v.pipe(v.string('must be text'), v.regex(pattern, fault));
const fingerprintKey = shape(/^([0-9a-fA-F]{2}){32,}$/, 'must be at least 64 hexadecimal digits');

/** `<prefix>_worker`: the worker's own keys. */
export const workerSecretSchema = v.pipe(
  v.strictObject({
    fingerprintKeyId: v.pipe(given, v.description('which of the keys makes new fingerprints')),
    fingerprintKeys: v.pipe(
      v.record(shape(/^[A-Za-z0-9_-]{1,16}$/, 'must have an id of 1 to 16 letters or digits'), fingerprintKey),
      v.description(
        'key id to key, each at least 32 bytes in hexadecimal; keep an old one as long as the ledger keeps its orders',
      ),
    ),
    // What Secrets Manager generates can only stand outside of any object.
    generated: v.exactOptional(
      v.pipe(
        fingerprintKey,
        v.description('one more key, of the id `generated`; a key of that id in `fingerprintKeys` goes before it'),
      ),
    ),
  }),
  v.transform(({ generated, ...secret }) => ({
    ...secret,
    fingerprintKeys: { ...(generated !== undefined && { generated }), ...secret.fingerprintKeys },
  })),
  v.check(
    (it) => Object.hasOwn(it.fingerprintKeys, it.fingerprintKeyId),
    'fingerprintKeyId must name one of fingerprintKeys',
  ),
);

/** Reads the worker's own secret. Throws {@link SecretFault}. */
export function readWorkerSecret(text: string): FingerprintKeys {
  const { fingerprintKeyId, fingerprintKeys } = validated(workerSecretSchema, text);
  const keys = new Map(Object.entries(fingerprintKeys).map(([keyId, key]) => [keyId, createSecretKey(key, 'hex')]));
  return { current: fingerprintKeyId, keys };
}

/** The secret as its schema says. Throws {@link SecretFault}. */
export function validated<T>(schema: v.GenericSchema<unknown, T>, text: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which is the secret.
    throw new SecretFault('the secret is not JSON');
  }
  const read = v.safeParse(schema, value, { abortPipeEarly: true });
  if (read.success) return read.output;
  throw new SecretFault(read.issues.map(faultOf).join('; '));
}

/** Own words only: the library's default messages quote what was received. */
function faultOf(issue: v.BaseIssue<unknown>): string {
  const path = issue.path?.map((it) => printable(String(it.key))).join('.');
  if (issue.type === 'strict_object' && issue.expected === 'never') return `${path} is not a field of this secret`;
  if (issue.received === 'undefined') return `${path} is missing`;
  const own = /^(must|fingerprintKeyId must) /.test(issue.message);
  return `${path ? `${path} ` : ''}${own ? issue.message : `is not as the schema says (expected ${issue.expected ?? issue.type})`}`;
}

/** A key pasted where a name belongs must not be printed either: names are words, or ids of 16 characters at most. */
function printable(name: string): string {
  return /^([A-Za-z-]{1,40}|[A-Za-z0-9_-]{1,16})$/.test(name) ? name : '(unprintable name)';
}
