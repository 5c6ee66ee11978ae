// A report as a workbook: no digit of an amount is lost.
import { join } from 'node:path';
import readWorkbook from 'read-excel-file/node';
import { expect, it } from 'vitest';
import { reportFormats } from '../../../lib/cli/batches/report-output.ts';
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
