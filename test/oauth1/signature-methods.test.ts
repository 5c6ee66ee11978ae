import { createHmac, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SignatureMethodName } from '../../lib/oauth1/signature-method-names.ts';
import { parseSigningKey, SIGNATURE_METHODS } from '../../lib/oauth1/signature-methods.ts';
import { pkcs8Pem, rsaPair } from './keys.ts';

const baseString = 'POST&https%3A%2F%2Fexample.com%2F&a%3D1';

describe('HMAC-SHA1, RFC 5849 section 3.4.2', () => {
  test.each([
    ['secret', '', 'secret&'],
    ['secret', 'token', 'secret&token'],
    ['', '', '&'],
    ['a&b é', 'c=d', 'a%26b%20%C3%A9&c%3Dd'],
    ['x'.repeat(70), 'y'.repeat(70), `${'x'.repeat(70)}&${'y'.repeat(70)}`],
  ])('consumer secret %j and token secret %j make the key %j', async (consumerSecret, tokenSecret, hmacKey) => {
    const key = parseSigningKey('HMAC-SHA1', consumerSecret);
    const signature = await SIGNATURE_METHODS['HMAC-SHA1'].sign(baseString, key, tokenSecret);
    expect(signature).toBe(createHmac('sha1', hmacKey).update(baseString).digest('base64'));
  });
});

test('RSA-SHA256 is RSASSA-PKCS1-v1_5 over the base string and verifies with the public key', async () => {
  const key = parseSigningKey('RSA-SHA256', pkcs8Pem);
  const signature = await SIGNATURE_METHODS['RSA-SHA256'].sign(baseString, key, 'is not used');
  expect(verify('sha256', Buffer.from(baseString), rsaPair.publicKey, Buffer.from(signature, 'base64'))).toBe(true);
});

test.each<[SignatureMethodName, SignatureMethodName, string]>([
  ['HMAC-SHA1', 'RSA-SHA256', pkcs8Pem],
  ['RSA-SHA256', 'HMAC-SHA1', 'secret'],
])('%s refuses a key of %s', (method, keyMethod, material) => {
  const key = parseSigningKey(keyMethod, material);
  expect(() => SIGNATURE_METHODS[method].sign(baseString, key, '')).toThrow(
    expect.objectContaining({ code: 'OAUTH1_KEY_KIND_MISMATCH' }),
  );
});
