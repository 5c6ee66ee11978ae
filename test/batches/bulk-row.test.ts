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

  it('may name its own version of the message, for the worker to judge', () => {
    const own = createCellReader([{ title: 'version', path: 'version' }], {});
    expect(own(['2'], 2)?.message).toStrictEqual({ version: '2', params: {} });
  });

  it('keeps a column whose name objects have a use of their own for', () => {
    const own = createCellReader(
      [
        { title: 'context.__proto__', path: 'context.__proto__' },
        { title: 'context.constructor', path: 'context.constructor' },
      ],
      {},
    );
    const text = JSON.stringify(own(['7', '8'], 2)?.message);
    expect(text).toBe('{"version":1,"params":{},"context":{"__proto__":"7","constructor":"8"}}');
  });

  it('that is blank is none, however many cells it has', () => {
    for (const cells of [[''], ['', '', '', ''], [' ', '\t', '', ' ', '', '']]) expect(read(cells, 9)).toBeUndefined();
    expect(read(['', '', '', 'x'], 9)).toMatchObject({ row: 9, faults: [] });
  });

  it.each([
    ['fewer', ['INV-1', '', '10.42'], 3],
    ['more', ['INV-1', '', '10', '42', 'no. 7'], 5],
    ['more, though the last of them is empty', ['INV-1', '', '10', '42', 'no. 7', ''], 6],
  ])('with %s cells than the header is not guessed at: an amount could be another', (_, cells, count) => {
    const fault = `has ${count} cells where the header has 4; put quotes around a cell that holds the delimiter`;
    expect(read(cells, 7)).toStrictEqual({ row: 7, faults: [{ path: '', fault }] });
  });

  it('may end in empty cells, as spreadsheets write them', () => {
    expect(read(['INV-1', '', '10.42', 'x', '', ' '], 2)).toMatchObject({
      message: { orderId: 'INV-1', params: { amount: '10.42' }, context: { Invoice: 'x' } },
      faults: [],
    });
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

  it.each(['1.250', '12.5', '1.25', '1.2.3'])('%s may be a thousand or one and a bit: nobody guesses', (text) => {
    expect(comma(['A', '', text, ''], 2)?.faults).toEqual([
      { path: 'params.amount', fault: expect.stringMatching(/^has a dot and no comma/) },
    ]);
  });

  it.each(['12.50,00', '1.25,00', '1,250,00', '1250,', ',50'])('%s is refused as it stands', (text) => {
    expect(amountOf(text)).toEqual({ amount: text });
  });

  it('all other cells stay as they are', () => {
    const texts = createCellReader([{ title: 'd', path: 'params.order_desc' }], {}, 'comma');
    expect(texts(['1.250,00'], 2)?.message?.['params']).toEqual({ order_desc: '1.250,00' });
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

  it('is left for the fault that it is in an account', () => {
    const read = described(['x', '', 'DE\n1'], 2);
    expect(read?.message?.['params']).toEqual({ order_desc: 'x', account_number: 'DE\n1' });
    expect(read).not.toHaveProperty('warnings');
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

  it('is none where somebody is paid, or another word begins like it', () => {
    expect(table(['Total', '300.00', 'EUR', 'DE1'], 9)).toMatchObject({ faults: [], message: { orderId: 'Total' } });
    expect(table(['Totally-1', '300.00', 'EUR', ''], 9)).toMatchObject({ faults: [] });
    const without = createCellReader([{ title: 'a', path: 'orderId' }], {});
    expect(without(['Total'], 9)).toMatchObject({ faults: [], message: { orderId: 'Total' } });
  });
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

  it('may say what the command line says, and nothing else in its place', () => {
    expect(line({ merchant: 'acme-eu', operation: 'payout' })?.faults).toEqual([]);
    const fault = 'is not what the command line says; leave one of them out';
    for (const other of ['globex-us', null, 7])
      expect(line({ merchant: other, orderId: 'INV-1' })?.faults).toEqual([{ path: 'merchant', fault }]);
    expect(line({ merchant: 'globex-us', operation: 'transfer' })?.faults).toEqual([
      { path: 'merchant', fault },
      { path: 'operation', fault },
    ]);
  });

  it('that comes out of a file of rejects is the job without what stood beside it', () => {
    const read = line({ orderId: 'A', payouts_row: 4, payouts_faults: ['x'] });
    expect(read).toMatchObject({ message: { orderId: 'A' }, original: { orderId: 'A' } });
    expect(JSON.stringify(read)).not.toContain('payouts_');
  });

  it('that is blank is none', () => {
    for (const blank of ['', '   ', '\t\r']) expect(readJsonLine(blank, 5, given)).toBeUndefined();
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

  it('an apostrophe before what would be a formula is no part of an id that anybody gave', () => {
    for (const value of ["'=2+2", "'+49", "''-5", "'@x"])
      expect(faultOf('orderId', value)).toMatch(/^begins with the apostrophe/);
    for (const value of ['=2+2', "'x", "O'=2"]) expect(faultOf('orderId', value)).toBeUndefined();
    expect(faultOf('params.order_desc', "'=2+2")).toBeUndefined();
  });

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

  it('what the rules of money themselves judge is left to them', () => {
    for (const value of ['10.42', '1000', '1.234', '0']) expect(faultOf('params.amount', value)).toBeUndefined();
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
