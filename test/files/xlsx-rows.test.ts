// A workbook as its rows are read: amounts exactly, days as moments, and what Excel has lost told as that.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import writeWorkbook from 'write-excel-file/node';
import { openBulkFile } from '../../lib/files/bulk-file.ts';
import type { ReadingChoices } from '../../lib/files/bulk-rows.ts';
import { bulkRowsOf } from '../../lib/files/readers.ts';
import type { BulkRow } from '../../lib/files/bulk-row.ts';
import { checkRows } from '../../lib/files/check-rows.ts';
import { all } from '../support/bulk-rows.ts';
import { aDirectory } from '../cli/support/files.ts';

const files = aDirectory();
const given = { merchant: 'acme-eu', operation: 'payout', endpointId: '39915' };
const plain: ReadingChoices = { given, columns: new Map() };

type Cell = string | number | boolean | Date | null;

async function workbook(sheets: readonly { readonly sheet: string; readonly data: Cell[][] }[]): Promise<string> {
  const path = join(files.path(), 'november.xlsx');
  const cellOf = (value: Cell) => (value instanceof Date ? { value, type: Date, format: 'yyyy-mm-dd' } : { value });
  const written = sheets.map(({ sheet, data }) => ({ sheet, data: data.map((row) => row.map(cellOf)) }));
  await writeFile(path, await writeWorkbook(written as never).toBuffer());
  return path;
}

async function read(path: string, choices = plain) {
  const file = await openBulkFile(path);
  try {
    const rows = await bulkRowsOf(file, choices);
    const hashed: Buffer[] = [];
    const read = await all(rows.read((bytes) => hashed.push(bytes)));
    expect(Buffer.concat(hashed)).toEqual(await readFile(path));
    return read;
  } finally {
    await file.close();
  }
}

/** As every row is judged. */
async function faultsOf(row: BulkRow | undefined) {
  const [checked] = await all(checkRows(single(row), undefined, { firstOfOrder: () => undefined }));
  return checked?.kind === 'rejected' ? checked.faults : [];
}

async function* single(row: BulkRow | undefined) {
  yield row ? [row] : [];
}

/** Writes over a part of its sheet, as Excel would have written it. */
async function changeSheet(path: string, from: string | RegExp, to: string): Promise<void> {
  const parts = unzipSync(await readFile(path));
  const name = Object.keys(parts).find((it) => /^xl\/worksheets\/.*\.xml$/.test(it)) ?? '';
  const xml = strFromU8(parts[name] ?? new Uint8Array());
  const changed = xml.replace(from, to);
  expect(changed).not.toBe(xml);
  await writeFile(path, zipSync({ ...parts, [name]: strToU8(changed) }));
}

const head = ['order id', 'amount', 'currency', 'iban', 'notBefore'];
const sheet = (...rows: Cell[][]) => [{ sheet: 'Payouts', data: [head, ...rows] }];

describe('a workbook', () => {
  it('is rows under a header, counted as the spreadsheet counts them, blank ones left out', async () => {
    const rows = await read(
      await workbook(
        sheet(
          ['A', 1250.5, 'EUR', 'DE89370400440532013000', new Date('2026-11-25T00:00:00Z')],
          [null, null, null, null, null],
          ['000123', '10.42', 'EUR', 'DE89370400440532013000', null],
        ),
      ),
    );
    expect(rows).toMatchObject([
      {
        row: 2,
        faults: [],
        message: { orderId: 'A', notBefore: '2026-11-25T00:00:00.000Z', params: { amount: '1250.5', currency: 'EUR' } },
      },
      { row: 4, faults: [], message: { orderId: '000123', params: { amount: '10.42' } } },
    ]);
  });

  it.each([
    [0.1 + 0.2, '0.3'],
    [1234567.89, '1234567.89'],
    [999999999999.99, '999999999999.99'],
    [100, '100'],
    [4.35 * 100, '435'],
  ])('%d is %s: a number has fifteen digits there, and what is behind them is no money', async (number, text) => {
    const [row] = await read(await workbook(sheet(['A', number, 'EUR', null, null])));
    expect(row).toMatchObject({ faults: [], message: { params: { amount: text } } });
  });

  it('digits that the spreadsheet has dropped, and amounts that it has made days, are told as that', async () => {
    const [row] = await read(await workbook(sheet([1.2345e19, new Date('2026-10-01T00:00:00Z'), 'EUR', null, null])));
    expect(await faultsOf(row)).toEqual([
      { path: 'orderId', fault: expect.stringMatching(/^is in exponent form: the spreadsheet has dropped digits/) },
      { path: 'params.amount', fault: expect.stringMatching(/^was turned into a date/) },
    ]);
  });

  it('a cell with an error is a fault of its row, and never taken for an empty one', async () => {
    // given a workbook whose bank is a look-up that found nothing, as Excel writes it
    const path = await workbook([
      {
        sheet: 'x',
        data: [
          [...head, 'bank'],
          ['A', 1, 'EUR', 'DE89370400440532013000', null, 'ERROR-HERE'],
        ],
      },
    ]);
    await changeSheet(path, /<c r="F2"[^>]*>.*?<\/c>/, '<c r="F2" t="e"><f>VLOOKUP(1,A1:A2,2)</f><v>#N/A</v></c>');

    // when
    const [row] = await read(path);

    // then
    expect(await faultsOf(row)).toEqual([
      { path: 'params.bank_name', fault: "is the spreadsheet's mark of an error, not a value; correct the cell" },
    ]);
  });

  it('is read as its directory says, which is what the spreadsheet shows: no part beside that is read in the place of another', async () => {
    const row = (id: string): Cell[] => [id, '1.00', 'EUR', 'DE89370400440532013000', null];
    const shown = await readFile(await workbook(sheet(row('SHOWN'))));
    const hidden = await readFile(await workbook(sheet(row('HIDDEN'))));
    const directoryAt = (zip: Buffer) => zip.readUInt32LE(zip.lastIndexOf('PK\u0005\u0006') + 16);
    // Every part once more, behind those that the directory names.
    const beside = hidden.subarray(0, directoryAt(hidden));
    const whole = Buffer.concat([shown.subarray(0, directoryAt(shown)), beside, shown.subarray(directoryAt(shown))]);
    whole.writeUInt32LE(directoryAt(shown) + beside.length, whole.lastIndexOf('PK\u0005\u0006') + 16);
    const path = join(files.path(), 'two-faced.xlsx');
    await writeFile(path, whole);
    expect(strFromU8(unzipSync(whole)['xl/sharedStrings.xml'] ?? new Uint8Array())).not.toContain('HIDDEN');
    expect((await read(path)).map(({ message }) => message?.['orderId'])).toEqual(['SHOWN']);
  });

  it('is refused for a value far to the right, with its place: each of its rows would be as wide', async () => {
    const path = await workbook(sheet(['A', 1, 'EUR', 'DE89370400440532013000', null]));
    await changeSheet(path, '</sheetData>', '<row r="3"><c r="XFD3"><v>1</v></c></row></sheetData>');
    await expect(read(path)).rejects.toThrow(
      'has a value in cell XFD3, and only 1000 columns are read; delete the value',
    );
    await changeSheet(path, '<v>1</v></c></row></sheetData>', '</c></row></sheetData>');
    expect(await read(path)).toHaveLength(1);
  });

  it('with rows on several sheets needs the name of one', async () => {
    const path = await workbook([
      { sheet: 'Old', data: [head, ['O', 1, 'EUR', null, null]] },
      { sheet: 'Empty', data: [[null]] },
      { sheet: 'New', data: [head, ['N', 2, 'EUR', null, null]] },
    ]);
    await expect(read(path)).rejects.toThrow(
      'has rows on 2 sheets; say in a layout which is meant, as in {"sheet": "Old"}; there are "Old", "New"',
    );
    expect(await read(path, { ...plain, sheet: 'New' })).toMatchObject([{ message: { orderId: 'N' } }]);
    await expect(read(path, { ...plain, sheet: 'Empty' })).rejects.toThrow(
      'has no rows on a sheet "Empty"; there are "Old", "New"',
    );
  });
});
