// The walks of a deleted and of a spoilt ledger, as the page has them: from `restore begin` to the first payment after it.
import { DeleteItemCommand, DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { longIt } from '../support/long-proof.ts';
import { anAws } from './support/aws.ts';
import { aDirectory } from './support/files.ts';
import { aRestore } from './support/restoring.ts';

const directory = aDirectory();
const [deleted, spoilt] = [0, 1].map(() => anAws({ gateway: true, visibilityTimeoutSeconds: 60 })) as [
  ReturnType<typeof anAws>,
  ReturnType<typeof anAws>,
];
const payout = (orderId: string, more = {}) => aPayoutJob({ orderId, ...more });
const paidIn = (world: typeof deleted) => world.gateway().requests().payout;
/** What the consumer has kept. */
async function resultsIn(world: typeof deleted) {
  const results = await world.results();
  const lines = [...results.values()].map((it) => JSON.stringify(it));
  return { results, file: await directory.file('results.jsonl', `${lines.join('\n')}\n`) };
}
const mayBeLost = { code: 0, stdout: expect.stringContaining('the ledger was restored and may have lost') };
const nothingLeft = { open: 0, ended: 0, raised: 0, made: 0 };

it('nothing is put in doubt, and no pause is ended, before a restore was begun', async () => {
  const notBegun = { code: 1, stderr: expect.stringContaining('no restore was begun') };
  expect(await deleted.payouts('restore', 'doubt')).toMatchObject(notBegun);
  expect(await deleted.approver('approve', 'restore', '--yes')).toMatchObject(notBegun);
});

longIt('a deleted ledger comes back, and pays nothing twice', { timeout: 300_000 }, async () => {
  const world = deleted;
  const copy = 'ledger-restored';
  const { restore, approve, doubt, work, inCopy, ...its } = aRestore(world, copy);
  // given an order that was paid before the moment of the backup, and two since
  const { ledgerTableName: TableName, queueUrls } = world.aws();
  await world.send(payout('BEFORE'));
  await work(30);
  const items = await its.itemsOf(TableName);
  await world.send(payout('KNOWN'), payout('LETTER'));
  await work(30);
  expect(paidIn(world)).toBe(3);
  const { file: results } = await resultsIn(world);

  // when the table is deleted, then everything pauses by itself, and `begin` notes since when
  await world.dynamodb().send(new DeleteTableCommand({ TableName }));
  expect(await restore('doubt')).toMatchObject({ code: 1, stderr: expect.stringContaining('restore begin') });
  const begun = await world.run(['restore', 'begin', '--reason', 'the table was deleted', '--json']);
  expect(JSON.parse(begun.stdout)).toMatchObject({ paused: true });
  await its.tableComesBack(items);
  expect(await restore('status')).toMatchObject({ code: 1, stdout: expect.stringContaining('a restore was begun') });

  // when the tool puts in doubt what may be lost, then a second run finds nothing
  const report = 'client_orderid,orderid,amount,currency,status,type\nREPORTED,900,10.42,EUR,approved,transfer\n';
  // A letter names its endpoint, and so its accounts; the gateway's report does not.
  const firstSentAtMs = { DataType: 'String', StringValue: String(Date.now() - 3_600_000) };
  const lays = (orderId: string) =>
    world.sqs().send(
      new SendMessageCommand({
        QueueUrl: queueUrls.jobsDeadLetter,
        MessageBody: JSON.stringify(payout(orderId)),
        MessageAttributes: { firstSentAtMs },
      }),
    );
  await lays('REPORTED');
  const sources = [results, '--gateway', `acme-eu=${await directory.file('report.csv', report)}`];
  expect(await approve()).toMatchObject({ code: 1, stderr: expect.stringContaining('may still be sent') });
  await its.pauseAges();
  expect(await approve()).toMatchObject({ code: 1, stderr: expect.stringContaining('may be lost and not in doubt') });
  expect(await doubt(...sources)).toMatchObject({ open: 1, ended: 0, raised: 0, made: 3 });
  expect(await doubt(...sources)).toMatchObject(nothingLeft);
  expect(JSON.stringify(await its.itemOf('REPORTED'))).toMatch(/accounts[^[]*\[[^\]]*[\w-]{12}/);

  // when one person alone would end the pause, then it stays; by two it ends
  const alone = await world.run(['approve', 'restore', '--yes'], inCopy);
  expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('may be one person') });
  expect(await approve()).toMatchObject({ code: 0, stdout: expect.stringContaining(`${copy} is the ledger`) });
  expect(await restore('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('may be lost') });

  // then nothing that was sent before is paid again: by its message, by a dead letter of it, or by its file
  await lays('UNNAMED');
  expect(await world.run(['dlq', 'redrive', '--all', '--yes'], inCopy)).toMatchObject({ code: 0 });
  await world.send(payout('BEFORE'), payout('KNOWN'), payout('LETTER'), payout('REPORTED'));
  await work(30, inCopy);
  expect(paidIn(world)).toBe(3);
  for (const orderId of ['KNOWN', 'LETTER', 'REPORTED', 'UNNAMED'])
    expect(await world.run(['order', `acme-eu/${orderId}`], inCopy)).toMatchObject(mayBeLost);

  // and a new order is paid, once
  await world.send(payout('NEW'), payout('NEW'));
  await work(60, inCopy);
  expect(paidIn(world)).toBe(4);
  expect(Number((await its.itemOf('NEW'))?.['revision']?.N)).toBeGreaterThan(1_000);
});

longIt('a spoilt ledger goes back to its last good second, and pays nothing twice', { timeout: 300_000 }, async () => {
  const world = spoilt;
  const copy = 'ledger-2';
  const { restore, approve, doubt, work, inCopy, ...its } = aRestore(world, copy);
  const again = 'AGAIN.validation-error-once';
  // given an order that was paid, and one that the gateway refused, at the last good second
  const { ledgerTableName: TableName } = world.aws();
  await world.send(payout('BEFORE'), payout(again));
  await work(30);
  const lastGood = await its.itemsOf(TableName);
  const endId = (await world.results()).get(again)?.endId;
  // and since then the refused one was sent again by its end, and another one was paid
  await world.send(payout('SINCE'), payout(again, { resends: endId }));
  await work(30);
  expect(paidIn(world)).toBe(4);
  const { file: results, ...since } = await resultsIn(world);

  // when orders vanish from the table, then its ids say nothing: a person pauses everything
  for (const orderId of ['SINCE', again])
    await world.dynamodb().send(new DeleteItemCommand({ TableName, Key: { pk: { S: `acme-eu/${orderId}` } } }));
  const begun = await world.run(['restore', 'begin', '--reason', 'orders have vanished']);
  expect(begun).toMatchObject({ code: 0, stdout: expect.stringContaining('Everything is paused') });
  await world.send(payout('SINCE'), payout(again, { resends: endId }));
  await work(5);
  expect(paidIn(world)).toBe(4);

  // when the last good second is there under another name, then the tool says what goes into doubt and why
  await its.tableComesBack(lastGood);
  await its.pauseAges();
  const said = await restore('doubt', results);
  expect(said.stdout).toMatch(
    /in doubt: 1 open order; 1 order that ended unpaid.*; 1 order that the table did not know/,
  );
  expect(await doubt(results)).toMatchObject(nothingLeft);
  expect(await approve()).toMatchObject({ code: 0, stdout: expect.stringContaining(`${copy} is the ledger`) });

  // then the spoilt table is no ledger any more, and nothing that was sent before is paid again by the restored one
  const old = { code: 1, stderr: expect.stringContaining('is not the one that was used until now') };
  expect(await world.payouts('order', 'acme-eu/BEFORE')).toMatchObject(old);
  await world.send(payout('BEFORE'), payout('SINCE'), payout(again, { resends: endId }));
  await work(30, inCopy);
  expect(paidIn(world)).toBe(4);
  const order = (orderId: string) => world.run(['order', `acme-eu/${orderId}`], inCopy);
  for (const orderId of ['SINCE', again]) expect(await order(orderId)).toMatchObject(mayBeLost);

  // and once the gateway's report has decided both, they are paid; a new order is paid, once
  const gatewayId = (orderId: string) => since.results.get(orderId)?.gatewayOrderId;
  const lines = ['SINCE', again].map((it) => `${it},${gatewayId(it)},10.42,EUR,approved\n`);
  const report = await directory.file('since.csv', `client_orderid,orderid,amount,currency,status\n${lines.join('')}`);
  const because = ['--reason', "the gateway's report", '--drawn', new Date().toISOString()];
  const books = ['reconcile', '--results', results, '--gateway', report, 'acme-eu', '--apply', '--yes', ...because];
  const applied = await world.run(books, inCopy);
  expect(applied).toMatchObject({ stdout: expect.stringContaining('✔ acme-eu/SINCE is paid') });
  for (const orderId of ['SINCE', again]) expect((await order(orderId)).stdout).toMatch(/\bpaid\b/);
  await world.send(payout('NEW'), payout('NEW'));
  await work(60, inCopy);
  expect(paidIn(world)).toBe(5);
});
