import { describe, expect, test } from 'vitest';
import { normalizeParameters, type Parameter } from '../../lib/oauth1/parameters.ts';

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
    'upper case before lower case, no natural order of numbers',
    [
      ['b', ''],
      ['B', ''],
      ['a10', ''],
      ['a2', ''],
      ['_', ''],
      ['~', ''],
    ],
    'B=&_=&a10=&a2=&b=&~=',
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
