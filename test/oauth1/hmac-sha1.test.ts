import { createHmac, createSecretKey } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hmacSha1 } from '../../lib/oauth1/hmac-sha1.ts';

test('the test of RFC 2202: case 2', () => {
  const digest = hmacSha1(createSecretKey('Jefe', 'utf8'), 'what do ya want for nothing?');
  expect(Buffer.from(digest, 'base64').toString('hex')).toBe('effcdf6ae5eb2fa2d27416d5f184df9c259a7c79');
});

test('agrees with createHmac, whatever the key and its length', () => {
  const ascii = fc.string({ unit: 'binary-ascii', maxLength: 3000 });
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), ascii, (secret, text) => {
      const key = createSecretKey(secret);
      const expected = createHmac('sha1', secret).update(text).digest('base64');
      expect(hmacSha1(key, text)).toBe(expected);
      expect(hmacSha1(key, text), 'the second time, with the blocks kept').toBe(expected);
    }),
    { numRuns: 500 },
  );
});
