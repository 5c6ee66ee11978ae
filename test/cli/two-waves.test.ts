// Check, then pay, as the page tells it to be seen on one's own machine: a file of the sample's merchant with two steps is
// checked by the simulated gateway, told, and paid; what the check refuses is never paid, and nothing is paid twice.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { type SampleWorld, startSampleWorld } from './support/sample-world.ts';

const directory = aDirectory();
let world: SampleWorld;

beforeAll(async () => {
  world = await startSampleWorld(join(directory.path(), 'worker.log'));
});
afterAll(() => world.stop());

const given = ['--merchant', 'globex-us', '--operation', 'payout', '--endpoint', '40217', '--batch', 'waves', '--yes'];
const watched = ['--watch', '--wait', '45'];

it('the rows are checked, and those that the gateway would pay are paid, once', async () => {
  // given three rows, one of which the gateway declines
  const rows = ['WAVE-1.approve,10.00', 'WAVE-2.approve,20.00', 'WAVE-3.decline,30.00'];
  const lines = rows.map((it) => `${it},USD,Invoice,DE89370400440532013000,Cool bank`);
  const file = await directory.file(
    'waves.csv',
    ['order id,amount,currency,description,iban,bank', ...lines].join('\n'),
  );
  const submit = (...wave: string[]) =>
    runCli(['submit', file, ...given, '--accept', 'duplicate', ...wave, ...watched], {
      env: world.env,
      cwd: directory.path(),
    });

  // when it is checked
  const checked = await submit('--check-first');

  // then nothing is paid, and the checks' answers stand there
  expect(checked.stdout).toContain('✔ all 3 rows: 2 checked, 1 declined\n');
  expect(checked.code).toBe(0);
  const paidBy = () => world.simulator.orders().filter(({ operation }) => operation === 'payout-pay');
  expect(paidBy()).toEqual([]);

  // and when the checked rows are paid
  const paid = await submit('--pay-checked');

  // then each is paid once
  expect(paid.stderr).toMatch(/validated +2 +30\.00 +USD +the gateway would pay it/);
  expect(paid.stdout).toContain('✔ all 3 rows: 2 paid, 1 declined\n');
  expect(paid.code).toBe(0);
  expect(paidBy()).toHaveLength(2);
});
