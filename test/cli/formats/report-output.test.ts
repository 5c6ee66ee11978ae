// A report's formats, by themselves: what they can't hold is said before anything is lost.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reportFormats } from '../../../lib/cli/batches/report-output.ts';
import { aDirectory } from '../support/files.ts';

const files = aDirectory();

it('a workbook of more rows than fit into memory is refused, and no file is left', async () => {
  const output = join(files.path(), 'large.xlsx');
  const report = await reportFormats.xlsx({ titles: [], output });
  await report.add([{ line: { order_id: 'A' } }]);
  const many = Array.from({ length: 300_000 }, () => ({ line: {} }));
  await expect(report.add(many)).rejects.toThrow('--format xlsx holds 300000 rows at most; say --format csv --locale');
  expect(existsSync(output)).toBe(false);
});

it('an amount of more digits than a spreadsheet has stays text in a workbook', async () => {
  const { default: readWorkbook } = await import('read-excel-file/node');
  const output = join(files.path(), 'digits.xlsx');
  const report = await reportFormats.xlsx({ titles: [], output });
  const amounts = ['9007199254740.93', '90071992547409.93', '5'];
  await report.add(amounts.map((amount) => ({ line: { amount } })));
  await report.close([]);
  const [rows] = await readWorkbook(output);
  const at = (rows?.data[0] ?? []).indexOf('amount');
  expect(rows?.data.slice(1).map((row) => row[at])).toEqual([9007199254740.93, '90071992547409.93', 5]);
});
