// The public half of a key, and the proof that two halves belong together.
import { createPrivateKey, createPublicKey, generateKeyPairSync, createHash, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { publicKeyOf, signatureFits } from '../../lib/oauth1/key-pair.ts';
import { pkcs8Pem } from './keys.ts';

const key = { privateKey: createPrivateKey(pkcs8Pem) };

describe('the public half of a key', () => {
  it('is PEM that any tool reads, and its fingerprint is that of its DER form', () => {
    const { pem, fingerprint } = publicKeyOf(key);
    expect(pem).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
    const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
    expect(fingerprint).toBe(createHash('sha256').update(der).digest('hex'));
    expect(pem).not.toContain('PRIVATE');
  });

  it('takes the signatures of its private half, over this very text, and no others', () => {
    const signature = sign('sha256', Buffer.from('text'), key.privateKey).toString('base64');
    expect(signatureFits(key, 'text', signature)).toBe(true);
    expect(signatureFits(key, 'texts', signature)).toBe(false);
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(signatureFits({ privateKey: other.privateKey }, 'text', signature)).toBe(false);
  });
});
