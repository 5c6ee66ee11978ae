// The contract of an archived ledger over dynalite, and what its items are then.
import { GetItemCommand, type AttributeValue, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { remainderOf } from '../../lib/archive/archive-orders.ts';
import { createDynamoDbArchivable } from '../../lib/archive/dynamodb-archivable.ts';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-client.ts';
import { createDynamoDbLedger } from '../../lib/aws/dynamodb-ledger.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { localCalls } from '../../lib/local/local-limits.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { describeArchivable } from './archivable-contract.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.close());

function aDesk(endedLifeDays?: number) {
  const client = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  const table = { client, tableName: aws.ledgerTableName, ...(endedLifeDays !== undefined && { endedLifeDays }) };
  return { client, ledger: createDynamoDbLedger(table), archivable: createDynamoDbArchivable(table) };
}

describeArchivable('in DynamoDB', async () => aDesk());

async function anEnded(orderId: string, { client, ledger, archivable } = aDesk()) {
  const claimed = anEntry({ orderId });
  const entry = { ...claimed, state: 'cancelled', final: true, note: 'jane: no longer wanted' } as const;
  await ledger.claim(entry);
  const Key = { pk: { S: entry.key } };
  const itemOf = async () =>
    (await client.send(new GetItemCommand({ TableName: aws.ledgerTableName, Key }))).Item ?? {};
  const order = (await archivable.page(undefined)).orders.find((it) => it.entry.key === entry.key);
  if (!order) throw new Error('it was not found');
  const set = (name: string, value: AttributeValue) =>
    client.send(
      new UpdateItemCommand({
        TableName: aws.ledgerTableName,
        Key,
        UpdateExpression: 'SET #name = :value',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      }),
    );
  return { entry, order, itemOf, set };
}

const bytesOf = (item: Record<string, AttributeValue>) =>
  Object.entries(item).reduce((sum, [name, value]) => sum + name.length + String(Object.values(value)[0]).length, 0);

it('what is left of an order never expires, and is small: 300 bytes for an everyday one', async () => {
  const desk = aDesk(400);
  const { entry, order, itemOf } = await anEnded('ARCHIVE-1', desk);
  expect(await itemOf()).toHaveProperty('expiresAt');
  expect(await desk.archivable.cutDown(order, remainderOf(entry, 'a'.repeat(22)))).toBe(true);
  const item = await itemOf();
  expect(Object.keys(item).toSorted()).toEqual(
    [
      'pk',
      'v',
      'op',
      'ep',
      'fp',
      'ca',
      'am',
      'cu',
      'st',
      'rv',
      'fi',
      'ow',
      'ms',
      'le',
      'tr',
      'ua',
      'hi',
      'ar',
      'av',
    ].toSorted(),
  );
  expect(bytesOf(item)).toBeLessThan(300);
});

it('what newer code has added stays, and is stored', async () => {
  const { entry, set, itemOf } = await anEnded('ARCHIVE-2');
  await set('later', { S: 'known to newer code' });
  const { archivable } = aDesk();
  const order = (await archivable.page(undefined)).orders.find((it) => it.entry.key === entry.key);
  expect(order?.stored).toContain('known to newer code');
  expect(order && (await archivable.cutDown(order, remainderOf(entry, 'an-object')))).toBe(true);
  expect(await itemOf()).toMatchObject({ later: { S: 'known to newer code' }, ar: { S: 'an-object' } });
});

it.each(['ji', 'expiresAt', 'un', 'lo'])('an order to which %s has come since is left whole', async (name) => {
  const { entry, order, set, itemOf } = await anEnded(`ARCHIVE-3-${name}`);
  await set(name, name === 'expiresAt' ? { N: '1' } : { S: '1' });
  expect(await aDesk().archivable.cutDown(order, remainderOf(entry, 'an-object'))).toBe(false);
  expect(await itemOf()).toHaveProperty('no');
});

it('one that newer code wrote in a layout of its own is not shown', async () => {
  const { entry, set } = await anEnded('ARCHIVE-4');
  await set('v', { N: '3' });
  expect((await aDesk().archivable.page(undefined)).orders.map((it) => it.entry.key)).not.toContain(entry.key);
});

it('its time to live is taken away while its archive is not due', async () => {
  const desk = aDesk(400);
  const { order, itemOf } = await anEnded('ARCHIVE-5', desk);
  expect(order.expires).toBe(true);
  await desk.archivable.keep(order);
  expect(await itemOf()).not.toHaveProperty('expiresAt');
  expect(await itemOf()).toHaveProperty('no');
});
