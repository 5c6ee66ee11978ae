// The scanner finds what it is there for: a scanner that hears nothing proves nothing.
import { expect, it } from 'vitest';
import { scan } from './scanner.ts';

const pan = { name: 'card number', value: '4111111111111111' };
const key = { name: 'control key', value: 'FAKE0000-1111-2222-3333-444444444444' };

it.each([
  ['plain', '{"order":"4111111111111111"}'],
  ['in groups', 'card 4111 1111 1111 1111.'],
  ['over lines', '41111111\n11111111'],
  ['over lines in JSON', '"41111111\\n11111111"'],
  ['Base64', Buffer.from('4111111111111111').toString('base64')],
  ['Base64 within a longer text', Buffer.from('pan=4111111111111111&x=1').toString('base64')],
  ['Base64 one further', Buffer.from('xpan=4111111111111111&x=1').toString('base64')],
  ['Base64url two further', Buffer.from('xxpan=4111111111111111&x=1').toString('base64url')],
  ['percent-encoded', '%34%31%31%31%31%31%31%31%31%31%31%31%31%31%31%31'],
  ['JSON escapes', String.raw`\u0034\u0031${String.raw`\u0031`.repeat(14)}`],
  ['hexadecimal', Buffer.from('4111111111111111').toString('hex')],
])('a card number, %s', (_, text) => {
  expect(scan('log', text, [pan]).map(({ what }) => what)).toContain('card number');
});

it('a key, also in Base64 with line breaks', () => {
  const wrapped = Buffer.from(`{"controlKey":"${key.value}"}`)
    .toString('base64')
    .replace(/(.{20})/g, '$1\n');
  expect(scan('dump', wrapped, [key])).toEqual([{ where: 'dump', what: 'control key' }]);
});

it('a card number that it was not told of', () => {
  expect(scan('log', 'paid with 5555 5555 5555 4444 today', [])).toEqual([
    { where: 'log', what: '16 digits that pass for a card number' },
  ]);
});

it.each(['1795255200000', 'INV-4111111111111112', 'DE89370400440532013000', '9000001', '4111-2222'])(
  'and leaves alone what is none: %s',
  (text) => expect(scan('log', text, [pan, key])).toEqual([]),
);
