// The body of a waiting message, packed and sealed by AES-256-GCM under a data key of the hour. The seal is bound to its order and to its
// own digest, so that no item can be given another's body. Card data in the clear never comes here: it is not kept at all.
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Random } from '../ports.ts';
import type { ParkedJob, SealedBody } from './parked-job.ts';

/** A key that seals bodies for an hour. */
export interface DataKey {
  /** 256 bits. */
  readonly plain: Uint8Array;
  /** The same key, wrapped (base64url), as it is kept beside the bodies that it has sealed. Without the right to unwrap it is useless. */
  readonly wrapped: string;
}

/** The keys under which waiting bodies are sealed. Operators do not have them. */
export interface DataKeys {
  /** The key of this hour. Rejects if none can be had. */
  current(): Promise<DataKey>;
  /** A wrapped key in plain. Rejects if it can't be unwrapped, now or ever. */
  unwrap(wrapped: string): Promise<Uint8Array>;
}

const cipher = 'aes-256-gcm';
const tagBytes = 16;
/** More than any message holds. */
const bodyBytesAtMost = 4_000_000;

/** The digest by which a message is known when it comes again. */
export const bodyDigest = (body: string): string => createHash('sha256').update(body).digest('base64url');

/** Without the tilde of an unproven job: once it is proven, its seal still fits. */
const boundTo = (key: string, digest: string) => Buffer.from(`${key}\n${digest.replace('~', '')}`);

/** Seals a body. Rejects if no key can be had. */
export async function sealBody(
  body: string,
  key: string,
  { dataKeys, random }: { readonly dataKeys: DataKeys; readonly random: Random },
): Promise<SealedBody> {
  const { plain, wrapped } = await dataKeys.current();
  // An id is 120 random bits; their digest is as random, and 96 bits of it are used once per body.
  const iv = createHash('sha256').update(random.id()).digest().subarray(0, 12);
  const sealing = createCipheriv(cipher, plain, iv).setAAD(boundTo(key, bodyDigest(body)));
  const text = Buffer.concat([sealing.update(deflateRawSync(body)), sealing.final(), sealing.getAuthTag()]);
  return { wrappedKey: wrapped, iv: iv.toString('base64url'), text: text.toString('base64url') };
}

/** The opened body. Rejects if its key can't be had, or if it was not sealed for this order. */
export async function openBody(
  { key, digest, sealed }: Pick<ParkedJob, 'key' | 'digest' | 'sealed'>,
  dataKeys: DataKeys,
): Promise<string> {
  const plain = await dataKeys.unwrap(sealed.wrappedKey);
  const bytes = Buffer.from(sealed.text, 'base64url');
  const opening = createDecipheriv(cipher, plain, Buffer.from(sealed.iv, 'base64url'), { authTagLength: tagBytes });
  opening.setAAD(boundTo(key, digest)).setAuthTag(bytes.subarray(-tagBytes));
  const packed = Buffer.concat([opening.update(bytes.subarray(0, -tagBytes)), opening.final()]);
  return inflateRawSync(packed, { maxOutputLength: bodyBytesAtMost }).toString('utf8');
}
