// What an error of signing says: it reaches the merchant as the reason of a result, so it must say what to mend.
import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  authorizationHeader,
  parseRequestUrl,
  type RequestToSign,
  signRequest,
} from '../../lib/oauth1/sign-request.ts';
import { percentEncode } from '../../lib/oauth1/parameters.ts';
import { parseRsaPrivateKey, parseSigningKey, SIGNATURE_METHODS } from '../../lib/oauth1/signature-methods.ts';
import { pkcs1Pem } from './keys.ts';

const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const secret = parseSigningKey('HMAC-SHA1', 'control-key');
const block = (label: string, content: string) => `-----BEGIN ${label}-----${content}-----END ${label}-----`;

test.each<[string, () => unknown]>([
  ['The realm may hold printable ASCII only.', () => authorizationHeader([], 'é')],
  ['A name or value holds a lone surrogate: send well-formed Unicode.', () => percentEncode('\uD800')],
  [
    'The URL must be http:// or https://, without user information, percent-encoded to visible ASCII.',
    () => parseRequestUrl('ftp://example.com/'),
  ],
  ['The host or port cannot exist.', () => parseRequestUrl('https://example.com:99999/a')],
  [
    'The URL would be requested as https://example.com/b: give it in that form.',
    () => parseRequestUrl('https://example.com/a/../b'),
  ],
  ['The query of the URL holds a malformed percent-escape.', () => parseRequestUrl('https://example.com/a?b=%zz')],
  [
    'The signature method needs a rsa-private-key, not a shared-secret.',
    () => SIGNATURE_METHODS['RSA-SHA256'].sign('x', secret, ''),
  ],
  ['The RSA key has 1024 bits, at least 2048 needed.', () => parseRsaPrivateKey(small.toString())],
  [
    'An RSA key is needed, this one is ec.',
    () => parseRsaPrivateKey(elliptic.export({ type: 'pkcs8', format: 'pem' }).toString()),
  ],
  [
    'The key is a EC PRIVATE KEY, an RSA PRIVATE KEY or PRIVATE KEY is needed.',
    () => parseRsaPrivateKey(elliptic.export({ type: 'sec1', format: 'pem' }).toString()),
  ],
  [
    'The content of the PRIVATE KEY cannot be read: is it cut short?',
    () => parseRsaPrivateKey(block('PRIVATE KEY', 'AAAA')),
  ],
  [
    'The private key is encrypted: store it without a passphrase.',
    () => parseRsaPrivateKey(block('ENCRYPTED PRIVATE KEY', 'AAAA')),
  ],
  [
    'No PEM key found: "-----BEGIN RSA PRIVATE KEY-----" is expected.',
    () => parseRsaPrivateKey(pkcs1Pem.replace('-----END RSA PRIVATE KEY-----', '-----END PRIVATE KEY-----')),
  ],
])('%s', (message, run) => {
  expect(run).toThrow(expect.objectContaining({ name: 'OAuth1Error', message }));
});

test.each<[string, Partial<RequestToSign>]>([
  ['oauth_nonce is given twice, with different values.', { params: [['oauth_nonce', 'other']] }],
  [
    'oauth_callback is given twice, with different values.',
    {
      params: [
        ['oauth_callback', 'a'],
        ['oauth_callback', 'b'],
      ],
    },
  ],
  ["oauth_token is in the URL's query and in the header.", { url: 'https://example.com/a?oauth_token=t', token: 't' }],
])('%s', async (message, changes) => {
  const request: RequestToSign = {
    method: 'POST',
    url: 'https://example.com/a',
    params: [],
    consumerKey: 'login',
    signatureMethod: 'HMAC-SHA1',
    key: secret,
    nonce: 'n1',
    timestamp: '1700000000',
  };
  await expect(signRequest({ ...request, ...changes })).rejects.toMatchObject({
    code: 'OAUTH1_PARAMETER_CONFLICT',
    message,
  });
});
