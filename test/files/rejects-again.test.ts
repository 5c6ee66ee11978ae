// What was left out of a file, whatever its format, is mended and sent again as it is: by the same words of the command
// line, with the same ids, and nothing of it made another.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import writeWorkbook from 'write-excel-file/node';
import { openBulkFile } from '../../lib/files/bulk-file.ts';
import { bulkRowsOf } from '../../lib/files/readers.ts';
import { all } from '../support/bulk-rows.ts';
import { runCli } from '../cli/support/cli.ts';
import { creditTransfers } from '../cli/support/credit-transfers.ts';
import { aDirectory } from '../cli/support/files.ts';

const directory = aDirectory();
const place = (name: string) => join(directory.path(), name);
const iban = 'DE89370400440532013000';
const asSubmitted = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915'];

const submit = async (file: string, ...more: string[]) => {
  const args = ['submit', file, ...asSubmitted, ...more, '--dry-run', '--json'];
  const { code, stdout } = await runCli(args, { cwd: directory.path() });
  return { code, ...(JSON.parse(stdout) as Record<string, unknown>) };
};

async function mended(file: string, wrong: string, right: string): Promise<void> {
  const text = await readFile(place(file), 'utf8');
  expect(text).toContain(wrong);
  await writeFile(place(file), text.replace(wrong, right));
}

it.each([
  ['CSV with semicolons', { decimal: 'comma', columns: { Remark: '' } }],
  ['XLSX', {}],
  ['pain.001', {}],
])('%s', async (format, layout) => {
  await writeFile(place('layout.json'), JSON.stringify(layout));
  const reading = ['--layout', 'layout.json'];
  // given a file of which one row is wrong, and has an id and a text that a spreadsheet would run or change
  const name = format.replace(/\W.*/, '');
  if (format === 'XLSX') {
    const rows = [
      ['order id', 'amount', 'currency', 'iban', 'description'],
      ['A', '1.00', 'EUR', iban, 'x'],
      ['=2+2', 'one', 'EUR', iban, 'x;=1+1'],
    ];
    await writeFile(
      place(`${name}.xlsx`),
      await writeWorkbook(rows.map((row) => row.map((value) => ({ value })))).toBuffer(),
    );
  } else if (format === 'pain.001') {
    const text = '<RmtInf><Ustrd>x;=1+1</Ustrd></RmtInf>';
    const transfers = [
      { id: 'A', amount: '1.00' },
      { id: '=2+2', amount: '0.00', remittance: text },
    ];
    await writeFile(place(`${name}.xml`), creditTransfers([{ day: new Date().toISOString().slice(0, 10), transfers }]));
  } else {
    const rows = [
      'order id;amount;currency;iban;description;Remark',
      `A;1,00;EUR;${iban};x;y`,
      `=2+2;one;EUR;${iban};"x;=1+1";y`,
    ];
    await writeFile(place(`${name}.csv`), rows.join('\n'));
  }
  const file = `${name}.${format === 'XLSX' ? 'xlsx' : format === 'pain.001' ? 'xml' : 'csv'}`;
  expect(await submit(file, ...reading, '--skip-invalid')).toMatchObject({ code: 0, rows: 1, rejected: 1 });

  // when its row is mended in the file of rejects
  const rejects = `${name}.rejects.csv`;
  await mended(
    rejects,
    format === 'pain.001' ? ',0.00,' : 'one',
    format === 'pain.001' ? ',7.00,' : format === 'XLSX' ? '7.00' : '"7,00"',
  );

  // then that file is taken as it is, and its row is the one that was meant
  expect(await submit(rejects, ...reading)).toMatchObject({
    code: 0,
    rows: 1,
    rejected: 0,
    totals: { EUR: { count: 1, amount: '7.00' } },
  });
  const opened = await openBulkFile(place(rejects));
  const choices = {
    given: { merchant: 'acme-eu', operation: 'payout', endpointId: '39915' },
    columns: new Map(['Remark'].filter(() => name === 'CSV').map((title) => [title, ''] as const)),
    decimal: name === 'CSV' ? ('comma' as const) : ('dot' as const),
  };
  const rows = await all((await bulkRowsOf(opened, choices)).read(() => {}));
  await opened.close();
  expect(rows).toMatchObject([
    { message: { orderId: '=2+2', params: { amount: '7.00', account_number: iban, order_desc: 'x;=1+1' } } },
  ]);
});
