// The form of a URL is kept between requests. Whatever differs from the last request must be seen: a form kept by
// mistake would sign one request and send another.
import { describe, expect, it } from 'vitest';
import { formFor } from '../../lib/oauth1/kept-forms.ts';
import type { RequestOutline } from '../../lib/oauth1/request-form.ts';
import { type RequestToSign, signRequest } from '../../lib/oauth1/sign-request.ts';
import { parseSigningKey } from '../../lib/oauth1/signature-methods.ts';
import { pkcs1Pem } from './keys.ts';

const usual: RequestToSign = {
  method: 'POST',
  url: 'https://gate.example.com/kept',
  params: [
    ['amount', '1'],
    ['note', 'a b'],
  ],
  consumerKey: 'login',
  signatureMethod: 'HMAC-SHA1',
  key: parseSigningKey('HMAC-SHA1', 'control-key'),
  nonce: 'n1',
  timestamp: '1700000000',
};

const variants: readonly (readonly [what: string, changes: Partial<RequestToSign>])[] = [
  ['method', { method: 'PUT' }],
  ['realm', { realm: 'r' }],
  ['signature method', { signatureMethod: 'RSA-SHA256', key: parseSigningKey('RSA-SHA256', pkcs1Pem) }],
  ['consumer key', { consumerKey: 'another-login' }],
  ['token', { token: 't' }],
  ['version', { oauthVersion: null }],
  ['name of a parameter', { params: [...usual.params.slice(0, 1), ['text', 'a b']] }],
  ['first parameter', { params: [['sum', '1'], ...usual.params.slice(1)] }],
  ['number of parameters, one more', { params: [...usual.params, ['extra', 'x']] }],
  ['number of parameters, one fewer', { params: usual.params.slice(0, 1) }],
  ['further protocol parameter', { params: [...usual.params, ['oauth_callback', 'oob']] }],
];

/** As it comes out at a URL that no request has met before. */
async function signedAfresh(request: RequestToSign) {
  return signRequest({ ...request, params: [...request.params, ['unheard', 'of']] }).then(() => signRequest(request));
}

describe('after the usual request, one with another', () => {
  it.each(variants)('%s is signed as if it were the first', async (_, changes) => {
    const variant = { ...usual, ...changes };
    const afresh = await signedAfresh(variant);
    const plain = await signedAfresh(usual);
    expect(await signRequest(variant)).toEqual(afresh);
    expect(await signRequest(usual)).toEqual(plain);
    const { signature: _one, ...others } = afresh;
    expect(plain).not.toMatchObject(others);
  });
});

describe('two requests with further protocol parameters', () => {
  it('are each signed with their own', async () => {
    const withCallback = (callback: string) => ({
      ...usual,
      params: [...usual.params, ['oauth_callback', callback] as const],
    });
    const [one, other] = [await signRequest(withCallback('a')), await signRequest(withCallback('b'))];
    expect(one.authorization).toContain('oauth_callback="a"');
    expect(other.authorization).toContain('oauth_callback="b"');
  });
});

it('a request whose own text looks like a gap is signed as it is written', async () => {
  const signed = await signRequest({ ...usual, consumerKey: '~gap~0~', params: [['~gap~1~', 'x']] });
  expect(signed.authorization).toContain('oauth_consumer_key="~gap~0~"');
  expect(signed.body).toMatch(/^~gap~1~=x&oauth_consumer_key=~gap~0~&/);
});

it('a thousand URLs later all is as it was', async () => {
  const first = await signRequest(usual);
  for (let number = 0; number < 1_000; number += 1) await signRequest({ ...usual, url: `${usual.url}/${number}` });
  expect(await signRequest(usual)).toEqual(first);
});

describe('a form is kept', () => {
  const outline = (url: string): RequestOutline => ({
    method: 'POST',
    url: `https://gate.example.com/${url}`,
    realm: undefined,
    signatureMethod: 'HMAC-SHA1',
    consumerKey: 'login',
    bodyNames: ['amount', 'note'],
    furtherProtocolParameters: [],
  });

  it('while the same is asked for', () => {
    const form = formFor(outline('same'));
    expect(formFor(outline('same'))).toBe(form);
    expect(formFor({ ...outline('same'), bodyNames: ['amount'] })).not.toBe(form);
  });

  it('beside those of other URLs', () => {
    const urls = ['one', 'two', 'three'];
    const forms = urls.map((url) => formFor(outline(url)));
    expect(urls.map((url) => formFor(outline(url))).every((form, index) => form === forms[index])).toBe(true);
  });

  it('until 256 URLs have come after it', () => {
    const form = formFor(outline('first'));
    for (let number = 0; number < 256; number += 1) formFor(outline(`later-${number}`));
    expect(formFor(outline('first'))).not.toBe(form);
  });
});
