// Merchants' credentials in memory, with real keys: the signatures of a story are real.

import { constants, createSecretKey, generateKeyPairSync, privateEncrypt } from 'node:crypto';
import type {
  CredentialsFailure,
  MerchantCredentials,
  Credentials,
  CredentialsAnswer,
} from '../../lib/gateway/ports.ts';
import type { Fingerprinting } from '../../lib/payout/ports.ts';
import type { FingerprintKeys } from '../../lib/payout/message/fingerprint.ts';
import { payneteasy } from '../../lib/gateway/payneteasy.ts';
import { defaultProfile, type Profile } from '../../lib/gateway/profile.ts';
import { parseSigningKey } from '../../lib/oauth1/signature-methods.ts';
import type { SigningKey } from '../../lib/oauth1/signing-key.ts';

/** Small on purpose: made anew for each run, and never sent anywhere. */
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });

/** RFC 8017, section 9.2, note 1: the prefix of a SHA-256 digest in a PKCS #1 v1.5 signature. */
const sha256Prefix = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/**
 * A real signature, made on the spot: from the thread pool signatures come back in any order, and a story that lets the
 * gateway take one order and refuse the next would be another story at each run.
 */
const rsaKey: SigningKey = {
  kind: 'rsa-signer',
  keyId: 'the test key',
  signDigest: async (digest) =>
    privateEncrypt({ key: privateKey, padding: constants.RSA_PKCS1_PADDING }, Buffer.concat([sha256Prefix, digest])),
};

/** The control key of every merchant of a story that names no other. */
export const someControlKey = '5b2c6a0e-test-control-key';

/** The credentials of a merchant whose contract is the interface document alone, or as the profile given says. */
export function someCredentials(
  changes: { login?: string; controlKey?: string; version?: string; profile?: Partial<Profile> } = {},
): MerchantCredentials {
  const { login = 'acme-login', controlKey = someControlKey, version = 'v1', profile } = changes;
  return {
    dialect: payneteasy,
    login,
    baseUrl: 'https://gateway.test',
    keys: { 'HMAC-SHA1': parseSigningKey('HMAC-SHA1', controlKey), 'RSA-SHA256': rsaKey },
    profile: { ...defaultProfile, ...profile },
    version,
    mode: 'live',
    controlKey: createSecretKey(controlKey, 'utf8'),
  };
}

/** Credentials that a story can rotate and take away. */
export interface FakeCredentials extends Credentials<MerchantCredentials> {
  /** From now on the store holds these; a process with the old ones finds out by `refresh`. */
  rotate(merchant: string, next: MerchantCredentials): void;
  /** The secrets service answers nothing until it is `up` again. */
  outage(state: 'down' | 'up'): void;
  readonly refreshes: string[];
}

/** Credentials of the merchants given. */
export function createFakeCredentials(merchants: Readonly<Record<string, MerchantCredentials>>): FakeCredentials {
  const stored = new Map(Object.entries(merchants));
  const cached = new Map(stored);
  const refreshes: string[] = [];
  let service: 'down' | 'up' = 'up';
  const answer = (credentials: MerchantCredentials | undefined): CredentialsAnswer<MerchantCredentials> => {
    if (service === 'down') return unavailable('CREDENTIALS_UNAVAILABLE', 'the secrets service did not answer');
    return credentials ? { kind: 'credentials', credentials } : unavailable('MERCHANT_UNKNOWN', 'there is no secret');
  };
  return {
    refreshes,
    rotate: (merchant, next) => void stored.set(merchant, next),
    outage: (state) => void (service = state),
    of: async (merchant) => answer(cached.get(merchant)),
    async refresh(merchant) {
      refreshes.push(merchant);
      const fresh = stored.get(merchant);
      if (fresh && service === 'up') cached.set(merchant, fresh);
      return answer(fresh);
    },
  };
}

function unavailable(
  code: CredentialsFailure['code'],
  message: string,
): Extract<CredentialsAnswer, { kind: 'unavailable' }> {
  return { kind: 'unavailable', failure: { code, message } };
}

/** The worker's fingerprint keys in a story: one of 32 bytes. */
const storyKeys: FingerprintKeys = {
  current: 'k1',
  keys: new Map([['k1', createSecretKey(Buffer.alloc(32, 1))]]),
};

/** Fingerprint keys that can be missing. */
export function createFakeFingerprinting(
  keys: FingerprintKeys = storyKeys,
): Fingerprinting & { lose(): void; find(): void } {
  let lost = false;
  return {
    lose: () => void (lost = true),
    find: () => void (lost = false),
    async keys() {
      if (lost) throw new Error('there are no fingerprint keys');
      return keys;
    },
  };
}
