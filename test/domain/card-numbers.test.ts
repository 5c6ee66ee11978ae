import { describe, expect, it } from 'vitest';
import { holdsCardNumber, withoutCardNumbers } from '../../lib/domain/card-numbers.ts';

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
  ])('%s', (_, number) => {
    expect(withoutCardNumbers(`to ${number} now`, '[card]')).toBe('to [card] now');
    expect(holdsCardNumber({ note: [Number(number)] })).toBe(true);
  });

  it.each([
    ['that begins with a date', '2026110400001239'],
    ['of no network', '7999123456789012'],
    ['with another check digit', '4111111111111112'],
    ['of twelve digits', '411111111116'],
    ['of twenty digits', '41111111111111111116'],
  ])('and no reference %s', (_, reference) => {
    expect(withoutCardNumbers(`ref ${reference}`, '[card]')).toBe(`ref ${reference}`);
  });
});
