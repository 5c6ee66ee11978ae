// Batches in DynamoDB on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other emulator at that address.
import { randomUUID } from 'node:crypto';
import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { partKey } from '../../lib/batches/dynamodb-batch-item.ts';
import { headerKey } from '../../lib/batches/dynamodb-approvals.ts';
import { createDynamoDbBatches } from '../../lib/batches/dynamodb-batches.ts';
import type { ClosedBatches } from '../../lib/batches/closed-batches.ts';
import { createDynamoDbClosedBatches } from '../../lib/batches/dynamodb-closed-batches.ts';
import { createDynamoDbBatchIndex, createDynamoDbKnownOrders } from '../../lib/batches/dynamodb-batch-index.ts';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { layoutVersion } from '../../lib/aws/order-item.ts';
import type { Batches } from '../../lib/batches/batch-ports.ts';
import { newBatch } from '../../lib/batches/batch.ts';
import { batchesTableDefinition, ledgerTableDefinition } from '../../lib/local/ledger-table.ts';
import { anOrder, begun } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { describeBatchIndex } from './batch-index-contract.ts';
import { describeBatches } from './batches-contract.ts';
import { aDynamoDb } from './dynamodb.ts';

const tableName = `batches-${randomUUID()}`;
const ledgerName = `ledger-${randomUUID()}`;
const dynamoDb = aDynamoDb([tableName, batchesTableDefinition], [ledgerName, ledgerTableDefinition]);
let batches: Batches & ClosedBatches;

const options = () => ({
  client: dynamoDb.client,
  tableName,
  itemLifeDays: 400,
  nowMs: () => startMs,
  sleep: async () => {},
});

beforeAll(() => {
  batches = { ...createDynamoDbBatches(options()), ...createDynamoDbClosedBatches(options()) };
});

describeBatches('DynamoDB', () => batches);
describeBatchIndex('DynamoDB', () => {
  const ledger = { client: dynamoDb.client, tableName: ledgerName };
  return { orders: createDynamoDbOrders(ledger), batchIndex: createDynamoDbBatchIndex(ledger) };
});

async function itemOf(pk: string) {
  const Key = { pk: { S: pk } };
  return (await dynamoDb.client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item;
}

async function setLayout(pk: string, version: number): Promise<void> {
  await dynamoDb.client.send(
    new UpdateItemCommand({
      TableName: tableName,
      Key: { pk: { S: pk } },
      UpdateExpression: 'SET v = :version',
      ExpressionAttributeValues: { ':version': { N: String(version) } },
    }),
  );
}

const aBatch = (batchId: string) =>
  newBatch({ batchId, fileHash: 'ab'.repeat(32), contentHash: '12', rows: 1, totals: {}, by: 'ada', nowMs: startMs });

describe('in the table', () => {
  it('headers and parts live as long as the orders', async () => {
    await batches.register(aBatch('kept'));
    await batches.putPart('kept', 0, [{ digest: 'd', orderKey: 'acme-eu/A' }]);
    const expiresAt = { N: String(startMs / 1000 + 400 * 86_400) };
    expect(await itemOf(headerKey('kept'))).toMatchObject({ expiresAt });
    expect(await itemOf(partKey('kept', 0))).toMatchObject({ expiresAt });
  });

  it('an order of newer code is told apart from none', async () => {
    const order = anOrder();
    await begun(createDynamoDbOrders({ client: dynamoDb.client, tableName }), order);
    await setLayout(order.key, layoutVersion + 1);
    expect(await createDynamoDbKnownOrders(options()).read([order.key])).toEqual(
      new Map([[order.key, { unreadable: true }]]),
    );
  });

  it('a header of newer code is neither read nor moved', async () => {
    await batches.register(aBatch('newer'));
    await setLayout(headerKey('newer'), 2);
    await expect(batches.find('newer')).rejects.toThrow("this version can't read");
    await expect(batches.finishUpload('newer', startMs)).rejects.toThrow("this version can't read");
    expect(await batches.register(aBatch('older'))).toEqual({ kind: 'registered' });
    expect(await itemOf(headerKey('newer'))).toMatchObject({ batchState: { S: 'uploading' } });
  });
});
