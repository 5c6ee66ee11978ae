import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  parseRsaPrivateKey,
  parseSharedSecret,
  parseSigningKey,
  SIGNATURE_METHODS,
} from '../../lib/oauth1/signature-methods.ts';
import { pkcs1Pem, pkcs8Pem, rsaPair } from './keys.ts';
import { type SignatureMethodName, OAuth1Error } from '../../lib/oauth1/vocabulary.ts';

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

test.each<[SignatureMethodName, SignatureMethodName, string]>([
  ['HMAC-SHA1', 'RSA-SHA256', pkcs8Pem],
  ['RSA-SHA256', 'HMAC-SHA1', 'secret'],
])('%s refuses a key of %s', (method, keyMethod, material) => {
  const key = parseSigningKey(keyMethod, material);
  expect(() => SIGNATURE_METHODS[method].sign(baseString, key, '')).toThrow(
    expect.objectContaining({ code: 'OAUTH1_KEY_KIND_MISMATCH' }),
  );
});

const pem = (type: 'pkcs8' | 'sec1', key: KeyObject): string => key.export({ type, format: 'pem' }).toString();
const secretPartOf = (text: string): string => text.split('\n')[3] ?? '';

describe('an RSA private key is read from', () => {
  test.each([
    ['PKCS#1', pkcs1Pem],
    ['PKCS#8', pkcs8Pem],
    ['CRLF line ends', pkcs8Pem.replaceAll('\n', '\r\n')],
    ['one line with literal \\n', pkcs1Pem.replaceAll('\n', String.raw`\n`)],
    ['one line with literal \\r\\n', pkcs1Pem.replaceAll('\n', String.raw`\r\n`)],
    ['one line with spaces', pkcs8Pem.replaceAll('\n', ' ')],
    ['spaces and lines around it', `\n  ${pkcs8Pem}\n\n `],
    ['indented lines, as from YAML', pkcs1Pem.replaceAll('\n', '\n    ')],
    ['no line end at the end', pkcs8Pem.trimEnd()],
    ['a byte order mark before it', `\uFEFF${pkcs8Pem}`],
    ['PKCS#8 under the label of PKCS#1', pkcs8Pem.replaceAll('PRIVATE KEY', 'RSA PRIVATE KEY')],
    ['quotes around it', `"${pkcs1Pem.replaceAll('\n', String.raw`\n`)}"`],
  ])('%s', (_, text) => {
    const key = parseRsaPrivateKey(text);
    expect(key.bits).toBe(2048);
    expect(key.privateKey.equals(rsaPair.privateKey)).toBe(true);
  });
});

describe('a key is refused', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const edwards = generateKeyPairSync('ed25519').privateKey;
  const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey;
  const encrypted = { cipher: 'aes-256-cbc', passphrase: 'secret', format: 'pem' } as const;
  const cases: [why: string, text: string, code: string][] = [
    ['below 2048 bits', pem('pkcs8', small), 'OAUTH1_KEY_TOO_SMALL'],
    ['an elliptic curve key, SEC1', pem('sec1', elliptic), 'OAUTH1_KEY_NOT_RSA'],
    ['an elliptic curve key, PKCS#8', pem('pkcs8', elliptic), 'OAUTH1_KEY_NOT_RSA'],
    ['an Ed25519 key', pem('pkcs8', edwards), 'OAUTH1_KEY_NOT_RSA'],
    ['an RSA key for PSS only', pem('pkcs8', pss), 'OAUTH1_KEY_NOT_RSA'],
    ['a public key', rsaPair.publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'OAUTH1_KEY_NOT_RSA'],
    ['encrypted PKCS#8', rsaPair.privateKey.export({ type: 'pkcs8', ...encrypted }).toString(), 'OAUTH1_KEY_ENCRYPTED'],
    ['encrypted PKCS#1', rsaPair.privateKey.export({ type: 'pkcs1', ...encrypted }).toString(), 'OAUTH1_KEY_ENCRYPTED'],
    ['cut short', pkcs1Pem.slice(0, 900), 'OAUTH1_KEY_UNREADABLE'],
    ['a line lost', pkcs1Pem.replace(`${secretPartOf(pkcs1Pem)}\n`, ''), 'OAUTH1_KEY_UNREADABLE'],
    ['the shared secret instead', 'F9F65098-93B1', 'OAUTH1_KEY_UNREADABLE'],
    ['nothing', '', 'OAUTH1_KEY_UNREADABLE'],
  ];

  test.each(cases)('%s', (_, text, code) => {
    const error = errorOf(() => parseRsaPrivateKey(text));
    expect(error).toMatchObject({ name: 'OAuth1Error', code });
    // Whatever a log does with the error, no line of the key is in it.
    const shown = inspect(error, { depth: 9, showHidden: true });
    for (const line of text.split('\n').filter((each) => each.length > 20 && !each.includes('-----'))) {
      expect(shown).not.toContain(line);
    }
    expect(shown).not.toContain('F9F65098');
  });
});

test('a key that is logged shows nothing of the secret', () => {
  const keys = [parseSharedSecret('F9F65098-93B1'), parseRsaPrivateKey(pkcs1Pem)];
  const shown = inspect(keys, { depth: 9, showHidden: true }) + JSON.stringify(keys);
  expect(shown).not.toContain('F9F65098');
  expect(shown).not.toContain(secretPartOf(pkcs1Pem));
});

function errorOf(run: () => unknown): OAuth1Error | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof OAuth1Error) return error;
    throw error;
  }
  return undefined;
}
