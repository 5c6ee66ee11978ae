// A merchant's secret: its account at the gateway with the keys for it, earlier accounts, and the profile.
import { createSecretKey } from 'node:crypto';
import * as v from 'valibot';
import { accountShape, keyFieldOf } from '../gateway/signed-request.ts';
import { payneteasy } from '../gateway/payneteasy.ts';
import type { MerchantCredentials } from '../gateway/ports.ts';
import { type Profile, profileSchema, unreadSafeguards } from '../gateway/profile.ts';
import { type RsaSigner, type SigningKey } from '../oauth1/signing-key.ts';
import { parseSigningKey } from '../oauth1/signature-methods.ts';
import { given, readRoute, routeFields, SecretFault, shape, validated } from './secret-schemas.ts';
import { type SignatureMethodName, signatureMethodNames, OAuth1Error } from '../oauth1/vocabulary.ts';

const gatewayUrlShape = /^https?:\/\/[^/?#@\\\s]+\/?$/;
const gatewayUrlFault = 'must be "https://host[:port]" (plain http only on loopback)';

/** The address of the account, and its keys. */
const accountFields = {
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
  ...routeFields,
};

const earlierAccount = v.strictObject({
  ...accountFields,
  apiPath: v.exactOptional(
    v.pipe(profileSchema.entries.apiPath.wrapped, v.description('as in `profile`, whose it is by default')),
  ),
});

/** `<prefix><merchant>`: one merchant at the gateway. */
export const merchantSecretSchema = v.strictObject({
  ...accountFields,
  mode: v.exactOptional(
    v.pipe(
      v.picklist(['live', 'test'], 'must be "live" or "test"'),
      v.description('`live` where absent: real money; only `test` may have `testKeys`'),
    ),
  ),
  earlierAccounts: v.exactOptional(
    v.pipe(
      v.array(earlierAccount),
      v.maxLength(8, 'must have at most 8 accounts'),
      v.description(
        'accounts that orders were sent to before, of the same mode: asked about those orders, believed about them in callbacks, sent nothing',
      ),
    ),
  ),
  sameAccountAs: v.exactOptional(
    v.pipe(
      v.array(shape(accountShape, 'must be the digest of an account, as `order` shows it')),
      v.description('digests of former spellings of this same account, where its host or path was renamed'),
    ),
  ),
  profile: v.exactOptional(v.pipe(profileSchema, v.description("what the merchant's gateway contract offers"))),
});

/** `https://host[:port]`; plain http on loopback only. */
export function isGatewayUrl(text: string): boolean {
  // Checked by its text too: a bare "?" or "#" at the end leaves no trace in the parsed URL, and would swallow the path.
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
  const {
    profile: contract = v.parse(profileSchema, {}),
    mode = 'live',
    earlierAccounts,
    sameAccountAs,
    ...secret
  } = validated(merchantSecretSchema, text);
  const profile = { ...contract, ...unreadSafeguards };
  if (mode === 'live') refuseTestOnly(profile);
  const readAccount = (account: AccountSecret, of: Profile) =>
    readOne(account, { version, mode, profile: of }, signerFor);
  const earlier = earlierAccounts?.map(({ apiPath = profile.apiPath, ...account }) =>
    readAccount(account, { ...profile, apiPath }),
  );
  return {
    ...readAccount(secret, profile),
    ...(earlier && { earlierAccounts: earlier }),
    ...(sameAccountAs && { sameAccountAs }),
  };
}

/** Real money must not depend on a setting that is only good enough for trials. */
function refuseTestOnly({ testKeys }: Profile): void {
  if (testKeys) throw new SecretFault('profile.testKeys is for tests alone: take it out, or set mode to "test"');
}

type AccountSecret = v.InferOutput<ReturnType<typeof v.strictObject<typeof accountFields, undefined>>>;

/** One account, with its keys. */
function readOne(
  secret: AccountSecret,
  { version, mode, profile }: Pick<MerchantCredentials, 'version' | 'mode' | 'profile'>,
  signerFor: SignerFor,
): MerchantCredentials {
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
  const baseUrl = secret.baseUrl.replace(/\/$/, '');
  const route = readRoute(secret, baseUrl);
  return {
    dialect: payneteasy,
    login: secret.login,
    baseUrl,
    keys,
    profile,
    version,
    mode,
    ...callbackKey,
    ...(route && { route }),
  };
}

/** Gives the signer of a key in AWS KMS. */
export type SignerFor = (kmsKeyId: string) => RsaSigner;

/** For functions that read secrets and send nothing to the gateway. */
const noSigner: SignerFor = (keyId) => ({
  kind: 'rsa-signer',
  keyId,
  signDigest: () => Promise.reject(new Error('this function does not sign')),
});

function signingKey(method: SignatureMethodName, material: string | undefined, { testKeys }: Profile) {
  if (material === undefined) return undefined;
  try {
    return parseSigningKey(method, material, { allowSmallKeys: testKeys });
  } catch (error) {
    if (error instanceof OAuth1Error) throw new SecretFault(`${keyFieldOf(method)}: ${error.message}`);
    throw error;
  }
}
