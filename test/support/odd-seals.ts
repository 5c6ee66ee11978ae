// Seals that anybody with the public keys may make: right in all but the point of a story.
import type { CardKey } from '../../lib/card-data/sealed-params.ts';
import { CompactEncrypt } from 'jose/jwe/compact/encrypt';
import { importJWK } from 'jose/key/import';
import { cardJwks } from './card-keys.ts';

const encoder = new TextEncoder();
const textOf = (content: unknown) => (typeof content === 'string' ? content : JSON.stringify(content));

/** The header of a seal for the transfer of the builders. */
const rightHeader = {
  alg: 'ECDH-ES',
  enc: 'A256GCM',
  kid: 'ec-1',
  merchant: 'acme-eu',
  orderId: 'TRF-1',
  operation: 'transfer',
  /** The digest of no job: a story whose seal must be taken names its own ({@link plainDigest}). */
  plain: 'of-no-job',
};

/** A seal over this content, with these changes of its header. */
export async function aSeal(content: unknown, header: object = {}, key?: Uint8Array): Promise<string> {
  const jwk = cardJwks.keys.find(({ kid }) => kid === 'ec-1') ?? {};
  return new CompactEncrypt(encoder.encode(textOf(content)))
    .setProtectedHeader({ ...rightHeader, ...header })
    .encrypt(key ?? (await importJWK(jwk, 'ECDH-ES')));
}

/** A seal under the key of an order, as a CVV is sealed. */
export function aCodeSeal(content: string, { id, secret }: CardKey): Promise<string> {
  return new CompactEncrypt(encoder.encode(content))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: id })
    .encrypt(Buffer.from(secret, 'base64url'));
}
