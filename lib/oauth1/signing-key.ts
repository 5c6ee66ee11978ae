// The types of signing keys, apart from the code that signs: a module that only passes keys on does not load it.
import type { KeyObject } from 'node:crypto';

/** RFC 5849 section 3.4.2: the consumer secret, for HMAC-SHA1. */
export interface SharedSecretKey {
  readonly kind: 'shared-secret';
  /** `enc(consumer secret)&`: the whole key if there is no token secret, its first part if there is one. */
  readonly secret: KeyObject;
}

/** RFC 5849 section 3.4.3: the RSA private key. */
export interface RsaPrivateKey {
  readonly kind: 'rsa-private-key';
  readonly privateKey: KeyObject;
  readonly bits: number;
}

/** An RSA private key that never leaves its keeper, such as AWS KMS: it signs the digest it is given. */
export interface RsaSigner {
  readonly kind: 'rsa-signer';
  /** The keeper's name of the key; equal names mean the same key. */
  readonly keyId: string;
  /** RSASSA-PKCS1-v1_5 over the SHA-256 digest of the text. Rejects when the keeper does not sign. */
  readonly signDigest: (sha256: Uint8Array) => Promise<Uint8Array>;
}

/** Any key a request can be signed with. */
export type SigningKey = SharedSecretKey | RsaPrivateKey | RsaSigner;

/** The rules for an RSA key. */
export interface RsaKeyOptions {
  /** Accepts keys below 2048 bits, as published test vectors use. Never for money. Default false. */
  readonly allowSmallKeys?: boolean;
}
