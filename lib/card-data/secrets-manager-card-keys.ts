// `<prefix>_card`: the private keys under which senders seal card data for the worker, by key id, out of Secrets Manager.
// Senders see the public halves as a JWKS; a key stays here as long as a message that was sealed under it may come. A key
// id that is not known is looked up again: keys rotate, and a sender may be ahead of this process.
import { createPrivateKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto';
import * as v from 'valibot';
import { SecretFault, validated } from '../aws/secret-schemas.ts';
import { createSecretCache, isGone, type SecretsManagerOptions } from '../aws/secrets-manager-credentials.ts';
import type { Failure } from '../payout/message/failures.ts';
import type { SealAlgorithm } from './sealed-params.ts';

/** The secret's name after the prefix; no merchant's name may begin with "_". */
export const cardSecretName = '_card';

/** One private key and its algorithm. Key objects never print. */
interface CardKey {
  readonly alg: SealAlgorithm;
  readonly key: KeyObject;
}

/** A private key of the worker, or why there is none. */
export type CardKeyAnswer =
  | ({ readonly kind: 'key' } & CardKey)
  /** No such key, in the secret as it is stored now. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable'; readonly failure: Failure };

/** The worker's private card keys by id. Never rejects. */
export interface CardKeys {
  of(kid: string): Promise<CardKeyAnswer>;
}

/** The keys of the secret; `current` is the one to seal under. */
export interface Keyring {
  readonly current: string;
  readonly keys: ReadonlyMap<string, CardKey>;
}

const schema = v.pipe(
  v.strictObject({
    /** The key that senders are to use. */
    current: v.pipe(v.string('must be text'), v.nonEmpty('must not be empty')),
    /** Key id to private key as a JWK (RFC 7517). */
    keys: v.record(
      v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,16}$/, 'must have an id of 1 to 16 letters or digits')),
      v.looseObject({ kty: v.picklist(['EC', 'RSA'], 'must be "EC" or "RSA"') }, 'must be a JWK'),
    ),
  }),
  v.check((it) => Object.hasOwn(it.keys, it.current), 'must name one of its keys as current'),
);

/** Reads the secret. Throws {@link SecretFault}. */
export function readCardSecret(text: string): Keyring {
  const { current, keys } = validated(schema, text);
  return { current, keys: new Map(Object.entries(keys).map(([kid, jwk]) => [kid, cardKey(kid, jwk)])) };
}

function cardKey(kid: string, jwk: Readonly<Record<string, unknown>>): CardKey {
  const key = privateKey(jwk);
  const { namedCurve, modulusLength = 0 } = key?.asymmetricKeyDetails ?? {};
  if (key?.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return { alg: 'ECDH-ES', key };
  if (key?.asymmetricKeyType === 'rsa' && modulusLength >= 2048) return { alg: 'RSA-OAEP-256', key };
  throw new SecretFault(`keys.${kid} is no private key as a JWK: EC on P-256, or RSA of at least 2048 bits`);
}

function privateKey(jwk: Readonly<Record<string, unknown>>): KeyObject | undefined {
  try {
    const input: JsonWebKeyInput = { key: jwk, format: 'jwk' };
    return createPrivateKey(input);
  } catch {
    return undefined;
  }
}

/** A sender who can write to the queue can name any key: a fetch for each message would let that sender use up Secrets Manager. */
const lookAnewAfterMs = 10_000;

/** Card keys over one secret prefix. */
export function createSecretsManagerCardKeys(options: SecretsManagerOptions): CardKeys {
  const secrets = createSecretCache(options, readCardSecret);
  let lookedAnewAtMs = -lookAnewAfterMs;

  async function find(kid: string) {
    const known = await secrets.current(cardSecretName);
    const key = known.value.keys.get(kid);
    const nowMs = options.clock.nowMs();
    if (key || nowMs - lookedAnewAtMs < lookAnewAfterMs) return key;
    lookedAnewAtMs = nowMs;
    return (await secrets.otherThan(cardSecretName, known.version)).value.keys.get(kid);
  }

  return {
    async of(kid) {
      try {
        const key = await find(kid);
        return key ? { kind: 'key', ...key } : { kind: 'unknown' };
      } catch (error) {
        return { kind: 'unavailable', failure: failureOf(error) };
      }
    },
  };
}

function failureOf(error: unknown): Failure {
  if (isGone(error)) return { code: 'SECRET_INVALID', message: 'the worker has no secret "_card" with card keys' };
  if (error instanceof SecretFault) return { code: error.code, message: `the worker's card keys: ${error.message}` };
  return { code: 'CREDENTIALS_UNAVAILABLE', message: 'Secrets Manager did not answer' };
}
