// What spreadsheets do to values, and that honest values are left alone.
import { describe, expect, it } from 'vitest';
import { spreadsheetFault, valueKindOf } from '../../lib/batches/bulk-row.ts';

const faultOf = (path: string, value: string) => spreadsheetFault(valueKindOf(path), value);

describe('digits that the spreadsheet dropped', () => {
  it.each(['orderId', 'params.account_number', 'params.amount', 'params.credit_card_number', 'endpointId'])(
    'are noticed in %s',
    (path) => {
      for (const value of ['1.2E+15', '4,11111E+15', '1E-7'])
        expect(faultOf(path, value)).toMatch(/^is in exponent form: the spreadsheet has dropped digits/);
    },
  );

  it('but an order id that only looks a little like that stays', () => {
    for (const value of ['1E15', 'INV-1E+15', '7E2', '2E+15A']) expect(faultOf('orderId', value)).toBeUndefined();
    expect(faultOf('params.order_desc', '1.2E+15')).toBeUndefined();
  });

  it('a number field that became a decimal is told as that', () => {
    expect(faultOf('params.expire_year', '2030.0')).toMatch(/^was turned into a decimal number/);
    expect(faultOf('params.amount', '2030.0')).toBeUndefined();
  });
});

describe('amounts', () => {
  it.each([
    ['1,234', /^has commas; write it without thousands separators/],
    ['1,234,567.89', /^has commas/],
    ['1.234,56', /^has dots and a comma/],
    ['1.234.567', /^has several dots/],
    ['1 234.56', /^has blanks or marks/],
    ['1\u00a0234,56', /^has blanks or marks/],
    ["1'234.56", /^has blanks or marks/],
    ['€10.42', /^has a currency beside the number/],
    ['10.42 EUR', /^has a currency beside the number/],
    ['USD10', /^has a currency beside the number/],
    ['#VALUE!', /^is the spreadsheet's mark of an error/],
    ['########', /^is the spreadsheet's mark of an error/],
  ])('%s is refused with a hint', (value, hint) => {
    expect(faultOf('params.amount', value)).toMatch(hint);
  });

  it('what the rules of money themselves judge is left to them', () => {
    for (const value of ['10.42', '1000', '10,42', '1.234', '-5', '0'])
      expect(faultOf('params.amount', value)).toBeUndefined();
  });
});

describe('text', () => {
  it('that was saved in another encoding is noticed wherever it stands', () => {
    for (const path of ['params.bank_name', 'orderId', 'context.x', 'params.amount'])
      expect(faultOf(path, 'Bank f\ufffdr')).toMatch(/not UTF-8/);
  });

  it('may be anything else', () => {
    for (const value of ['#1', 'N/A', '1,234', '5 EUR', "it's"])
      expect(faultOf('params.order_desc', value)).toBeUndefined();
  });
});
