// A merchant's two secrets. The contract (account at the gateway, earlier accounts, profile) is read by people's tools too. The keys of
// its logins are read only by the functions that call the gateway, and by the keeper of secrets.
import { createSecretKey } from 'node:crypto';
import * as v from 'valibot';
import { accountShape, keyFieldOf } from '../gateway/signed-request.ts';
import { payneteasy } from '../gateway/payneteasy.ts';
import type { MerchantContract, MerchantCredentials } from '../gateway/ports.ts';
import { type Profile, profileSchema, unreadSafeguards } from '../gateway/profile.ts';
import { type RsaSigner, type SigningKey } from '../oauth1/signing-key.ts';
import { parseSigningKey } from '../oauth1/signature-methods.ts';
import { isRecord } from '../payout/message/inbound.ts';
import { given, readRoute, routeFields, SecretFault, shape, validated } from './secret-schemas.ts';
import { type SignatureMethodName, signatureMethodNames, OAuth1Error } from '../oauth1/vocabulary.ts';

const gatewayUrlShape = /^https?:\/\/[^/?#@\\\s]+\/?$/;
const gatewayUrlFault = 'must be "https://host[:port]" (plain http only on loopback)';

/** The address of an account. */
const accountFields = {
  login: v.pipe(
    given,
    v.maxLength(128, 'must have at most 128 characters'),
    v.description('the merchant login, sent as `oauth_consumer_key`'),
  ),
  baseUrl: v.pipe(
    shape(gatewayUrlShape, gatewayUrlFault),
    v.check(isGatewayUrl, gatewayUrlFault),
    v.description('scheme, host and optional port of the gateway; https, plain http only on loopback'),
  ),
};

const earlierAccount = v.strictObject({
  ...accountFields,
  apiPath: v.exactOptional(
    v.pipe(profileSchema.entries.apiPath.wrapped, v.description('as in `profile`, which is the default')),
  ),
});

/** `<prefix>contract/<merchant>`: one merchant at the gateway. */
export const contractSchema = v.strictObject({
  ...accountFields,
  mode: v.exactOptional(
    v.pipe(
      v.picklist(['live', 'test'], 'must be "live" or "test"'),
      v.description('default `live`: real money; only `test` may have `testKeys`'),
    ),
  ),
  earlierAccounts: v.exactOptional(
    v.pipe(
      v.array(earlierAccount),
      v.maxLength(8, 'must have at most 8 accounts'),
      v.description(
        'former accounts, of the same mode: used for inquiries and callbacks of orders that were sent there, never for new orders',
      ),
    ),
  ),
  sameAccountAs: v.exactOptional(
    v.pipe(
      v.array(shape(accountShape, 'must be the digest of an account, as `order` shows it')),
      v.description('digests of former names of this same account, if its host or path was renamed'),
    ),
  ),
  profile: v.exactOptional(v.pipe(profileSchema, v.description("what the merchant's gateway contract offers"))),
});

/** The keys of one login, and the way to its gateway. */
const keysOfLogin = v.strictObject({
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
      v.description('instead of privateKey: ARN, id or alias of an RSA key in AWS KMS, which signs there'),
    ),
  ),
  ...routeFields,
});

/** `<prefix>keys/<merchant>`: the keys of the logins that the contract names. */
export const keysSchema = v.pipe(
  v.record(v.string(), keysOfLogin),
  v.description('keys by login: for the account of the contract and for each of `earlierAccounts`'),
);

/** `https://host[:port]`; plain http on loopback only. */
export function isGatewayUrl(text: string): boolean {
  // The text is checked too: the parsed URL hides a bare "?" or "#" at the end, which would swallow the path.
  const url = gatewayUrlShape.test(text) ? URL.parse(text) : null;
  if (!url) return false;
  const loopback = url.hostname === 'localhost' || url.hostname === '[::1]' || /^127(\.\d+){3}$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback);
}

/** Reads a merchant's contract. Throws {@link SecretFault}. */
export function readContract(text: string, version: string): MerchantContract {
  const {
    profile: contract = v.parse(profileSchema, {}),
    mode = 'live',
    earlierAccounts,
    sameAccountAs,
    ...account
  } = validated(contractSchema, text);
  const profile = { ...contract, ...unreadSafeguards };
  if (mode === 'live') refuseTestOnly(profile);
  const accountAt = ({ login, baseUrl }: typeof account, apiPath: string): MerchantContract => ({
    dialect: payneteasy,
    login,
    baseUrl: baseUrl.replace(/\/$/, ''),
    profile: { ...profile, apiPath },
    version,
    mode,
  });
  return {
    ...accountAt(account, profile.apiPath),
    earlierAccounts: earlierAccounts?.map((it) => accountAt(it, it.apiPath ?? profile.apiPath)),
    sameAccountAs,
  };
}

/** Settings for tests are refused if the account is live. */
function refuseTestOnly({ testKeys }: Profile): void {
  if (testKeys) throw new SecretFault('profile.testKeys is for tests only: take it out, or set mode to "test"');
}

/** Reads the keys of a merchant's logins; `withKeys` checks those that a contract needs. Throws {@link SecretFault}. */
export function readKeys(text: string): KeysByLogin {
  const byLogin = validated(v.unknown(), text);
  if (!isRecord(byLogin) || !Object.values(byLogin).every(isRecord))
    throw new SecretFault('the keys must be {"<login>": {"controlKey": …, "privateKey": …}}');
  // Login by login: a fault then names the field, never the login.
  return new Map(Object.entries(byLogin).map(([login, keys]) => [login, validated(keysOfLogin, JSON.stringify(keys))]));
}

/** Keys by login. */
export type KeysByLogin = ReadonlyMap<string, v.InferOutput<typeof keysOfLogin>>;

/** A merchant's credentials: its contract with the keys of each login in it. Throws {@link SecretFault}. */
export function withKeys(
  { earlierAccounts, ...contract }: MerchantContract,
  keys: KeysByLogin,
  signerFor: SignerFor = noSigner,
): MerchantCredentials {
  return {
    ...contract,
    ...keysOf(contract, keys, signerFor),
    earlierAccounts: earlierAccounts?.map((it) => withKeys(it, keys, signerFor)),
  };
}

/** The keys of one account. */
function keysOf(
  { login, baseUrl, profile }: MerchantContract,
  all: KeysByLogin,
  signerFor: SignerFor,
): Pick<MerchantCredentials, 'keys' | 'controlKey' | 'route'> {
  const ofLogin = all.get(login);
  if (!ofLogin) throw new SecretFault("the merchant's keys have none of a login that its contract names");
  const inKms = ofLogin.kmsKeyId === undefined ? undefined : signerFor(ofLogin.kmsKeyId);
  if (ofLogin.privateKey !== undefined && inKms)
    throw new SecretFault('privateKey and kmsKeyId must not both be given');
  const keys: Partial<Record<SignatureMethodName, SigningKey>> = {};
  for (const method of signatureMethodNames) {
    const field = keyFieldOf(method);
    const key = signingKey(method, ofLogin[field], profile) ?? (field === 'privateKey' ? inKms : undefined);
    if (key) keys[method] = key;
  }
  if (Object.keys(keys).length === 0)
    throw new SecretFault('the secret has neither controlKey nor privateKey nor kmsKeyId');
  const controlKey = ofLogin.controlKey === undefined ? undefined : createSecretKey(ofLogin.controlKey, 'utf8');
  return { keys, controlKey, route: readRoute(ofLogin, baseUrl) };
}

/** Gives the signer of a key in AWS KMS. */
export type SignerFor = (kmsKeyId: string) => RsaSigner;

/** For functions that read keys and send nothing to the gateway. */
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
