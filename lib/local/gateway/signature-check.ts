// Checks one signature over one base string (RFC 5849 section 3.4.2, and RSASSA-PKCS1-v1_5 with SHA-256).
import { createHmac, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { octetsOfText, percentEncodeOctets } from './percent-encoding.ts';

/** The two methods that the gateway's interface names. */
export type SignatureMethod = 'HMAC-SHA1' | 'RSA-SHA256';

/** The keys that the gateway holds of a merchant. */
export interface MerchantKeys {
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
export function signatureVerifies(claimed: ClaimedSignature, keys: MerchantKeys): boolean {
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
