// What passes for card data in a text, and what does not; each rule by one story, the shares of many by the bench.
import { describe, expect, it } from 'vitest';
import { cardDataInName, holdsCardData, withoutCardData, withoutCardNumbers } from '../../lib/gateway/redact.ts';
import { isCardNumber } from '../../lib/gateway/card-numbers.ts';

describe('a card number is told from other numbers', () => {
  it.each(['4111111111111111', '5555555555554444', '2200000000000004', '378282246310005', '6304000000000000'])(
    '%s is one',
    (digits) => expect(isCardNumber(digits)).toBe(true),
  );

  it.each([
    ['the check digit is wrong', '4111111111111112'],
    ['no network begins so', '9111111111111116'],
    ['too short', '411111111116'],
    ['too long', '41111111111111111117'],
  ])('%s', (_, digits) => {
    expect(isCardNumber(digits)).toBe(false);
  });
});

describe('a card number is told by network, length and check digit', () => {
  it.each([
    ['Visa', '4111111111111111'],
    ['Mastercard', '2221000000000009'],
    ['Mir', '2200123456789019'],
    ['American Express', '378282246310005'],
    ['UnionPay', '6200000000000005'],
    ['RuPay', '8150123456789016'],
    ['Uzcard', '8600123456789012'],
    ['Humo', '9860123456789015'],
    ['Troy', '9792123456789018'],
    ['Elcart', '9417123456789013'],
    ['Visa of thirteen digits', '4111111111119'],
    ['Visa of nineteen digits', '4111111111111111110'],
  ])('%s', (_, number) => {
    expect(withoutCardNumbers(`to ${number} now`, '[card]')).toBe('to [card] now');
    expect(holdsCardData(number)).toBe(true);
  });

  it.each([
    ['that begins with a date', '2026110400001239'],
    ['of no network', '7999123456789012'],
    ['with another check digit', '4111111111111112'],
    ['of twelve digits', '411111111117'],
    ['of twenty digits', '41111111111111111115'],
  ])('and no reference %s', (_, reference) => {
    expect(withoutCardNumbers(`ref ${reference}`, '[card]', 'refuse')).toBe(`ref ${reference}`);
  });
});

describe('a number in groups', () => {
  it.each([
    ['blanks', '4111 1111 1111 1111', '[card]'],
    ['dashes, after another number', 'row 12: 4111-1111-1111-1111.', 'row 12: [card].'],
    ['a line break', '41111111\n11111111', '[card]'],
    ['twice', '4111 1111 1111 1111, 5555 5555 5555 4444', '[card], [card]'],
    ['before more digits', '4111 1111 1111 1111 99', '[card] 99'],
    ['that are dates and amounts', '2026-11-22 10.42 99.00 17', '2026-11-22 10.42 99.00 17'],
  ])('by %s', (_, text, clean) => {
    expect(withoutCardNumbers(text, '[card]')).toBe(clean);
    expect(holdsCardData(text)).toBe(text !== clean);
  });
});

it.each([
  ['CVV 737', 'CVV *'],
  ['cvv2=1234', 'cvv2=*'],
  ['security code: 737, then 4111111111111111', 'security code: *, then *'],
  ['code 737', 'code 737'],
  ['cvv 73', 'cvv 73'],
  ['cvv 73712', 'cvv 73712'],
])('a code that is named as one goes too: %s', (text, clean) => {
  expect(withoutCardNumbers(text, '*')).toBe(clean);
});

// An escape of JSON has four digits (RFC 8259, section 7): those behind it are its reader's, a card's perhaps.
it.each([
  ['with invisible characters between the groups', String.raw`4111\u200b1111\u200b1111\u200b1111`],
  ['with blanks that do not break between them', String.raw`4111\u00a01111\u00a01111\u00a01111`],
  ['that begins with an escape', String.raw`\u0034111111111111111`],
  ['as a code behind its name', String.raw`cv\u0076 737`],
])('a number in the escapes of JSON %s', (_, text) => {
  expect(holdsCardData(text)).toBe(true);
  expect(withoutCardData(text, '*')).toBe('*');
});

it.each([
  ['cells of a table', '<td>4111</td><td>1111</td><td>1111</td><td>1111</td>'],
  ['marks around each digit', [...'4111111111111111'].map((it) => `<b>${it}</b>`).join('')],
  ['values of JSON that broke off', '{"a":"4111","b":"1111","c":"1111","d":"1111","e'],
])('a number in %s is cut out wherever it is refused', (_, text) => {
  expect(holdsCardData(text)).toBe(true);
  const clean = withoutCardData(text, '*');
  expect([clean.replaceAll(/\D/g, ''), holdsCardData(clean)]).toEqual(['', false]);
});

// ISO/IEC 7813: number, separator, expiry, service code and what the issuer likes; chips (EMV 4.3, book 3, tag 57) write the separator as D.
it.each([
  '4111111111111111D30121010000000000000',
  '4111111111111111d30121010000012345678f',
  '5555555555554444D3012101',
])('the second track of a card is no digest, though it reads as hexadecimal: %s', (track) => {
  expect(holdsCardData(track)).toBe(true);
  expect(cardDataInName(track)).toBeDefined();
});
