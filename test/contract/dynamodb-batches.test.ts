// Batches in DynamoDB on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other emulator at that address.
import { randomUUID } from 'node:crypto';
import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { partKey } from '../../lib/batches/batch-item.ts';
import { headerKey } from '../../lib/batches/dynamodb-approvals.ts';
import { createDynamoDbBatches } from '../../lib/batches/dynamodb-batches.ts';
import { createDynamoDbBatchRows, createDynamoDbOrderChanges } from '../../lib/batches/dynamodb-batch-rows.ts';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { layoutVersion } from '../../lib/aws/order-item.ts';
import type { Batches } from '../../lib/batches/batch-ports.ts';
import { newBatch } from '../../lib/batches/batch.ts';
import { batchesTableDefinition } from '../../lib/local/ledger-table.ts';
import { anOrder } from '../support/orders.ts';
import { createManualClock, startMs } from '../support/time-and-chance.ts';
import { describeBatchRows } from './batch-rows-contract.ts';
import { describeBatches } from './batches-contract.ts';
import { describeOrderChanges } from './order-changes-contract.ts';
import { createDynamoDbRowNotes } from '../../lib/batches/dynamodb-row-notes.ts';
import { aDynamoDb } from './dynamodb.ts';

const tableName = `batches-${randomUUID()}`;
const dynamoDb = aDynamoDb([tableName, batchesTableDefinition]);
let batches: Batches;

const options = () => ({
  client: dynamoDb.client,
  tableName,
  itemLifeDays: 400,
  nowMs: () => startMs,
  sleep: async () => {},
});
const rowsOverTable = (of = options()) => ({ ...createDynamoDbBatchRows(of), ...createDynamoDbRowNotes(of) });

beforeAll(() => {
  batches = createDynamoDbBatches(options());
});

describeBatches('DynamoDB', () => batches);
describeBatchRows('DynamoDB', () => ({
  rows: rowsOverTable(),
  orders: createDynamoDbOrders({ client: dynamoDb.client, tableName }),
}));

const clock = createManualClock();
describeOrderChanges('DynamoDB', () => {
  const changing = { ...options(), nowMs: clock.nowMs };
  return {
    clock,
    changes: createDynamoDbOrderChanges(changing),
    rows: rowsOverTable(changing),
    orders: createDynamoDbOrders({ client: dynamoDb.client, tableName }),
  };
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
    await createDynamoDbOrders({ client: dynamoDb.client, tableName }).put(order);
    await setLayout(order.key, layoutVersion + 1);
    expect(await rowsOverTable().read('b', [{ digest: 'd', orderKey: order.key }])).toEqual(
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
