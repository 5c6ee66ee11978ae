// Sealing a job's card data before it goes on the queue: what stands in `params` in the clear moves into `sealedParams`,
// which the worker alone can read, for this one order.
import { CompactEncrypt } from 'jose/jwe/compact/encrypt';
import { importJWK } from 'jose/key/import';
import { parseJob } from '../domain/job.ts';
import { operations } from '../domain/operations.ts';
import { type SealAlgorithm, sealAlgorithms, sealEncryption } from '../domain/sealed-params.ts';

/** A job message as its sender writes it, before JSON. */
export interface JobToSeal {
  readonly params: Readonly<Record<string, unknown>>;
  readonly sealedParams?: string;
}

/** The worker's public keys (RFC 7517), as `payouts card-keys jwks` prints them; the first usable one is sealed under. */
export interface CardKeySet {
  readonly keys: readonly { readonly kty?: string; readonly [name: string]: unknown }[];
}

/** What sealing needs. */
export interface SealOptions {
  readonly jwks: CardKeySet;
}

/** The job can't be sealed; `message` names the field and the remedy, never a value. */
class SealError extends Error {
  readonly code = 'NOT_SEALED';
}

/** The job with its card data sealed; as it is where it has none. Throws {@link SealError}. */
export async function sealJob<T extends JobToSeal>(message: T, { jwks }: SealOptions): Promise<T> {
  const parsed = parseJob(JSON.stringify(message));
  if (parsed.kind === 'rejected') {
    throw new SealError(`this is no job: ${parsed.faults.map(({ field, fault }) => `${field} ${fault}`).join('; ')}`);
  }
  const { operation, merchant, orderId, params } = parsed.job;
  const { fields } = operations[operation];
  const isCard = (name: string) => fields[name]?.card !== undefined;
  const card = Object.fromEntries(Object.entries(params).filter(([name]) => isCard(name)));
  if (Object.keys(card).length === 0) return message;
  if (message.sealedParams !== undefined)
    throw new SealError('sealedParams is there already, and so is plain card data');

  const { alg, kid, key } = await sealingKey(jwks);
  const sealedParams = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(card)))
    .setProtectedHeader({ alg, enc: sealEncryption, kid, merchant, orderId, operation })
    .encrypt(key);
  const open = Object.entries(message.params).filter(([name]) => !isCard(name));
  return { ...message, params: Object.fromEntries(open), sealedParams };
}

interface SealingKey {
  readonly alg: SealAlgorithm;
  readonly kid: string;
  readonly key: Awaited<ReturnType<typeof importJWK>>;
}

/** Reading a key takes longer than sealing under it, and a file has thousands of rows. */
const read = new WeakMap<CardKeySet, Promise<SealingKey>>();

function sealingKey(jwks: CardKeySet): Promise<SealingKey> {
  const known = read.get(jwks) ?? readKey(jwks);
  read.set(jwks, known);
  return known;
}

async function readKey({ keys }: CardKeySet): Promise<SealingKey> {
  for (const jwk of keys) {
    const alg = sealAlgorithms.find((name) => name === jwk['alg']);
    const { kid } = jwk;
    if ('d' in jwk)
      throw new SealError('the key set holds a private key; take only what `payouts card-keys jwks` prints');
    if (!alg || typeof kid !== 'string') continue;
    return { alg, kid, key: await importJWK(jwk, alg) };
  }
  throw new SealError(`the key set has no public key with a kid and alg ${sealAlgorithms.join(' or ')}`);
}
