// The example files of payouts: each passes every check as it is.
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';
import { aDirectory } from '../support/files.ts';

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
