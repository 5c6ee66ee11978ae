import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizeParameters, type Parameter, percentEncode } from '../../lib/oauth1/parameters.ts';
import { anyText } from '../support/any-text.ts';

describe('percentEncode, RFC 5849 section 3.6', () => {
  test.each([
    ['abcXYZ0123456789-._~', 'abcXYZ0123456789-._~'],
    ["!'()*", '%21%27%28%29%2A'],
    [' ', '%20'],
    ['+', '%2B'],
    ['%', '%25'],
    ['&=*', '%26%3D%2A'],
    ['\n', '%0A'],
    ['\u007F', '%7F'],
    ['\u0080', '%C2%80'],
    ['\u3001', '%E3%80%81'],
    ['é', '%C3%A9'],
    ['😀', '%F0%9F%98%80'],
    ['Иванов', '%D0%98%D0%B2%D0%B0%D0%BD%D0%BE%D0%B2'],
    ['a/b é/c', 'a%2Fb%20%C3%A9%2Fc'],
    ['%7E', '%257E'],
    ['\0', '%00'],
    ['', ''],
  ])('%j becomes %s', (text, encoded) => {
    expect(percentEncode(text)).toBe(encoded);
  });

  test.each(['\uD800', 'a\uDC00', '\uDE00\uD83D', 'é\uD83D'])('a lone surrogate is refused: %j', (text) => {
    expect(() => percentEncode(text)).toThrow(expect.objectContaining({ code: 'OAUTH1_TEXT_MALFORMED' }));
  });

  test('agrees with octet by octet, for any Unicode text', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 60 }), (text) => {
        const expected = octetByOctet(text);
        expect(percentEncode(text)).toBe(expected);
        expect(decodeURIComponent(percentEncode(text))).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });
});

function octetByOctet(text: string): string {
  return [...Buffer.from(text, 'utf8')]
    .map((octet) => {
      const character = String.fromCharCode(octet);
      if (/[A-Za-z0-9\-._~]/.test(character)) return character;
      return `%${octet.toString(16).padStart(2, '0').toUpperCase()}`;
    })
    .join('');
}

const cases: [story: string, parameters: Parameter[], normalised: string][] = [
  [
    'the example of RFC 5849 section 3.4.1.3.2',
    [
      ['b5', '=%3D'],
      ['a3', 'a'],
      ['c@', ''],
      ['a2', 'r b'],
      ['c2', ''],
      ['a3', '2 q'],
    ],
    'a2=r%20b&a3=2%20q&a3=a&b5=%3D%253D&c%40=&c2=',
  ],
  [
    'an encoded name sorts by its percent sign: ! is %21, before digits and letters but after a name that ended',
    [
      ['a-', '3'],
      ['a0', '4'],
      ['a!', '2'],
      ['a', '1'],
    ],
    'a=1&a%21=2&a-=3&a0=4',
  ],
  [
    'beyond ASCII the octets decide, not UTF-16: U+FF5E sorts before U+1F600',
    [
      ['😀', ''],
      ['～', ''],
    ],
    '%EF%BD%9E=&%F0%9F%98%80=',
  ],
  [
    'the same name by its encoded value; equal pairs stay both',
    [
      ['a', 'b'],
      ['a', '~'],
      ['a', ' '],
      ['a', ''],
      ['a', 'b'],
    ],
    'a=&a=%20&a=b&a=b&a=~',
  ],
  [
    'a name that begins another: the name ends before its equals sign is compared',
    [
      ['order-id', '1'],
      ['order', '2'],
      ['order.id', '3'],
      ['order1', '4'],
    ],
    'order=2&order-id=1&order.id=3&order1=4',
  ],
  ['nothing', [], ''],
];

describe('normalizeParameters, RFC 5849 section 3.4.1.3.2', () => {
  test.each(cases)('%s', (_, parameters, normalised) => {
    expect(normalizeParameters(parameters)).toBe(normalised);
    expect(normalizeParameters(parameters.toReversed())).toBe(normalised);
  });
});
