// What the secrets must hold. A malformed secret stops a merchant's payments, so the fault names the field and the
// remedy; it never repeats a value, as whoever reads the log must not learn the key.
import { createSecretKey } from 'node:crypto';
import * as v from 'valibot';
import { keyFieldOf } from '../gateway/key-fields.ts';
import type { MerchantCredentials } from '../gateway/ports.ts';
import type { FingerprintKeys } from '../payout/fingerprint.ts';
import { defaultProfile, type Profile, profileSchema } from '../gateway/profile.ts';
import { OAuth1Error } from '../oauth1/errors.ts';
import { type SignatureMethodName, signatureMethodNames } from '../oauth1/signature-method-names.ts';
import { parseSigningKey } from '../oauth1/signature-methods.ts';
import type { RsaSigner, SigningKey } from '../oauth1/signing-key.ts';

/** A secret that can't be used. `message` names the field. */
export class SecretFault extends Error {
  readonly code = 'SECRET_INVALID';
}

const given = v.pipe(v.string('must be text'), v.nonEmpty('must not be empty'));

const shape = (pattern: RegExp, fault: string) => v.pipe(v.string('must be text'), v.regex(pattern, fault));
const gatewayUrlShape = /^https?:\/\/[^/?#@\\\s]+\/?$/;
const gatewayUrlFault = 'must be "https://host[:port]" (plain http only on loopback)';

/** `<prefix><merchant>`: one merchant at the gateway. */
export const merchantSecretSchema = v.strictObject({
  login: v.pipe(
    given,
    v.maxLength(128, 'must have at most 128 characters'),
    v.description('the merchant login, sent as `oauth_consumer_key`'),
  ),
  controlKey: v.exactOptional(
    v.pipe(given, v.description('the merchant control key: consumer secret of HMAC-SHA1, and checks callbacks')),
  ),
  privateKey: v.exactOptional(
    v.pipe(
      given,
      v.description('RSA private key in PEM, PKCS#1 or PKCS#8, for RSA-SHA256; line breaks may be written as \\n'),
    ),
  ),
  kmsKeyId: v.exactOptional(
    v.pipe(
      shape(/^[A-Za-z0-9:/_-]{1,256}$/, 'must be the ARN, id or alias of a key in AWS KMS'),
      v.description(
        'in the place of privateKey: ARN, id or alias of an RSA key in AWS KMS, which signs and never leaves',
      ),
    ),
  ),
  baseUrl: v.pipe(
    shape(gatewayUrlShape, gatewayUrlFault),
    v.check(isGatewayUrl, gatewayUrlFault),
    v.description('scheme, host and optional port of the gateway; https, plain http on loopback alone'),
  ),
  profile: v.exactOptional(v.pipe(profileSchema, v.description("what the merchant's gateway contract offers"))),
});

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

/** `https://host[:port]`; plain http on loopback only. */
export function isGatewayUrl(text: string): boolean {
  // By its text too: a bare "?" or "#" at the end leaves no trace in the parsed URL, and would swallow the path.
  const url = gatewayUrlShape.test(text) ? URL.parse(text) : null;
  if (!url) return false;
  const loopback = url.hostname === 'localhost' || url.hostname === '[::1]' || /^127(\.\d+){3}$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback);
}

/** Reads a merchant's secret. Throws {@link SecretFault}. */
export function readMerchantSecret(
  text: string,
  version: string,
  signerFor: SignerFor = noSigner,
): MerchantCredentials {
  const { profile: given, ...secret } = validated(merchantSecretSchema, text);
  const profile = given ?? defaultProfile;
  const kept = secret.kmsKeyId === undefined ? undefined : signerFor(secret.kmsKeyId);
  if (secret.privateKey !== undefined && kept) throw new SecretFault('privateKey and kmsKeyId must not both be given');
  const keys: Partial<Record<SignatureMethodName, SigningKey>> = {};
  for (const method of signatureMethodNames) {
    const field = keyFieldOf(method);
    const key = signingKey(method, secret[field], profile) ?? (field === 'privateKey' ? kept : undefined);
    if (key) keys[method] = key;
  }
  if (Object.keys(keys).length === 0)
    throw new SecretFault('the secret has neither controlKey nor privateKey nor kmsKeyId');
  const callbackKey = secret.controlKey === undefined ? {} : { controlKey: createSecretKey(secret.controlKey, 'utf8') };
  return { login: secret.login, baseUrl: secret.baseUrl.replace(/\/$/, ''), keys, profile, version, ...callbackKey };
}

/** Gives the signer of a key in AWS KMS. */
export type SignerFor = (kmsKeyId: string) => RsaSigner;

/** For functions that read secrets and send nothing to the gateway. */
const noSigner: SignerFor = (keyId) => ({
  kind: 'rsa-signer',
  keyId,
  signDigest: () => Promise.reject(new Error('this function does not sign')),
});

/** Reads the worker's own secret. Throws {@link SecretFault}. */
export function readWorkerSecret(text: string): FingerprintKeys {
  const { fingerprintKeyId, fingerprintKeys } = validated(workerSecretSchema, text);
  const keys = new Map(Object.entries(fingerprintKeys).map(([keyId, key]) => [keyId, createSecretKey(key, 'hex')]));
  return { current: fingerprintKeyId, keys };
}

function signingKey(method: SignatureMethodName, material: string | undefined, { testKeys }: Profile) {
  if (material === undefined) return undefined;
  try {
    return parseSigningKey(method, material, { allowSmallKeys: testKeys });
  } catch (error) {
    if (error instanceof OAuth1Error) throw new SecretFault(`${keyFieldOf(method)}: ${error.message}`);
    throw error;
  }
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
