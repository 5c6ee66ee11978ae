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
