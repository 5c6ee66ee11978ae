// The walk of a deleted ledger on tables that are really deleted, as the page has it: from `restore begin` to the first payment after it.
import {
  type AttributeValue,
  DeleteTableCommand,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { createSecretText } from '../support/secret-text.ts';
import { createTable } from '../support/created-table.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { longIt } from '../support/long-proof.ts';
import { anAws } from './support/aws.ts';
import type { CliEnd } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

const copy = 'ledger-restored';
const directory = aDirectory();
const because = ['--reason', 'the table was deleted'];
const world = anAws({ gateway: true, visibilityTimeoutSeconds: 60 });
const inCopy = { LEDGER_TABLE_NAME: copy };
const restore = (...args: string[]): Promise<CliEnd> => world.run(['restore', ...args], inCopy);
const approve = () => world.run(['approve', 'restore', '--yes'], { ...world.aws().secondOperator, ...inCopy });
/** It ends once every job is settled. */
const work = (more = {}) => world.run(['worker', '--once', '60'], more);
const paid = () => world.gateway().requests().payout;
const gone = (orderId: string) => aPayoutJob({ orderId });

/** Half an hour goes by in the pause. */
async function pauseAges(): Promise<void> {
  const secret = createSecretText(clientConfigOf(world.aws(), 'SECRETS_MANAGER'), 'payouts/_ledger');
  const stored = JSON.parse(await secret.read()) as { readonly restoring: { readonly sinceMs: number } };
  const { restoring } = stored;
  const sinceMs = restoring.sinceMs - 30 * 60_000;
  await secret.write(JSON.stringify({ ...stored, restoring: { ...restoring, sinceMs } }));
}

it('nothing is put in doubt, and no pause is ended, before a restore was begun', async () => {
  const notBegun = { code: 1, stderr: expect.stringContaining('no restore was begun') };
  expect(await world.payouts('restore', 'doubt')).toMatchObject(notBegun);
  expect(await world.approver('approve', 'restore', '--yes')).toMatchObject(notBegun);
});

longIt('a deleted ledger comes back, and pays nothing twice', { timeout: 300_000 }, async () => {
  const itemOf = async (orderId: string) => {
    const Key = { pk: { S: `acme-eu/${orderId}` } };
    return (await world.dynamodb().send(new GetItemCommand({ TableName: copy, Key }))).Item;
  };
  // given an order that was paid before the moment of the backup, and two since
  const { ledgerTableName: TableName, queueUrls } = world.aws();
  await world.send(gone('BEFORE'));
  await work();
  const { Items = [] } = await world.dynamodb().send(new ScanCommand({ TableName }));
  await world.send(gone('TOLD'), gone('LETTER'));
  await work();
  expect(paid()).toBe(3);
  const told = [...(await world.results()).values()].map((it) => JSON.stringify(it));
  const results = await directory.file('results.jsonl', `${told.join('\n')}\nno JSON\n`);

  // when the table is deleted, then everything pauses by itself, and `begin` notes since when
  await world.dynamodb().send(new DeleteTableCommand({ TableName }));
  expect(await restore('doubt')).toMatchObject({ code: 1, stderr: expect.stringContaining('restore begin') });
  const begun = await world.run(['restore', 'begin', ...because, '--json']);
  expect(JSON.parse(begun.stdout)).toMatchObject({ paused: true });

  // when the backup is restored under another name: "When you delete a table that has point-in-time recovery enabled, DynamoDB automatically
  // creates a backup snapshot called a system backup and retains it for 35 days" (Developer Guide); here a copy of the items stands for it
  await createTable(world.dynamodb(), copy);
  for (const Item of Items as Record<string, AttributeValue>[])
    await world.dynamodb().send(new PutItemCommand({ TableName: copy, Item }));
  expect(await restore('status')).toMatchObject({ code: 1, stdout: expect.stringContaining('a restore was begun') });

  // when the tool puts in doubt what may be lost, then a second run finds nothing
  const report = 'client_orderid,orderid,amount,currency,status,type\nREPORTED,900,10.42,EUR,approved,transfer\n';
  // A letter names its endpoint, and so its accounts; the gateway's report does not.
  const firstSentAtMs = { DataType: 'String', StringValue: String(Date.now() - 3_600_000) };
  const lays = (orderId: string) =>
    world.sqs().send(
      new SendMessageCommand({
        QueueUrl: queueUrls.jobsDeadLetter,
        MessageBody: JSON.stringify(gone(orderId)),
        MessageAttributes: { firstSentAtMs },
      }),
    );
  await lays('REPORTED');
  const gateway = ['--gateway', `acme-eu=${await directory.file('report.csv', report)}`];
  const doubt = async () => JSON.parse((await restore('doubt', results, ...gateway, '--json')).stdout) as object;
  expect(await approve()).toMatchObject({ code: 1, stderr: expect.stringContaining('may still be sent') });
  await pauseAges();
  expect(await approve()).toMatchObject({ code: 1, stderr: expect.stringContaining('may be lost and not in doubt') });
  expect(await doubt()).toMatchObject({ open: 1, ended: 0, raised: 0, made: 3 });
  expect(await doubt()).toMatchObject({ open: 0, ended: 0, raised: 0, made: 0 });
  expect(JSON.stringify(await itemOf('REPORTED'))).toMatch(/accounts[^[]*\[[^\]]*[\w-]{12}/);

  // when one person alone would end the pause, then it stays; by two it ends
  const alone = await world.run(['approve', 'restore', '--yes'], inCopy);
  expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('may be one person') });
  expect(await approve()).toMatchObject({ code: 0, stdout: expect.stringContaining(`${copy} is the ledger`) });
  expect(await restore('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('may be lost') });

  // then nothing that was sent before is paid again: by its message, by a dead letter of it, or by its file
  await lays('UNNAMED');
  const redriven = await world.run(['dlq', 'redrive', '--all', '--yes'], inCopy);
  expect(redriven).toMatchObject({ code: 0 });
  await world.send(gone('BEFORE'), gone('TOLD'), gone('LETTER'), gone('REPORTED'));
  await work(inCopy);
  expect(paid()).toBe(3);
  for (const orderId of ['TOLD', 'LETTER', 'REPORTED', 'UNNAMED']) {
    const shown = await world.run(['order', `acme-eu/${orderId}`], inCopy);
    expect(shown).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the ledger was restored and may have lost'),
    });
  }

  // and a new order is paid, once
  await world.send(gone('NEW'), gone('NEW'));
  await work(inCopy);
  expect(paid()).toBe(4);
  expect(Number((await itemOf('NEW'))?.['revision']?.N)).toBeGreaterThan(1_000);
});
