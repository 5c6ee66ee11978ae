import { describe, expect, test } from 'vitest';
import { parseRequestUrl } from '../../lib/oauth1/sign-request.ts';

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
});
