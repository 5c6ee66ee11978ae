// Seals a job's card data before it goes on the queue: the card fields of `params` move into `sealedParams`, which only the worker can
// read, and only for this order.
import { randomBytes } from 'node:crypto';
import { CompactEncrypt } from 'jose/jwe/compact/encrypt';
import { importJWK } from 'jose/key/import';
import {
  type CardKeyStore,
  type SealAlgorithm,
  sealAlgorithms,
  type SealedOrder,
  sealEncryption,
} from '../card-data/sealed-params.ts';
import { parseJob } from '../payout/message/job.ts';
import { plainDigest } from '../payout/message/plain-digest.ts';
import { operations } from '../gateway/operations.ts';

/** A job message as its sender writes it, before JSON. */
export interface JobToSeal {
  readonly params: Readonly<Record<string, unknown>>;
  readonly sealedParams?: string;
}

/** The worker's public keys (RFC 7517), as `payouts card-keys jwks` prints them. The first usable key seals. */
export interface CardKeySet {
  readonly keys: readonly { readonly kty?: string; readonly [name: string]: unknown }[];
}

/** The options of sealing. */
export interface SealOptions {
  readonly jwks: CardKeySet;
  /** The store for the keys of CVVs; needed for jobs that have one. */
  readonly cardKeys?: CardKeyStore;
}

/** A job that cannot be sealed; `message` names the field and the remedy, never a value. */
export class SealError extends Error {
  readonly code = 'NOT_SEALED';
}

/**
 * The job with its card data sealed; unchanged if it has none. The seal binds every other field, so later changes break it; only
 * `approval` may be added. Throws {@link SealError}.
 */
export async function sealJob<T extends JobToSeal>(message: T, { jwks, cardKeys }: SealOptions): Promise<T> {
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
    throw new SealError('sealedParams is given, and plain card data too: give one of them');

  const order = { merchant, orderId, operation };
  const { alg, kid, key } = await sealingKey(jwks);
  for (const [name, value] of Object.entries(card)) {
    if (fields[name]?.singleUse) card[name] = await sealCode(value, order, cardKeys);
  }
  const inTheClear = Object.fromEntries(Object.entries(params).filter(([name]) => !isCard(name)));
  const plain = plainDigest({ ...parsed.job, params: inTheClear });
  const sealedParams = await encrypted(JSON.stringify(card), { alg, kid, ...order, plain }, key);
  const open = Object.entries(message.params).filter(([name]) => !isCard(name));
  return { ...message, params: Object.fromEntries(open), sealedParams };
}

/** Seals under a key that only the claim of this order can take. The key is stored first: without it the seal cannot be opened. */
async function sealCode(value: string, order: SealedOrder, cardKeys: CardKeyStore | undefined): Promise<string> {
  if (!cardKeys) throw new SealError('a CVV needs a store for its key: give cardKeys, or leave the CVV out');
  const { id, secret } = await cardKeys.deposit(order, { id: randomText(9), secret: randomText(32) });
  return encrypted(value, { alg: 'dir', kid: id }, Buffer.from(secret, 'base64url'));
}

const randomText = (bytes: number) => randomBytes(bytes).toString('base64url');

function encrypted(
  text: string,
  header: { readonly alg: string; readonly kid: string; readonly [name: string]: string },
  key: Parameters<CompactEncrypt['encrypt']>[0],
): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ ...header, enc: sealEncryption })
    .encrypt(key);
}

interface SealingKey {
  readonly alg: SealAlgorithm;
  readonly kid: string;
  readonly key: Awaited<ReturnType<typeof importJWK>>;
}

/** Kept by key set: reading a key takes longer than sealing, and a file has thousands of rows. */
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
