// The two halves of an RSA key: the public one, for the checker of our signatures, and the proof that they belong together.
import { constants, createHash, createPublicKey, verify } from 'node:crypto';
import type { RsaPrivateKey } from './signing-key.ts';

/** The public half of a key. */
export interface PublicKey {
  /** SubjectPublicKeyInfo in PEM, as key tools and gateways take it. */
  readonly pem: string;
  /** SHA-256 of its DER form, hexadecimal: two people compare it by telephone. */
  readonly fingerprint: string;
}

/** The public half of a private key. */
export function publicKeyOf({ privateKey }: Pick<RsaPrivateKey, 'privateKey'>): PublicKey {
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return {
    pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    fingerprint: createHash('sha256').update(der).digest('hex'),
  };
}

/** RFC 5849 section 3.4.3: whether an RSA-SHA256 signature (Base64) over the text is this key's, by its public half. */
export function signatureFits(key: Pick<RsaPrivateKey, 'privateKey'>, text: string, signature: string): boolean {
  const checked = { key: createPublicKey(key.privateKey), padding: constants.RSA_PKCS1_PADDING };
  return verify('sha256', Buffer.from(text), checked, Buffer.from(signature, 'base64'));
}
