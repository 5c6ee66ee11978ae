// The contract of a signer whose key is elsewhere: what it signs is what the key itself would have signed.
import { hash, type KeyObject, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { signRequest } from '../../lib/oauth1/sign-request.ts';
import type { RsaSigner } from '../../lib/oauth1/signing-key.ts';

/** What the suite needs to know; asked for when a story runs. */
export interface SignerUnderTest {
  readonly signer: RsaSigner;
  readonly publicKey: KeyObject;
  /** A signer of a key that is not there. */
  readonly lost: RsaSigner;
  /** For an emulator that hashes the digest once more. */
  readonly hashesTwice?: boolean;
}

/** Declares the stories. */
export function rsaSignerContract(subject: () => SignerUnderTest): void {
  const request = {
    method: 'POST',
    url: 'https://gate.example.com/paynet/api/v4/transfer/1',
    params: [['order_desc', 'Ünïcode '.repeat(900)]] as const,
    consumerKey: 'login',
    signatureMethod: 'RSA-SHA256',
    nonce: 'n',
    timestamp: '1700000000',
  } as const;

  const signedBy = (text: string, { hashesTwice }: SignerUnderTest) =>
    hashesTwice === true ? hash('sha256', text, 'buffer') : Buffer.from(text);

  it('signs the digest as RSASSA-PKCS1-v1_5 with SHA-256', async () => {
    const it = subject();
    const signature = await it.signer.signDigest(hash('sha256', 'a text', 'buffer'));
    expect(verify('sha256', signedBy('a text', it), it.publicKey, signature)).toBe(true);
    expect(verify('sha256', signedBy('another', it), it.publicKey, signature)).toBe(false);
  });

  it('signs a request of any length, whose signature the public key verifies', async () => {
    const it = subject();
    const { baseString, signature } = await signRequest({ ...request, key: it.signer });
    expect(baseString.length).toBeGreaterThan(4096);
    expect(verify('sha256', signedBy(baseString, it), it.publicKey, Buffer.from(signature, 'base64'))).toBe(true);
  });

  it('a key that is not there: refused before anything is sent, in words without account or key', async () => {
    await expect(signRequest({ ...request, key: subject().lost })).rejects.toMatchObject({
      code: 'OAUTH1_SIGNER_FAILED',
      message: 'The keeper of the private key did not sign.',
    });
  });
}
