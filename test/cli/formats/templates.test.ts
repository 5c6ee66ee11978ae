// What `payouts template` writes is sent as it is: it passes every check that a file of somebody's does.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';
import { aDirectory } from '../support/files.ts';

const files = aDirectory();
const same = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915', '--dry-run', '--json'];

it.each(['csv', 'xlsx', 'pain.001'])('a template of %s is right as it is', async (form) => {
  // given
  const path = join(files.path(), `template.${form}`);
  expect(await runCli(['template', form, '--output', path])).toMatchObject({ code: 0, stdout: '', stderr: '' });

  // when
  const { code, stdout } = await runCli(['submit', path, ...same], { cwd: files.path() });

  // then
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ rows: 2, rejected: 0, totals: { EUR: { count: 2, amount: '1560.50' } } });
});

it('goes on to whoever takes it, and says where it can’t be written', async () => {
  const { stdout } = await runCli(['template', 'csv']);
  const piped = await runCli(['submit', '-', ...same], { cwd: files.path(), input: stdout });
  expect(JSON.parse(piped.stdout)).toMatchObject({ outcome: 'dry-run', rows: 2 });
  expect(await runCli(['template', 'csv', '--output', '/nowhere/x.csv'])).toMatchObject({ code: 2 });
  expect(await runCli(['template', 'pain.008'])).toMatchObject({ code: 2 });
});
