import { describe, expect, it } from 'vitest';
import { holdsCardNumber, withoutCardNumbers, withoutNumbersAndCodes } from '../../lib/payout/card-fields.ts';

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
    expect(holdsCardNumber({ note: [Number(number)] })).toBe(true);
  });

  it.each([
    ['that begins with a date', '2026110400001239'],
    ['of no network', '7999123456789012'],
    ['with another check digit', '4111111111111112'],
    ['of twelve digits', '411111111117'],
    ['of twenty digits', '41111111111111111115'],
  ])('and no reference %s', (_, reference) => {
    expect(withoutCardNumbers(`ref ${reference}`, '[card]')).toBe(`ref ${reference}`);
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
    expect(holdsCardNumber(text)).toBe(text !== clean);
  });
});

it('is found at any depth, by value and by name, and nowhere else', () => {
  expect(holdsCardNumber({ a: [{ b: '4222222222222' }] })).toBe(true);
  expect(holdsCardNumber({ '4222222222222': true })).toBe(true);
  expect(holdsCardNumber(Number('9860123456789015'))).toBe(true);
  expect(holdsCardNumber({ a: [null, undefined, true, 42, '411111111117', 'INV-1'] })).toBe(false);
});

it.each([
  ['CVV 737', 'CVV *'],
  ['cvv2=1234', 'cvv2=*'],
  ['security code: 737, then 4111111111111111', 'security code: *, then *'],
  ['code 737', 'code 737'],
  ['cvv 73', 'cvv 73'],
  ['cvv 73712', 'cvv 73712'],
])('a code that is named as one goes too: %s', (text, clean) => {
  expect(withoutNumbersAndCodes(text, '*')).toBe(clean);
});
