// A report by itself: no digit of an amount is lost in a workbook, and nothing is written through a link.
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import readWorkbook from 'read-excel-file/node';
import { expect, it } from 'vitest';
import { reportFormats } from '../../lib/cli/batches/report-output.ts';
import { openRowOutput } from '../../lib/files/row-output.ts';
import { aDirectory } from '../cli/support/files.ts';

const files = aDirectory();

it('an amount of more digits than a spreadsheet has stays text in a workbook', async () => {
  const output = join(files.path(), 'digits.xlsx');
  const report = await reportFormats.xlsx({ output });
  const amounts = ['9007199254740.93', '90071992547409.93', '5'];
  await report.add(amounts.map((amount) => ({ line: { amount } })));
  await report.close([]);
  const [rows] = await readWorkbook(output);
  const at = (rows?.data[0] ?? []).indexOf('amount');
  expect(rows?.data.slice(1).map((row) => row[at])).toEqual([9007199254740.93, '90071992547409.93', 5]);
});

it('a workbook has numbers in each column of amounts, a head that stays in sight, a filter, and no column without a cell', async () => {
  // given a report beside the file of its batch
  const output = join(files.path(), 'november.xlsx');
  const columns = [{ title: 'Order', path: 'orderId' }, { title: 'Sum', path: 'params.amount' }, { title: 'Note' }];
  const report = await reportFormats.xlsx({ output, columns });

  // when
  const line = {
    row: 2,
    order_id: '000123',
    status: 'paid',
    final: true,
    amount: '10.05',
    currency: 'EUR',
    attempts: 1,
  };
  await report.add([{ cells: ['000123', '10.05', '_x000A_ <b>&\u0007'], line }]);
  await report.close([{ record: 'total', status: 'paid', rows: 1, amount: '10.05', currency: 'EUR' }]);

  // then
  const [rows, totals] = await readWorkbook(output);
  const [head = [], first = []] = rows?.data ?? [];
  const cells = Object.fromEntries(head.map((title, place) => [title, first[place]]));
  expect(cells).toMatchObject({
    Order: '000123',
    Sum: 10.05,
    Note: '_x000A_ <b>&\u0007',
    payouts_row: 2,
    payouts_order_id: '000123',
    payouts_status: 'paid',
    payouts_amount: 10.05,
  });
  expect(totals?.data[1]).toEqual(['total', 'paid', 1, 10.05, 'EUR']);
  const sheet = strFromU8(unzipSync(await readFile(output))['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
  expect(sheet).toMatch(/state="frozen".*<autoFilter ref="A1:X2"\/>/s);
});

it('without its file a report has no column of the rows of a file', async () => {
  const [csv, xlsx] = [join(files.path(), 'november.csv'), join(files.path(), 'ledger.xlsx')];
  for (const [format, output] of [
    ['csv', csv],
    ['xlsx', xlsx],
  ] as const) {
    const report = await reportFormats[format]({ output });
    await report.add([{ line: { order_id: 'A', amount: '1250.50' } }]);
    await report.close([]);
  }
  expect(await readFile(csv, 'utf8')).toMatch(/^order_id,payee_name,status,final,amount.*\nA,,,,1250\.50,/);
  expect((await readWorkbook(xlsx))[0]?.data[0]?.[0]).toBe('order_id');
});

it('a link beside a report, where it is made before it is put there, is not written through', async () => {
  const [elsewhere, path] = [await files.file('elsewhere', 'mine'), join(files.path(), 'report.csv')];
  await symlink(elsewhere, `${path}.${process.pid}.part`);
  const file = await openRowOutput(path);
  await file.write('a\n');
  await file.close();
  expect([await readFile(elsewhere, 'utf8'), await readFile(path, 'utf8')]).toEqual(['mine', 'a\n']);
});
