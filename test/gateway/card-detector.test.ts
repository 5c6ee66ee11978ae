// What passes for card data in a text, and what does not; each rule by one story, the shares of many by the bench.
import { describe, expect, it } from 'vitest';
import {
  cardDataInName,
  holdsCardData,
  isCardAccount,
  withoutCardData,
  withoutCardNumbers,
} from '../../lib/gateway/redact.ts';
import { orderIds, references } from '../support/disguised-cards.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';

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
    ['Maestro', '6304000000000000'],
    ['Visa of nineteen digits', '4111111111111111110'],
  ])('%s', (_, number) => {
    expect(withoutCardNumbers(`to ${number} now`, '[card]')).toBe('to [card] now');
    expect(holdsCardData(number)).toBe(true);
  });

  it.each([
    ['that begins with a date', '2026110400001239'],
    ['of no network', '7999123456789012'],
    ['of no network, with a check digit', '9111111111111116'],
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

describe('honest numbers are taken for no card', () => {
  const some = <T>(kinds: Readonly<Record<string, (chance: () => number) => T>>, kind: string) => {
    const { chance } = createSeededRandom(20_261_129);
    return Array.from({ length: 3_000 }, () => kinds[kind]?.(chance) ?? expect.unreachable());
  };

  it.each(['an id of a shop (Shopify)', 'an EAN-13', "a creditor's reference", 'an account of Mexico'])(
    'as an order id: %s',
    (kind) => expect(some(orderIds, kind).filter((it) => cardDataInName(it))).toEqual([]),
  );

  it.each([
    'id of a shop (Shopify)',
    'EAN-13',
    "creditor's reference (ISO 11649)",
    "creditor's reference in groups",
    'CLABE (account of Mexico)',
  ])('as a reference in words: %s', (kind) =>
    expect(some(references, kind).filter((it) => holdsCardData(`Invoice ${it} of May`))).toEqual([]),
  );

  it.each(['CLABE (account of Mexico)', 'IBAN', 'IBAN in groups', 'account of twenty digits'])(
    'as an account: %s',
    (kind) => expect(some(references, kind).filter((it) => isCardAccount(it))).toEqual([]),
  );

  it('as an IBAN that was mistyped', () => {
    const mistyped = some(references, 'IBAN').map((iban) => iban.slice(0, -1) + String((Number(iban.at(-1)) + 1) % 10));
    expect(mistyped.filter((it) => isCardAccount(it))).toEqual([]);
  });
});

it.each([
  '4111111111111111|12|2030|737',
  '4111 1111 1111 1111|12|2030|737',
  '4111111111111111;2030;12',
  '5555555555554444/12/30/737',
  '%B4111111111111111^DOE/JOHN^30121010000000000000?',
  ';4111111111111111=30121010000012345678?',
  '4111111111111111D30121010000012345678F',
  '378282246310005:1230:7373',
])('a card with what is beside it on a dump or a track is no account: %s', (dump) => {
  expect(isCardAccount(dump)).toBe(true);
});

it.each([
  '4111111111111112|12|2030|737',
  '61 1090 1014 0000 0712 1981 2874',
  '2100-0418-45-0200051332',
  '12345678|BIC',
])('and an account in groups is one: %s', (account) => {
  expect(isCardAccount(account)).toBe(false);
});
