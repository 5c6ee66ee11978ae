import { expect, test } from 'vitest';
import { signatureBaseString } from '../../lib/oauth1/sign-request.ts';

test('three parts, each encoded, the method in upper case (RFC 5849 section 3.4.1.1)', () => {
  expect(signatureBaseString('post', 'http://example.com/r%20v/X', 'a=r%20b&c%40=')).toBe(
    'POST&http%3A%2F%2Fexample.com%2Fr%2520v%2FX&a%3Dr%2520b%26c%2540%3D',
  );
});

test('without parameters the third part is empty', () => {
  expect(signatureBaseString('GET', 'http://example.com/', '')).toBe('GET&http%3A%2F%2Fexample.com%2F&');
});
