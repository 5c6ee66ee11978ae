import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signRequest, type RequestToSign } from '../../lib/oauth1/sign-request.ts';
import { parseSigningKey } from '../../lib/oauth1/signature-methods.ts';
import { pkcs1Pem } from './keys.ts';

const hmacRequest: RequestToSign = {
  method: 'POST',
  url: 'https://gate.example.com/paynet/api/v2/pan-eligibility/send/1',
  params: [
    ['client-order-id', 'INV 1+2'],
    ['note', ''],
  ],
  consumerKey: 'login',
  signatureMethod: 'HMAC-SHA1',
  key: parseSigningKey('HMAC-SHA1', 'control-key'),
  nonce: 'n1',
  timestamp: '1700000000',
};
const rsaRequest: RequestToSign = {
  ...hmacRequest,
  signatureMethod: 'RSA-SHA256',
  key: parseSigningKey('RSA-SHA256', pkcs1Pem),
};

describe('form body', () => {
  test('HMAC-SHA1 repeats the oauth_* parameters, without the signature', async () => {
    const { body } = await signRequest(hmacRequest);
    expect(body).toBe(
      'client-order-id=INV%201%2B2&note=&oauth_consumer_key=login&oauth_nonce=n1' +
        '&oauth_signature_method=HMAC-SHA1&oauth_timestamp=1700000000&oauth_version=1.0',
    );
  });

  test('RSA-SHA256 holds the request alone', async () => {
    expect((await signRequest(rsaRequest)).body).toBe('client-order-id=INV%201%2B2&note=');
  });
});

test('the oauth_* parameters that the body repeats are signed once', async () => {
  const { parameters } = await signRequest(hmacRequest);
  expect(parameters.match(/oauth_nonce/g)).toHaveLength(1);
});

test('a repeated name is sorted in the signature and keeps its order in the body', async () => {
  const params = [
    ['b', '2'],
    ['a', 'z'],
    ['a', 'b'],
    ['a', 'z'],
  ] as const;
  const signed = await signRequest({ ...rsaRequest, params });
  expect(signed.parameters).toMatch(/^a=b&a=z&a=z&b=2&oauth_/);
  expect(signed.body).toBe('b=2&a=z&a=b&a=z');
});

test('the query is signed and requested, but is not in the body', async () => {
  const signed = await signRequest({ ...rsaRequest, url: 'HTTPS://Gate.example.com:443/A?note=x+y#top' });
  expect(signed.url).toBe('https://gate.example.com/A?note=x+y');
  expect(signed.parameters).toMatch(/&note=&note=x%20y&oauth_/);
  expect(signed.baseString).toMatch(/^POST&https%3A%2F%2Fgate.example.com%2FA&/);
  expect(signed.body).not.toContain('x');
});

describe('optional parameters', () => {
  test('token, realm and oauth_version', async () => {
    const { authorization, parameters } = await signRequest({
      ...hmacRequest,
      realm: '',
      token: 't/1',
      oauthVersion: null,
    });
    expect(authorization).toMatch(/^OAuth realm="", oauth_consumer_key="login", oauth_nonce="n1", oauth_signature="/);
    expect(authorization).toMatch(/, oauth_timestamp="1700000000", oauth_token="t%2F1"$/);
    expect(parameters).not.toMatch(/realm|oauth_version/);
  });

  test('a token secret is part of the key', async () => {
    const { signature, baseString } = await signRequest({ ...hmacRequest, tokenSecret: 'ts' });
    expect(signature).toBe(createHmac('sha1', 'control-key&ts').update(baseString).digest('base64'));
  });

  test('another oauth_* parameter is signed and goes into the header', async () => {
    const params = [...rsaRequest.params, ['oauth_callback', 'http://a/b'] as const];
    const { authorization, parameters, body } = await signRequest({ ...rsaRequest, params });
    expect(authorization).toMatch(/^OAuth oauth_callback="http%3A%2F%2Fa%2Fb", oauth_consumer_key=/);
    expect(parameters).toContain('oauth_callback=http%3A%2F%2Fa%2Fb&');
    expect(body).not.toContain('oauth_');
  });

  test('a request parameter called realm is signed like any other', async () => {
    const { parameters } = await signRequest({ ...rsaRequest, params: [['realm', 'x']] });
    expect(parameters).toMatch(/&realm=x$/);
  });
});

describe('the same parameter twice', () => {
  test('oauth_signature is never signed or sent, wherever it is given', async () => {
    const plain = await signRequest(hmacRequest);
    const params = [...hmacRequest.params, ['oauth_signature', 'old'] as const];
    expect(await signRequest({ ...hmacRequest, params })).toEqual(plain);
    const withQuery = await signRequest({ ...hmacRequest, url: `${hmacRequest.url}?oauth_signature=old` });
    expect(withQuery.baseString).toBe(plain.baseString);
  });

  test('an oauth_* parameter with another value is refused, and the value is not repeated', async () => {
    const signing = signRequest({ ...hmacRequest, params: [['oauth_nonce', 'other-nonce']] });
    await expect(signing).rejects.toMatchObject({
      code: 'OAUTH1_PARAMETER_CONFLICT',
      message: expect.not.stringContaining('other-nonce'),
    });
  });

  test('an oauth_* parameter in query and header is refused: a server would count it twice', async () => {
    const signing = signRequest({ ...hmacRequest, url: `${hmacRequest.url}?oauth_nonce=n1` });
    await expect(signing).rejects.toMatchObject({ code: 'OAUTH1_PARAMETER_CONFLICT' });
  });
});
