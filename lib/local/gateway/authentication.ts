// The gate of the simulated gateway: who sent this request, and is it really theirs?
// Every refusal ends in one HTTP status (403 or 401) with nothing stored; the reason stays on this side.
import { createPublicKey, createHmac, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import {
  baseStringOf,
  readParameters,
  signedPairsOf,
  type SimulatedSignedRequest,
  type UnreadableReason,
} from './oauth-parameters.ts';
import { type OctetPair, textOfOctets, octetsOfText, percentEncodeOctets } from './percent-encoding.ts';
import type { ReplayGuard, ReplayReason } from './replay-guard.ts';

/** A merchant as the gateway's support manager would set it up. */
export interface SimulatorMerchant {
  readonly login: string;
  readonly controlKey: string;
  /** PEM, PKCS#1 or SPKI public key; absent = the merchant can only use HMAC. */
  readonly publicKeyPem?: string;
}

/** Why a request was refused at the gate. */
type AuthenticationReason =
  | UnreadableReason
  | ReplayReason
  | 'missing-oauth-parameter'
  | 'unsupported-oauth-version'
  | 'unsupported-signature-method'
  | 'unknown-login'
  | 'no-public-key'
  | 'wrong-signature';

/** The sender of the request and its fields, or why it is refused. */
export type Authentication =
  | {
      readonly kind: 'authentic';
      readonly login: string;
      readonly bodyFields: readonly OctetPair[];
      /** What was signed. */
      readonly baseString: string;
      readonly signature: string;
    }
  | {
      readonly kind: 'refused';
      readonly reason: AuthenticationReason;
      /** Name of the parameter at fault, never its value. */
      readonly parameterName?: string;
      /** Only a login that the gateway knows, so that no stray secret is kept. */
      readonly login?: string;
    };

/** The ports of the gate. */
interface AuthenticationRules {
  readonly merchants: ReadonlyMap<string, RegisteredMerchant>;
  readonly replayGuard: ReplayGuard;
}

/** A merchant whose public key has been read. */
export interface RegisteredMerchant extends MerchantKeys {
  readonly login: string;
}

const requiredNames = [
  'oauth_consumer_key',
  'oauth_nonce',
  'oauth_signature',
  'oauth_signature_method',
  'oauth_timestamp',
  'oauth_version',
] as const;

/** Reads the merchants' keys once; throws on a key that is no RSA key of at least 2048 bits (the gateway's minimum). */
export function registerMerchants(merchants: readonly SimulatorMerchant[]): ReadonlyMap<string, RegisteredMerchant> {
  return new Map(merchants.map(({ publicKeyPem, ...merchant }) => [merchant.login, withKey(merchant, publicKeyPem)]));
}

function withKey(merchant: Omit<SimulatorMerchant, 'publicKeyPem'>, pem: string | undefined): RegisteredMerchant {
  if (pem === undefined) return merchant;
  const publicKey = createPublicKey(pem);
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (publicKey.asymmetricKeyType !== 'rsa' || bits < 2048) {
    throw new Error(`The public key of merchant ${merchant.login} must be an RSA key of at least 2048 bits`);
  }
  return { ...merchant, publicKey };
}

/** Passes a request through the gate, cheapest question first; only a verified nonce is remembered. */
export function authenticate(request: SimulatedSignedRequest, rules: AuthenticationRules): Authentication {
  const reading = readParameters(request);
  if (reading.kind === 'unreadable') return { ...reading, kind: 'refused' };
  const { oauth } = reading;
  const missing = requiredNames.find((name) => !oauth.get(name));
  if (missing !== undefined) return { kind: 'refused', reason: 'missing-oauth-parameter', parameterName: missing };
  const parameter = (name: (typeof requiredNames)[number]): string => oauth.get(name) ?? '';

  const merchant = rules.merchants.get(textOfOctets(parameter('oauth_consumer_key')) ?? '');
  if (merchant === undefined) return { kind: 'refused', reason: 'unknown-login' };
  const { login } = merchant;
  const refused = (reason: AuthenticationReason): Authentication => ({ kind: 'refused', reason, login });
  if (parameter('oauth_version') !== '1.0') return refused('unsupported-oauth-version');
  const method = signatureMethodOf(parameter('oauth_signature_method'));
  if (method === undefined) return refused('unsupported-signature-method');
  if (method === 'RSA-SHA256' && merchant.publicKey === undefined) return refused('no-public-key');

  const claimed = {
    method,
    baseString: baseStringOf(request, signedPairsOf(reading)),
    signature: parameter('oauth_signature'),
  };
  if (!signatureVerifies(claimed, merchant)) return refused('wrong-signature');
  const use = { login, nonce: parameter('oauth_nonce'), timestamp: parameter('oauth_timestamp') };
  const replay = rules.replayGuard.check(use);
  if (replay !== undefined) return refused(replay);
  const { baseString, signature } = claimed;
  return { kind: 'authentic', login, bodyFields: reading.bodyFields, baseString, signature };
}

function signatureMethodOf(name: string): SignatureMethod | undefined {
  return name === 'HMAC-SHA1' || name === 'RSA-SHA256' ? name : undefined;
}

// One signature over one base string (RFC 5849 section 3.4.2, and RSASSA-PKCS1-v1_5 with SHA-256).

/** The two methods that the gateway's interface names. */
type SignatureMethod = 'HMAC-SHA1' | 'RSA-SHA256';

/** The keys that the gateway holds of a merchant. */
interface MerchantKeys {
  readonly controlKey: string;
  readonly publicKey?: KeyObject;
}

/** A signature as received (Base64, already percent-decoded) and what it is said to cover. */
interface ClaimedSignature {
  readonly method: SignatureMethod;
  readonly baseString: string;
  readonly signature: string;
}

/** Whether the signature is the merchant's; a missing public key is a plain no. */
function signatureVerifies(claimed: ClaimedSignature, keys: MerchantKeys): boolean {
  switch (claimed.method) {
    case 'HMAC-SHA1':
      return equalInConstantTime(claimed.signature, hmacSha1(claimed.baseString, keys.controlKey));
    case 'RSA-SHA256':
      return keys.publicKey !== undefined && rsaSha256Verifies(claimed, keys.publicKey);
  }
}

function hmacSha1(baseString: string, controlKey: string): string {
  // The token secret is empty, so the key ends with a bare ampersand.
  const key = `${percentEncodeOctets(octetsOfText(controlKey))}&`;
  return createHmac('sha1', key).update(baseString, 'ascii').digest('base64');
}

function rsaSha256Verifies(claimed: ClaimedSignature, publicKey: KeyObject): boolean {
  const signature = Buffer.from(claimed.signature, 'base64');
  // Buffer.from forgives much; only the canonical Base64 of the octets may pass.
  if (signature.toString('base64') !== claimed.signature) return false;
  return verify('sha256', Buffer.from(claimed.baseString, 'ascii'), publicKey, signature);
}

function equalInConstantTime(left: string, right: string): boolean {
  const leftBytes = Buffer.from(left, 'latin1');
  const rightBytes = Buffer.from(right, 'latin1');
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}
