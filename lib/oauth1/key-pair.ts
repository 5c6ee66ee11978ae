// The public half of an RSA key, which the gateway needs to check our signatures, and a check that a signature fits the key.
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

/** RFC 5849 section 3.4.3: true if the RSA-SHA256 signature (Base64) over the text was made by this key. */
export function signatureFits(key: Pick<RsaPrivateKey, 'privateKey'>, text: string, signature: string): boolean {
  const checked = { key: createPublicKey(key.privateKey), padding: constants.RSA_PKCS1_PADDING };
  return verify('sha256', Buffer.from(text), checked, Buffer.from(signature, 'base64'));
}
