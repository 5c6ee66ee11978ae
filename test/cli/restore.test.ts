// `payouts restore` as an operator runs it, on a table and the copy of it that was restored from an earlier moment.
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { createDynamoDbWaiting } from '../../lib/aws/dynamodb-waiting.ts';
import { createDynamoDbRestoreAdmin } from '../../lib/restore/dynamodb-restore-admin.ts';
import { sendToJobsQueue } from '../../lib/local/jobs-and-results.ts';
import { aParkedJob } from '../contract/waiting-contract.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aView } from '../support/orders.ts';
import { anAws } from './support/aws.ts';
import type { CliEnd } from './support/cli.ts';
import { anOrderThatStands } from '../support/order-that-stands.ts';
import { aDirectory } from './support/files.ts';
import { longDescribe } from '../support/long-proof.ts';
import { createTable } from '../support/created-table.ts';
import { putMerchant } from '../support/merchant-secrets.ts';
import { resultOf } from '../../lib/payout/order/projection.ts';

const copy = 'ledger-restored';
const directory = aDirectory();
const because = ['--reason', 'the table was deleted'];
const world = anAws({ gateway: true, merchants: false, visibilityTimeoutSeconds: 60 });

const restore = (...args: string[]): Promise<CliEnd> => world.run(['restore', ...args], { LEDGER_TABLE_NAME: copy });
const begins = (table: string): Promise<CliEnd> =>
  world.run(['ledger', 'begin', table, '--yes'], { ...world.aws().secondOperator, LEDGER_TABLE_NAME: copy });
const ordersOf = (tableName: string) => createDynamoDbOrders({ client: world.dynamodb(), tableName });

/** An order that the backup shows as accepted, and one that was paid after it. */
const before = anOrderThatStands({ orderId: 'BEFORE', state: 'accepted', final: false });
const after = aView({ orderId: 'AFTER', state: 'accepted', final: true, revision: 2, gatewayOrderId: '9000001' });

beforeAll(async () => {
  const { ledgerTableName } = world.aws();
  const dynamodb = world.dynamodb();
  await createDynamoDbRestoreAdmin({ client: dynamodb, tableName: ledgerTableName }).stamp();
  await world.put(before);
  await createTable(dynamodb, copy);
  for (const pk of ['~ledger', before.key]) {
    const { Item } = await dynamodb.send(
      new GetItemCommand({ TableName: ledgerTableName, Key: { pk: { S: pk } }, ConsistentRead: true }),
    );
    await dynamodb.send(new PutItemCommand({ TableName: copy, Item }));
  }
});

it('from a table that is nobody’s to a settled ledger', async () => {
  // The copy gives itself away, and nothing is decided by it.
  expect(await restore('status')).toMatchObject({ code: 1, stdout: expect.stringContaining('it is not the ledger') });
  const order = await world.run(['order', before.key], { LEDGER_TABLE_NAME: copy });
  expect(order).toMatchObject({ code: 1, stderr: expect.stringContaining('procedures/restore-the-ledger.md') });
  const tooEarly = await begins(copy);
  expect(tooEarly).toMatchObject({ code: 1, stderr: expect.stringContaining('no restore was begun in it') });

  // What was told after the backup is put back, a result and a line of the log alike.
  const logged = {
    time: '2026-11-21T10:00:00.000Z',
    level: 'info',
    event: 'job',
    messageId: 'm-2',
    merchant: 'acme-eu',
  };
  const stands = {
    operation: 'payout',
    endpointId: '39915',
    orderId: 'LOGGED',
    state: 'held',
    revision: 2,
    attempts: 1,
  };
  const lines = [
    resultOf(after),
    resultOf(after),
    { ...logged, ...stands, resultId: 'acme-eu/LOGGED/2' },
    { event: 'batch' },
  ];
  const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\nno JSON\n`;
  const told = await directory.file('told.jsonl', text);
  expect(await restore('adopt', told, '--json')).toMatchObject({
    code: 0,
    stdout: '{"adopted":2,"known":1,"nothing":2}\n',
  });

  // The restore is begun, everybody is paused, and an approver lets the copy be the ledger; nobody else can.
  const begun = await restore('begin', '--to', '2026-11-21T10:00:00Z', ...because, '--json');
  expect(begun).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(begun.stdout)).toMatchObject({ table: copy, paused: true });
  expect(await restore('status')).toMatchObject({ code: 1 });
  expect(await world.run(['ledger', 'begin', copy, '--yes'], { LEDGER_TABLE_NAME: copy })).toMatchObject({ code: 1 });
  expect(await begins('payouts-ledger')).toMatchObject({ code: 1, stderr: expect.stringContaining('type its name') });
  expect(await begins(copy)).toMatchObject({ code: 0, stdout: expect.stringContaining(`${copy} is the ledger`) });
  // By the old table nothing is decided any more.
  expect(await world.payouts('order', before.key)).toMatchObject({ code: 1 });
  // What the copy holds is there, and goes on under its gap.
  expect(await ordersOf(copy).read(before.key)).toMatchObject({ kind: 'found', order: { key: before.key } });
  const adopted = await world.run(['order', 'acme-eu/LOGGED'], { LEDGER_TABLE_NAME: copy });
  expect(adopted).toMatchObject({ code: 0, stdout: expect.stringContaining('now in-doubt') });
  expect(await restore('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('not settled') });

  // It is not ended while messages of the gap may be left: on the queue, among what waits, or an answer on the worker's own queue.
  await world.send(aPayoutJob());
  await sendToJobsQueue(world.sqs(), world.aws().queueUrls.checks, ['{}']);
  await createDynamoDbWaiting({
    client: world.dynamodb(),
    tableName: world.aws().waitingTableName,
  }).put(aParkedJob());
  const early = await restore('end', ...because);
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('2 jobs and 0 dead letters may be') });
  expect(early.stderr).toContain("1 message on the worker's own queues");

  // Nor by one person, where the money of any merchant is released by two.
  const secret = { login: 'two', controlKey: 'FAKE-CONTROL-KEY', baseUrl: 'http://127.0.0.1:9' };
  putMerchant(world.aws().secrets, 'two-persons', secret);
  await world.aws().safeguard('two-persons', { twoPersonRelease: true, caps: {} });
  const alone = await restore('end', '--despite-messages', ...because);
  expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('the money of two-persons') });
  const approveEnd = (/`node \. ([^`]+)`/.exec(alone.stderr)?.[1] ?? '').split(' ');
  expect(approveEnd.slice(0, 3)).toEqual(['restore', 'approve-end', '--for']);
  expect(await restore(...approveEnd.slice(1), '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('may be one person'),
  });
  const another = { ...world.aws().secondOperator, LEDGER_TABLE_NAME: copy };
  const approved = await world.run([...approveEnd, '--yes', '--json'], another);
  expect(approved.code).toBe(0);
  const { approval } = JSON.parse(approved.stdout) as { readonly approval: string };
  const end = ['end', '--despite-messages', ...because];
  expect(await restore(...end, '--approval', approval.slice(4))).toMatchObject({ code: 1 });
  expect(await restore('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('not settled') });
  expect(await restore(...end, '--approval', approval)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('is a new one'),
  });
  expect(await restore('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('; settled:') });
  const { Item } = await world.dynamodb().send(new GetItemCommand({ TableName: copy, Key: { pk: { S: '~ledger' } } }));
  expect(Item?.['saidBy']?.S).toBe('first-operator and second-operator');
});

longDescribe('a ledger that is the known one', () => {
  it('is no restore, and needs no beginning', async () => {
    const begin = ['restore', 'begin', '--to', '2026-11-21T10:00:00Z', ...because];
    expect(await restore(...begin.slice(1))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is the ledger itself'),
    });
    expect(await begins(copy)).toMatchObject({ code: 0, stdout: expect.stringContaining('already') });
  });
});
