import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMinorUnits, minorDigits, parseAmount } from '../../lib/gateway/money.ts';

const minorUnits = (text: string, currency: string) => {
  const parsed = parseAmount(text, currency);
  return parsed.kind === 'amount' ? parsed.minorUnits : parsed.fault;
};

describe('an amount', () => {
  it.each([
    ['10.42', 'EUR', 1042n],
    ['10.4', 'EUR', 1040n],
    ['10', 'EUR', 1000n],
    ['0.01', 'EUR', 1n],
    ['0.3', 'EUR', 30n],
    ['1000', 'JPY', 1000n],
    ['1.234', 'KWD', 1234n],
    ['1.2', 'BHD', 1200n],
    ['0.0001', 'CLF', 1n],
    ['999999999999', 'USD', 99_999_999_999_900n],
    ['90071992547409.93', 'EUR', 9_007_199_254_740_993n], // one more than a float can tell apart
  ])('%s %s is exactly %s minor units', (text, currency, expected) => {
    expect(minorUnits(text, currency)).toBe(expected);
  });

  it.each([
    ['10.423', 'EUR', 'has 3 decimals; EUR takes at most 2'],
    ['1.5', 'JPY', 'has 1 decimals; JPY takes at most 0'],
    ['1.2345', 'KWD', 'has 4 decimals; KWD takes at most 3'],
    ['0', 'EUR', 'is zero; a payment moves a positive amount'],
    ['0.00', 'EUR', 'is zero; a payment moves a positive amount'],
  ])('%s %s %s', (text, currency, fault) => {
    expect(minorUnits(text, currency)).toBe(fault);
  });

  it.each([
    '010',
    '00',
    '10,42',
    '.5',
    '5.',
    '-1',
    '+1',
    '1e3',
    '1 000',
    "1'000",
    '1.000,00',
    '',
    ' 1',
    '0x10',
    '١٢',
    'NaN',
  ])('"%s" is not guessed at', (text) => {
    expect(minorUnits(text, 'EUR')).toBe('is not a plain decimal number such as "10.42"');
  });
});

describe("a currency's digits", () => {
  it.each([
    ['JPY', 0],
    ['KRW', 0],
    ['CLP', 0],
    ['EUR', 2],
    ['USD', 2],
    ['RUB', 2],
    ['XXX', 2],
    ['KWD', 3],
    ['TND', 3],
    ['CLF', 4],
  ])('of %s are %i', (currency, digits) => {
    expect(minorDigits(currency)).toBe(digits);
  });
});

describe('minor units as text', () => {
  it.each([
    [1042n, 'EUR', '10.42'],
    [1n, 'EUR', '0.01'],
    [5n, 'JPY', '5'],
    [5n, 'KWD', '0.005'],
    [-1042n, 'EUR', '-10.42'],
  ])('%s %s is %s', (units, currency, text) => {
    expect(formatMinorUnits(units, currency)).toBe(text);
  });

  it('read back are the same units, whatever the amount and the currency', () => {
    const currencies = fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF');
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 18n), currencies, (units, currency) => {
        expect(minorUnits(formatMinorUnits(units, currency), currency)).toBe(units);
      }),
    );
  });
});
