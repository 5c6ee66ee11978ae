// One row of a file as the message that it makes: no cell is lost, none is moved into another column, and what can't be
// read is told with the remedy and without a value.
import { describe, expect, it } from 'vitest';
import type { Column } from '../../lib/batches/bulk-columns.ts';
import { createCellReader, readJsonLine, spreadsheetFault, valueKindOf } from '../../lib/batches/bulk-row.ts';

const columns: readonly Column[] = [
  { title: 'Order', path: 'orderId' },
  { title: 'Remark' },
  { title: 'Amount', path: 'params.amount' },
  { title: 'context.Invoice', path: 'context.Invoice' },
];
const given = { merchant: 'acme-eu', operation: 'payout' };
const read = (cells: readonly string[], row: number) => createCellReader(columns, given)(cells, row);

describe('a row of cells', () => {
  it('becomes a message: what the command line gives, and each cell where its column says, without blanks around', () => {
    const cells = ['  INV-1 ', 'left out', ' 10.42', ' no. 7 '];
    expect(read(cells, 2)).toStrictEqual({
      row: 2,
      message: {
        version: 1,
        merchant: 'acme-eu',
        operation: 'payout',
        orderId: 'INV-1',
        params: { amount: '10.42' },
        context: { Invoice: 'no. 7' },
      },
      faults: [],
      // As it was read: a file of rejects shows it to whoever made the file.
      original: cells,
    });
  });

  it('leaves out what is empty: an empty text is not the same as none', () => {
    expect(read(['INV-1', '', ' ', '\t'], 2)?.message).toStrictEqual({
      version: 1,
      merchant: 'acme-eu',
      operation: 'payout',
      orderId: 'INV-1',
      params: {},
    });
  });

  it.each([
    ['fewer', ['INV-1', '', '10.42'], 3],
    ['more', ['INV-1', '', '10', '42', 'no. 7'], 5],
    ['more, though the last of them is empty', ['INV-1', '', '10', '42', 'no. 7', ''], 6],
  ])('with %s cells than the header is not guessed at: an amount could be another', (_, cells, count) => {
    const fault = `has ${count} cells where the header has 4; put quotes around a cell that holds the delimiter`;
    expect(read(cells, 7)).toStrictEqual({ row: 7, faults: [{ path: '', fault }] });
  });

  it('tells what a spreadsheet has done to it, by the kind of each column, and in all of them', () => {
    const harmed = ['4.1E+15', '4.1E+15', '1,234.00', '4.1E+15'];
    expect(read(harmed, 2)).toMatchObject({
      message: { orderId: '4.1E+15', params: { amount: '1,234.00' }, context: { Invoice: '4.1E+15' } },
      faults: [
        { path: 'orderId', fault: expect.stringMatching(/^is in exponent form/) },
        { path: 'params.amount', fault: expect.stringMatching(/^has commas/) },
      ],
    });
  });
});

describe('amounts with a comma before the cents, where that was said', () => {
  const comma = createCellReader(columns, given, 'comma');
  const amountOf = (text: string) => comma(['A', '', text, ''], 2)?.message?.['params'];

  it.each([
    ['1250,00', '1250.00'],
    ['1.250,00', '1250.00'],
    ['1.234.567,8', '1234567.8'],
    ['1250', '1250'],
    ['0,5', '0.5'],
  ])('%s is %s', (text, amount) => {
    expect(amountOf(text)).toEqual({ amount });
    expect(comma(['A', '', text, ''], 2)?.faults).toEqual([]);
  });

  it.each(['12.50,00', '1.25,00', '1,250,00', '1250,', ',50'])('%s is refused as it stands', (text) => {
    expect(amountOf(text)).toEqual({ amount: text });
  });
});

describe('a line break in a cell', () => {
  const described = createCellReader(
    [
      { title: 'text', path: 'params.order_desc' },
      { title: 'context.note', path: 'context.note' },
      { title: 'account', path: 'params.account_number' },
    ],
    {},
  );

  it('becomes a space in what a gateway takes as text, which is told', () => {
    const read = described(['Salary \r\n November\nB', 'a\nb', 'x'], 2);
    expect(read?.message).toMatchObject({ params: { order_desc: 'Salary November B' }, context: { note: 'a\nb' } });
    expect(read?.warnings).toEqual([
      { kind: 'line-break', path: 'params.order_desc', warning: 'has a line break in it, which becomes a space' },
    ]);
    expect(read?.original).toEqual(['Salary \r\n November\nB', 'a\nb', 'x']);
  });
});

describe('a line of totals', () => {
  const table = createCellReader(
    ['orderId', 'params.amount', 'params.currency', 'params.account_number'].map((path) => ({ title: path, path })),
    {},
  );

  it.each(['Total', 'TOTAL:', 'Grand total', 'Summe', 'Gesamtbetrag EUR', 'Totale', 'Итого', '合計'])(
    '"%s" without a payee is told as that',
    (word) => {
      for (const cells of [
        [word, '300.00', 'EUR', ''],
        ['', '300.00', word, ' '],
      ])
        expect(table(cells, 9)).toEqual({
          row: 9,
          faults: [{ path: '', fault: 'looks like a line of totals, and is no payment; remove it from the file' }],
          original: cells,
        });
    },
  );
});

describe('a line of JSON', () => {
  const line = (value: unknown) => readJsonLine(JSON.stringify(value), 5, given);

  it('is a message as it stands, completed by the command line', () => {
    const value = { orderId: 'INV-1', params: { amount: '10.42' } };
    expect(line(value)).toStrictEqual({
      row: 5,
      message: { version: 1, merchant: 'acme-eu', operation: 'payout', ...value },
      faults: [],
      original: value,
    });
    expect(line({ version: 2 })?.message).toMatchObject({ version: 2 });
  });

  it.each([
    ['of another encoding', '{"orderId":"INV-\ufffd"}', 'has characters that are not UTF-8; write the file as UTF-8'],
    ['that broke off', '{"orderId":"4111', 'is not JSON; write one whole object per line'],
    ['that is a text', '"INV-1"', 'is not an object; write a job message as README.md shows it'],
    ['that is nothing', 'null', 'is not an object; write a job message as README.md shows it'],
    ['that is a list', '[{"orderId":"INV-1"}]', 'is not an object; write a job message as README.md shows it'],
  ])('%s is no message, and is told without what it holds', (_, text, fault) => {
    expect(readJsonLine(text, 5, given)).toStrictEqual({ row: 5, faults: [{ path: '', fault }] });
  });
});

// What spreadsheets do to values, and that honest values are left alone.

const faultOf = (path: string, value: string) => spreadsheetFault(valueKindOf(path), value);

describe('digits that the spreadsheet dropped', () => {
  it.each(['orderId', 'params.account_number', 'params.amount', 'params.credit_card_number', 'endpointId'])(
    'are noticed in %s',
    (path) => {
      for (const value of ['1.2E+15', '4,11111E+15', '1E-7'])
        expect(faultOf(path, value)).toMatch(/^is in exponent form: the spreadsheet has dropped digits/);
    },
  );
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

  it.each([
    ['-10.00', /^is negative: a payout sends money/],
    ['(10.00)', /^is negative/],
    ['10.00-', /^is negative/],
    ['\u221210', /^is negative/],
    ['+10.00', /^has a sign in front/],
    ['10,42', /^has a decimal comma; .*say --decimal comma/],
    ['10.11.2026', /^was turned into a date|^has several dots/],
    ['2026-11-10T00:00:00.000Z', /^was turned into a date/],
    ['10/11/2026', /^was turned into a date/],
  ])('%s is told as what it is', (value, fault) => {
    expect(faultOf('params.amount', value)).toMatch(fault);
  });
});
