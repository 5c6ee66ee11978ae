import { describe, expect, test } from 'vitest';
import {
  authorizationHeader,
  parseRequestUrl,
  type RequestToSign,
  signRequest,
} from '../../lib/oauth1/sign-request.ts';
import { parseSigningKey } from '../../lib/oauth1/signature-methods.ts';

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

describe('form body', () => {
  test('HMAC-SHA1 repeats the oauth_* parameters, without the signature', async () => {
    const { body } = await signRequest(hmacRequest);
    expect(body).toBe(
      'client-order-id=INV%201%2B2&note=&oauth_consumer_key=login&oauth_nonce=n1' +
        '&oauth_signature_method=HMAC-SHA1&oauth_timestamp=1700000000&oauth_version=1.0',
    );
  });
});

test('the oauth_* parameters that the body repeats are signed once', async () => {
  const { parameters } = await signRequest(hmacRequest);
  expect(parameters.match(/oauth_nonce/g)).toHaveLength(1);
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

describe('base string URI, RFC 5849 section 3.4.1.2', () => {
  test.each([
    ['HTTP://EXAMPLE.COM:80/r%20v/X?id=123', 'http://example.com/r%20v/X'],
    ['https://www.example.net:8080/?q=1', 'https://www.example.net:8080/'],
    ['https://example.com:443/a', 'https://example.com/a'],
    ['https://example.com:80/a', 'https://example.com:80/a'],
    ['http://example.com:443/a', 'http://example.com:443/a'],
    ['https://example.com:/a', 'https://example.com/a'],
    ['https://example.com', 'https://example.com/'],
    ['https://example.com?a=b', 'https://example.com/'],
    ['https://example.com#f', 'https://example.com/'],
    ['https://Gate.Example.COM/PayNet/API/v4', 'https://gate.example.com/PayNet/API/v4'],
    ['https://example.com/a%2fb%7Ec;p=1//d/', 'https://example.com/a%2fb%7Ec;p=1//d/'],
    ['http://[2001:DB8::1]:8080/a', 'http://[2001:db8::1]:8080/a'],
    ['https://[::1]:443/a', 'https://[::1]/a'],
    ['http://127.0.0.1:4010/a', 'http://127.0.0.1:4010/a'],
  ])('%s gives %s', (url, baseStringUri) => {
    expect(parseRequestUrl(url).baseStringUri).toBe(baseStringUri);
  });

  test.each([
    ['HTTPS://Example.com:443/a?B=%7e+1#f', 'https://example.com/a?B=%7e+1'],
    ['https://example.com?a', 'https://example.com/?a'],
    ['https://example.com/a?', 'https://example.com/a?'],
    ['https://example.com/a#b?c=d', 'https://example.com/a'],
  ])('%s is requested as %s', (url, requested) => {
    expect(parseRequestUrl(url).url).toBe(requested);
  });
});

describe('query, RFC 5849 section 3.4.1.3.1', () => {
  test.each([
    [
      'b5=%3D%253D&a3=a&c%40=&a2=r%20b',
      [
        ['b5', '=%3D'],
        ['a3', 'a'],
        ['c@', ''],
        ['a2', 'r b'],
      ],
    ],
    [
      'a=1+2&b=1%2B2',
      [
        ['a', '1 2'],
        ['b', '1+2'],
      ],
    ],
    [
      'a&b=&=c&&d==e',
      [
        ['a', ''],
        ['b', ''],
        ['', 'c'],
        ['d', '=e'],
      ],
    ],
    [
      'a=%7E&a=%C3%A9',
      [
        ['a', '~'],
        ['a', 'é'],
      ],
    ],
    ['', []],
  ])('%s', (query, pairs) => {
    expect(parseRequestUrl(`https://example.com/a?${query}`).queryParameters).toEqual(pairs);
  });
});

describe('what cannot be requested as it was signed is refused', () => {
  test.each([
    ['no scheme', 'example.com/a'],
    ['another scheme', 'ftp://example.com/a'],
    ['user information', 'https://user:secret@example.com/a'],
    ['no host', 'https:///a'],
    ['a space', 'https://example.com/a b'],
    ['letters beyond ASCII', 'https://example.com/é'],
    ['a host beyond ASCII', 'https://exämple.com/a'],
    ['dot segments', 'https://example.com/a/../b'],
    ['encoded dot segments', 'https://example.com/a/%2e%2E/b'],
    ['a backslash', String.raw`https://example.com/a\b`],
    ['a path that a client would escape', 'https://example.com/{id}'],
    ['a number that is not the usual form of an address', 'https://0x7f000001/a'],
    ['a host that is no address', 'https://1.2.3.4.5/a'],
    ['a port out of range', 'https://example.com:99999/a'],
    ['a line break', 'https://example.com/a\nb'],
    ['a broken escape in the query', 'https://example.com/a?b=%zz'],
    ['an escape that is not UTF-8', 'https://example.com/a?b=%E9'],
  ])('%s', (_, url) => {
    expect(() => parseRequestUrl(url)).toThrow(expect.objectContaining({ code: 'OAUTH1_URL_INVALID' }));
  });

  test('the error does not repeat user information', () => {
    expect(() => parseRequestUrl('https://user:secret@example.com/')).toThrow(/^(?!.*secret)/);
  });

  test('are told in the form in which they would be requested', () => {
    expect(() => parseRequestUrl('https://example.com/a/../b')).toThrow(/ https:\/\/example\.com\/b:/);
  });
});

const pair = (name: string, value: string) => [name, value] as const;

describe('authorizationHeader, RFC 5849 section 3.5.1', () => {
  test('encoded, sorted, quoted, joined by comma and space', () => {
    expect(
      authorizationHeader([
        pair('oauth_version', '1.0'),
        pair('oauth_signature_method', 'HMAC-SHA1'),
        pair('oauth_signature', 'a/b+c='),
        pair('oauth_nonce', ''),
      ]),
    ).toBe(
      'OAuth oauth_nonce="", oauth_signature="a%2Fb%2Bc%3D", oauth_signature_method="HMAC-SHA1", oauth_version="1.0"',
    );
  });

  test.each([
    ['', 'realm=""'],
    ['Photos', 'realm="Photos"'],
    ['http://example.com/a b', 'realm="http://example.com/a b"'],
    [String.raw`say "hi" \ bye`, String.raw`realm="say \"hi\" \\ bye"`],
  ])('realm %j goes first, as a quoted-string', (realm, written) => {
    expect(authorizationHeader([pair('oauth_nonce', 'n')], realm)).toBe(`OAuth ${written}, oauth_nonce="n"`);
  });

  test.each(['a\r\nX-Injected: 1', 'é', '\0', '\u007F'])('realm %j is refused', (realm) => {
    expect(() => authorizationHeader([], realm)).toThrow(expect.objectContaining({ code: 'OAUTH1_REALM_INVALID' }));
  });
});
