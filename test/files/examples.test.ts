// The example files of payouts: each passes every check as it is.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { runCli } from '../cli/support/cli.ts';
import { aDirectory } from '../cli/support/files.ts';

const files = aDirectory();
const same = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915', '--dry-run', '--json'];

it.each(['csv', 'xlsx', 'xml'])('the example payouts.%s can be submitted as it is', async (ending) => {
  // given
  const path = resolve(`infra/examples/payouts.${ending}`);

  // when
  const { code, stdout } = await runCli(['submit', path, ...same], { cwd: files.path() });

  // then
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ rows: 2, rejected: 0, totals: { EUR: { count: 2, amount: '1560.50' } } });
});

it('the example workbook keeps what is typed below its rows: each column but the amount is text', async () => {
  const parts = unzipSync(await readFile('infra/examples/payouts.xlsx'));
  const xml = (path: string) => strFromU8(parts[path] ?? new Uint8Array());
  const formats = [...xml('xl/styles.xml').matchAll(/numFmtId="(\d+)" formatCode="([^"]*)"/g)];
  const styles = [...(xml('xl/styles.xml').split('<cellXfs')[1] ?? '').matchAll(/<xf ([^>]*)>/g)].map(
    ([, attributes = '']) => formats.find(([, id]) => attributes.includes(`numFmtId="${id}"`))?.[2],
  );
  const columns = [...xml('xl/worksheets/sheet1.xml').matchAll(/<col min="\d" max="\d"[^>]* style="(\d)"/g)];
  expect(columns.map(([, style]) => styles[Number(style)])).toEqual(['@', '0.00', '@', '@', '@', '@']);
});
