// The table of card keys on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other at that address.
import { randomUUID } from 'node:crypto';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { createDynamoDbCardKeyStore } from '../../lib/card-data/dynamodb-card-key-store.ts';
import { createDynamoDbLeftCardKeys } from '../../lib/card-data/dynamodb-left-card-keys.ts';
import { createSingleUseCode } from '../../lib/card-data/open-card-data.ts';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { plainTableDefinition } from '../../lib/local/ledger-table.ts';
import { aTransferJob, jobOf } from '../support/jobs.ts';
import { anOrder, begun } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { describeCardKeys } from './card-keys-contract.ts';
import { aDynamoDb } from './dynamodb.ts';

const ordersTable = `orders-${randomUUID()}`;
const keysTable = `card-keys-${randomUUID()}`;
const dynamoDb = aDynamoDb(ordersTable, [keysTable, plainTableDefinition]);

async function itemOf(TableName: string, key: string) {
  const it = { TableName, Key: { pk: { S: key } }, ConsistentRead: true };
  return (await dynamoDb.client.send(new GetItemCommand(it))).Item;
}

const orders = () => createDynamoDbOrders({ client: dynamoDb.client, tableName: ordersTable });
const store = (nowMs = startMs) =>
  createDynamoDbCardKeyStore({ client: dynamoDb.client, tableName: keysTable, nowMs: () => nowMs });

describeCardKeys('DynamoDB', () => ({
  store: {
    ...store(),
    ...createDynamoDbLeftCardKeys(
      { client: dynamoDb.client, tableName: keysTable },
      { client: dynamoDb.client, tableName: ordersTable, sleep: async () => {} },
    ),
  },
  keepOrder: async (order) => void (await begun(orders(), order)),
  rawTextOf: async (key) => JSON.stringify((await itemOf(keysTable, key)) ?? ''),
}));

const key = (id: string) => ({ id, secret: `${id}-`.padEnd(43, 'A') });

it('a key that is never taken goes after fifteen days; one whose time is over makes room before that', async () => {
  const { key: at, merchant, orderId } = anOrder();
  const order = { operation: 'payout', merchant, orderId } as const;
  await store().deposit(order, key('key-1'));
  const item = await itemOf(keysTable, at);
  expect(item?.['expiresAt']).toEqual({ N: String(startMs / 1000 + 15 * 86_400) });
  const later = await store(startMs + 15 * 86_400_000 + 1_000).deposit(order, key('key-2'));
  expect(later).toEqual(key('key-2'));
});

it('a key is handed to the one claim that opens its code', async () => {
  const { merchant, orderId } = anOrder();
  await store().deposit({ operation: 'transfer', merchant, orderId }, key('key-1'));
  const openCode = async (_: string, { id }: { readonly id: string }) => (id === 'key-1' ? '737' : undefined);
  const job = {
    ...jobOf(aTransferJob({ merchant, orderId })),
    sealedCode: { field: 'cvv2', keyId: 'key-1', sealed: '' },
  };
  const open = () => createSingleUseCode({ openCode }, store()).open(job);
  expect((await open())?.params['cvv2']).toBe('737');
  expect(await open()).toBeUndefined();
});
