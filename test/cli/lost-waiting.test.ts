// The walk of a waiting table that is lost without a backup, as the page has it: what is gone is found by its batch, and sent again.
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'vitest';
import { waitingTableDefinition } from '../../lib/local/ledger-table.ts';
import { createTable } from '../support/created-table.ts';
import { longIt } from '../support/long-proof.ts';
import { anAws } from './support/aws.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();
const world = anAws({ gateway: true, visibilityTimeoutSeconds: 60 });
const paid = () => world.gateway().requests().payout;
const work = () => world.payouts('worker', '--once', '30');

longIt('what waited is sent again from its file, and paid once', { timeout: 300_000 }, async () => {
  // given a batch of which every payout waits
  const head = 'order id,amount,currency,description,iban,bank';
  const rows = ['A-1,7.00,EUR', 'A-2,8.00,EUR', 'A-3,9.00,EUR'].map((it) => `${it},x,DE89370400440532013000,Bank`);
  const file = await directory.file('pay.csv', [head, ...rows].join('\n'));
  const choices = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915', '--yes', '--accept', 'all'];
  const submit = (...more: string[]) => world.payouts('submit', file, ...choices, '--batch', 'pay', ...more);
  await world.payouts('pause', 'acme-eu', '--reason', 'table lost', '--yes');
  expect(await submit()).toMatchObject({ code: 0 });
  await work();
  expect(paid()).toBe(0);

  // when the table is deleted, and made anew under its own name, as no backup is left
  const { waitingTableName: TableName, ledgerTableName } = world.aws();
  await world.dynamodb().send(new DeleteTableCommand({ TableName }));
  const missing = { code: 1, stderr: expect.stringContaining('infra/docs/disasters.md') };
  expect(await world.payouts('order', 'acme-eu/A-1')).toMatchObject(missing);
  await createTable(world.dynamodb(), TableName, waitingTableDefinition);
  expect(await world.payouts('order', 'acme-eu/A-1')).toMatchObject(missing);
  expect(await world.approver('ledger', 'begin', ledgerTableName, '--yes')).toMatchObject({ code: 0 });

  // then its batch names what is gone, and the file brings it back, once
  const shown = await world.payouts('batch', 'pay', '--json');
  expect(shown.stdout).toContain('not-started');
  expect(await submit('--again')).toMatchObject({ code: 0 });
  await world.payouts('resume', 'acme-eu', '--reason', 'table restored');
  await work();
  expect(paid()).toBe(3);
  expect(await submit('--again')).toMatchObject({ code: 0 });
  await work();
  expect(paid()).toBe(3);
});
