// The ledger is deleted, and a person makes it anew by hand: the tool and the worker as they ship, on tables that are really deleted.
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { createTable } from '../support/created-table.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { anAws } from './support/aws.ts';

const world = anAws({ gateway: true, visibilityTimeoutSeconds: 1 });
const page = 'infra/docs/disasters.md';
const work = () => world.payouts('worker', '--once', '1');
const paid = () => world.gateway().requests().payout;

it('what was paid is not paid again, and nothing makes the table in its place', { timeout: 180_000 }, async () => {
  // given an order that was paid
  await world.send(aPayoutJob());
  await work();
  expect(paid()).toBe(1);

  // when the ledger is deleted, then each command names the page, and `setup` makes nothing
  const { ledgerTableName: TableName } = world.aws();
  await world.dynamodb().send(new DeleteTableCommand({ TableName }));
  expect(await world.payouts('order', 'acme-eu/INV-1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(page),
  });
  const made = await world.approver('setup', '--yes');
  expect(made).toMatchObject({ code: 1, stderr: expect.stringContaining(`${TableName} was there before: ${page}`) });

  // when a person makes it by hand all the same, then nothing is paid by it, and it cannot be called the ledger
  await createTable(world.dynamodb(), TableName);
  await world.send(aPayoutJob());
  await work();
  expect(paid()).toBe(1);
  expect(await world.payouts('order', 'acme-eu/INV-1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(page),
  });
  expect(await world.approver('ledger', 'begin', TableName, '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('only a restore makes it the ledger'),
  });
});
