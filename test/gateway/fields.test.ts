import { describe, expect, it } from 'vitest';
import { contractDependent, contractFields, fieldFault, interfaceFields } from '../../lib/gateway/fields.ts';

describe('a field takes', () => {
  it.each([
    ['credit_card_number', '4111111111111111'],
    ['cvv2', '737'],
    ['cvv2', '0000'],
    ['expire_month', '1'],
    ['expire_month', '01'],
    ['expire_month', '12'],
    ['expire_year', '30'],
    ['expire_year', '2030'],
    ['deposit2card', 'true'],
    ['deposit2card', 'false'],
    ['currency', 'EUR'],
    ['order_desc', 'Счёт №1 «июль» 💶'],
    ['ipaddress', '2001:db8::1'],
    ['redirect_url', 'https://merchant.example/a?b=c#d'],
  ] as const)('%s: %s', (name, value) => {
    expect(fieldFault(interfaceFields[name], value)).toBeUndefined();
  });
});

describe('a field says what is wrong, and never the value', () => {
  it.each([
    ['credit_card_number', '4111 1111 1111 1111', 'is not digits only'],
    ['credit_card_number', '41111111111111111111', 'is 20 characters long; the limit is 19'],
    ['credit_card_number', '٤١١١', 'is not digits only'],
    ['cvv2', '73a', 'is not digits only'],
    ['cvv2', '73737', 'is 5 characters long; the limit is 4'],
    ['expire_month', '13', 'is not a month from 1 to 12'],
    ['expire_month', '0', 'is not a month from 1 to 12'],
    ['expire_year', '203', 'is not a year of two or four digits'],
    ['deposit2card', 'TRUE', 'is not "true" or "false"'],
    ['currency', 'eur', 'is not a three-letter ISO 4217 code in capitals, such as "EUR"'],
    ['order_desc', 'two\nlines', 'has a line break in it; write it in one line'],
    ['order_desc', 'a\u0001b', 'is not text without control characters'],
    ['order_desc', 'half \ud83d', 'is not well-formed Unicode'],
    ['order_desc', '', 'is empty; leave the field out instead'],
    ['redirect_url', 'ftp://merchant.example', 'is not an http or https URL'],
    ['redirect_url', 'https://merchant.example/a b', 'is not an http or https URL'],
  ] as const)('%s: "%s" %s', (name, value, fault) => {
    expect(fieldFault(interfaceFields[name], value)).toBe(fault);
  });
});

it('what only some contracts know is marked so, and keeps its other marks', () => {
  expect(Object.values(contractFields).every((field) => field.contractDependent)).toBe(true);
  expect(contractDependent(interfaceFields.cvv2)).toMatchObject({
    kind: 'digits',
    maxLength: 4,
    sensitive: true,
    singleUse: true,
    contractDependent: true,
  });
});
