// The walk of a waiting table that is lost without a backup, as the page has it: what is gone is found by its batch, and sent again.
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { waitingTableDefinition } from '../../lib/local/ledger-table.ts';
import { createTable } from '../support/created-table.ts';
import { longIt } from '../support/long-proof.ts';
import { anAws } from './support/aws.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();
const world = anAws({ gateway: true, visibilityTimeoutSeconds: 60 });
const paid = () => world.gateway().requests().payout;
const work = (seconds = '30') => world.payouts('worker', '--once', seconds);
const choices = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915', '--yes', '--accept', 'all'];
let file = '';
const submit = (...more: string[]) => world.payouts('submit', file, ...choices, '--batch', 'pay', ...more);

it('a waiting table that is missing, or was made anew, pauses everything and names the page', async () => {
  // given a batch of which every payout waits
  const head = 'order id,amount,currency,description,iban,bank';
  const rows = ['A-1,7.00,EUR', 'A-2,8.00,EUR', 'A-3,9.00,EUR'].map((it) => `${it},x,DE89370400440532013000,Bank`);
  file = await directory.file('pay.csv', [head, ...rows].join('\n'));
  await world.payouts('pause', 'acme-eu', '--reason', 'table lost', '--yes');
  expect(await submit()).toMatchObject({ code: 0 });
  await work('3');

  // when the table is deleted, and made anew under its own name, as no backup is left
  const { waitingTableName: TableName } = world.aws();
  await world.dynamodb().send(new DeleteTableCommand({ TableName }));
  const missing = { code: 1, stderr: expect.stringContaining('infra/docs/disasters.md') };
  expect(await world.payouts('order', 'acme-eu/A-1')).toMatchObject(missing);
  await createTable(world.dynamodb(), TableName, waitingTableDefinition);
  expect(await world.payouts('order', 'acme-eu/A-1')).toMatchObject(missing);
});

longIt('what waited is found by its batch, sent again from its file, and paid once', { timeout: 300_000 }, async () => {
  expect(await world.approver('ledger', 'begin', world.aws().ledgerTableName, '--yes')).toMatchObject({ code: 0 });
  const shown = await world.payouts('batch', 'pay', '--json');
  expect(shown.stdout).toContain('not-started');
  expect(paid()).toBe(0);
  expect(await submit('--again')).toMatchObject({ code: 0 });
  await world.payouts('resume', 'acme-eu', '--reason', 'table restored');
  await work();
  expect(paid()).toBe(3);
  expect(await submit('--again')).toMatchObject({ code: 0 });
  await work();
  expect(paid()).toBe(3);
});
