// The index of open work in DynamoDB, on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other one there.
import { randomUUID } from 'node:crypto';
import { DynamoDBClient, QueryCommand, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { createDynamoDbDueWork } from '../../lib/aws/dynamodb-due-work.ts';
import { type Item, openWorkIndexName } from '../../lib/aws/dynamodb-table.ts';
import { openWorkPartition } from '../../lib/aws/order-item.ts';
import type { DueWork, DueWorkChoice } from '../../lib/payout/inquire/due-work.ts';
import { ofAttempt } from '../../lib/payout/order/facts.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import { anAttempt, anOrder, withFacts, begun } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aDynamoDb } from './dynamodb.ts';
import { describeOpenWork } from './open-work-contract.ts';

const dynamoDb = aDynamoDb();

async function newTable(): Promise<string> {
  const tableName = `ledger-${randomUUID()}`;
  await dynamoDb.createTable(tableName);
  return tableName;
}

function ordersOver(tableName: string, over = dynamoDb.client): Orders & DueWork {
  return {
    ...createDynamoDbOrders({ client: over, tableName }),
    ...createDynamoDbDueWork({ client: over, tableName }),
  };
}

describeOpenWork('DynamoDB', async () => ordersOver(await newTable()));

async function putMany(orders: Orders, count: number): Promise<Order[]> {
  const all = Array.from({ length: count }, (_, at) => anOrder({ attempt: { leaseUntilMs: startMs + 1_000 * at } }));
  await Promise.all(all.map((order) => begun(orders, order)));
  return all;
}

async function keysOf(dueWork: DueWork, which?: DueWorkChoice): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of dueWork.dueWork('submitting', Number.MAX_SAFE_INTEGER, which)) keys.push(key);
  return keys;
}

describe('the index', () => {
  it('is spread over four partitions a kind, none of them empty or taking most', async () => {
    const tableName = await newTable();
    await putMany(ordersOver(tableName), 100);
    const counts = await Promise.all(
      ['s0', 's1', 's2', 's3'].map(async (partition, shard) => {
        expect(openWorkPartition('submitting', shard)).toBe(partition);
        const query = {
          TableName: tableName,
          IndexName: openWorkIndexName,
          KeyConditionExpression: 'openWork = :partition',
          ExpressionAttributeValues: { ':partition': { S: partition } },
        };
        return (await dynamoDb.client.send(new QueryCommand(query))).Count ?? 0;
      }),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(100);
    for (const count of counts) {
      expect(count).toBeGreaterThan(5);
      expect(count).toBeLessThan(60);
    }
  });

  it('holds nothing of an order that has ended: its item has lost the keys', async () => {
    const tableName = await newTable();
    const orders = ordersOver(tableName);
    const [order] = await putMany(orders, 1);
    if (!order) throw new Error('there is one');
    await orders.write(order, withFacts(order, ofAttempt(anAttempt({ reports: ['declined'] })), startMs + 1_000));
    const scan = (more: object) => dynamoDb.client.send(new ScanCommand({ TableName: tableName, ...more }));
    expect((await scan({ IndexName: openWorkIndexName })).Count).toBe(0);
    const [item] = (await scan({})).Items ?? [];
    expect(item).toMatchObject({ version: { N: '2' } });
    for (const name of ['openWork', 'openWorkAt']) expect(item).not.toHaveProperty(name);
  });

  it('finds no order where it has moved on since the index saw it', async () => {
    const tableName = await newTable();
    const orders = ordersOver(tableName);
    const [order, other] = await putMany(orders, 2);
    if (!order || !other) throw new Error('there are two');
    const items = (await dynamoDb.client.send(new ScanCommand({ TableName: tableName, IndexName: openWorkIndexName })))
      .Items;
    await orders.write(order, { ...order, version: 2, dueAtMs: startMs + 3_600_000 });
    // An index that is behind: it answers as it stood before.
    const late = dynamoDb.newClient();
    late.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const answer = await next(args);
          const { ':partition': asked } =
            (args.input as { ExpressionAttributeValues?: Item }).ExpressionAttributeValues ?? {};
          if (commandName === 'QueryCommand')
            Object.assign(answer.output, { Items: items?.filter(({ openWork }) => openWork?.S === asked?.S) });
          return answer;
        },
      { step: 'initialize' },
    );
    const dueWork = createDynamoDbDueWork({ client: late, tableName });
    const due = async (beforeMs: number) => {
      const keys: string[] = [];
      for await (const { key } of dueWork.dueWork('submitting', beforeMs)) keys.push(key);
      return keys.toSorted();
    };
    expect(await due(startMs + 900_000)).toEqual([other.key]);
    expect(await due(Number.MAX_SAFE_INTEGER)).toEqual([order.key, other.key].toSorted());
    late.destroy();
  });

  it('leaves what newer code wrote to newer code, and says so', async () => {
    const tableName = await newTable();
    const orders = ordersOver(tableName);
    const [mine, newer] = await putMany(orders, 2);
    if (!mine || !newer) throw new Error('there are two');
    const version = { TableName: tableName, Key: { pk: { S: newer.key } }, UpdateExpression: 'SET v = :v' };
    await dynamoDb.client.send(new UpdateItemCommand({ ...version, ExpressionAttributeValues: { ':v': { N: '3' } } }));
    const unreadable: string[] = [];
    expect(await keysOf(orders, { onUnreadable: (key) => unreadable.push(key) })).toEqual([mine.key]);
    expect(unreadable).toEqual([newer.key]);
    // and of what newer code holds it sums nothing
    const held = { ...version, UpdateExpression: 'SET v = :v, openWork = :held' };
    const values = { ':v': { N: '3' }, ':held': { S: openWorkPartition('held', 0) } };
    await dynamoDb.client.send(new UpdateItemCommand({ ...held, ExpressionAttributeValues: values }));
    const measured: unknown[] = [];
    for await (const it of orders.measured('held', { onUnreadable: (key) => measured.push(key) })) measured.push(it);
    expect(measured).toEqual([newer.key]);
  });

  it('fails when DynamoDB does not answer', async () => {
    const nowhere = new DynamoDBClient({ ...dynamoDb.where(), endpoint: 'http://127.0.0.1:1', maxAttempts: 1 });
    await expect(keysOf(ordersOver('none', nowhere))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    nowhere.destroy();
  });
});
