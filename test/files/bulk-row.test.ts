// One row of a file as the message that it makes: no cell is lost, none is moved into another column, and what can't be
// read is told with the remedy and without a value.
import { describe, expect, it } from 'vitest';
import type { Column } from '../../lib/files/bulk-columns.ts';
import { createCellReader, readJsonLine } from '../../lib/files/bulk-row.ts';

const columns: readonly Column[] = [
  { title: 'Order', path: 'orderId' },
  { title: 'Remark' },
  { title: 'Amount', path: 'params.amount' },
  { title: 'context.Invoice', path: 'context.Invoice' },
];
const given = { merchant: 'acme-eu', operation: 'payout' };
const read = (cells: readonly string[], row: number) => createCellReader(columns, given).row(cells, row);

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
      // As it was read: a file of rejects shows it to the maker of the file.
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
});

describe('amounts with a comma before the cents, where that was said', () => {
  const comma = createCellReader(columns, given, 'comma');
  const amountOf = (text: string) => comma.row(['A', '', text, ''], 2)?.message?.['params'];

  it.each([
    ['1250,00', '1250.00'],
    ['1.250,00', '1250.00'],
    ['1.234.567,8', '1234567.8'],
    ['1250', '1250'],
    ['0,5', '0.5'],
    ['1 250,00', '1250.00'],
    ['1\u202f250,00', '1250.00'],
    ["1'250'000,5", '1250000.5'],
  ])('%s is %s', (text, amount) => {
    expect(amountOf(text)).toEqual({ amount });
    expect(comma.row(['A', '', text, ''], 2)?.faults).toEqual([]);
  });

  it.each(['12.50,00', '1.25,00', '1,250,00', '1250,', ',50'])('%s is refused as it is', (text) => {
    expect(amountOf(text)).toEqual({ amount: text });
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
        expect(table.row(cells, 9)).toEqual({
          row: 9,
          faults: [{ path: '', fault: 'looks like a line of totals, and is no payment; remove it from the file' }],
          original: cells,
        });
    },
  );
});

describe('a line of JSON', () => {
  const line = (value: unknown) => readJsonLine(JSON.stringify(value), 5, given);

  it('is a message as it is, completed by the command line', () => {
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
    [
      'that is nested without end',
      `{"context":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      'has more than 100 values within values; write a job message as README.md shows it',
    ],
    ['that is a list', '[{"orderId":"INV-1"}]', 'is not an object; write a job message as README.md shows it'],
  ])('%s is no message, and is told without what it holds', (_, text, fault) => {
    expect(readJsonLine(text, 5, given)).toStrictEqual({ row: 5, faults: [{ path: '', fault }] });
  });
});
