// A report by itself: no digit of an amount is lost in a workbook, and nothing is written through a link.
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import readWorkbook from 'read-excel-file/node';
import { expect, it } from 'vitest';
import { reportFormats } from '../../../lib/cli/batches/report-output.ts';
import { openRowOutput } from '../../../lib/cli/row-output.ts';
import { aDirectory } from '../support/files.ts';

const files = aDirectory();

it('an amount of more digits than a spreadsheet has stays text in a workbook', async () => {
  const output = join(files.path(), 'digits.xlsx');
  const report = await reportFormats.xlsx({ titles: [], output });
  const amounts = ['9007199254740.93', '90071992547409.93', '5'];
  await report.add(amounts.map((amount) => ({ line: { amount } })));
  await report.close([]);
  const [rows] = await readWorkbook(output);
  const at = (rows?.data[0] ?? []).indexOf('amount');
  expect(rows?.data.slice(1).map((row) => row[at])).toEqual([9007199254740.93, '90071992547409.93', 5]);
});

it('a link beside a report, where it is made before it is put there, is not written through', async () => {
  const [elsewhere, path] = [await files.file('elsewhere', 'mine'), join(files.path(), 'report.csv')];
  await symlink(elsewhere, `${path}.${process.pid}.part`);
  const file = await openRowOutput(path);
  await file.write('a\n');
  await file.close();
  expect([await readFile(elsewhere, 'utf8'), await readFile(path, 'utf8')]).toEqual(['mine', 'a\n']);
});
