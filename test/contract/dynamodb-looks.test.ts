// The leader's word over dynalite: it says when an order is due again, over what was seen alone, and touches nothing else of it.
import { type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-table.ts';
import { createDynamoDbDueWork } from '../../lib/aws/dynamodb-due-work.ts';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { layoutVersion } from '../../lib/aws/order-item.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { localCalls } from '../../lib/local/local-limits.ts';
import type { DueWork } from '../../lib/payout/inquire/due-work.ts';
import { openWorkOf } from '../../lib/payout/order/open-work.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import { ofAttempt } from '../../lib/payout/order/facts.ts';
import { anAttempt, anOrder, withFacts, begun } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

let aws: EmbeddedAws;
let client: DynamoDBClient;
let orders: Orders;
let dueWork: DueWork;
beforeAll(async () => {
  aws = await startEmbeddedAws();
  client = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  const where = { client, tableName: aws.ledgerTableName };
  orders = createDynamoDbOrders(where);
  dueWork = createDynamoDbDueWork(where);
});
afterAll(async () => {
  client.destroy();
  await aws.close();
});

async function itemOf({ key }: Order) {
  const asked = new GetItemCommand({ TableName: aws.ledgerTableName, Key: { pk: { S: key } } });
  return (await client.send(asked)).Item ?? {};
}

async function standing(order = anOrder()): Promise<Order> {
  await begun(orders, order);
  return order;
}

const laterMs = startMs + 60_000;
const moved = (order: Order) => dueWork.move(order.key, openWorkOf(order)?.atMs ?? 0, laterMs);
const later = (order: Order): Order => ({ ...order, dueAtMs: laterMs });

it('is written, and nothing of the order but when it is due', async () => {
  const order = await standing();
  const before = await itemOf(order);
  expect(await moved(order)).toBe(true);
  const at = { N: String(startMs + 60_000) };
  expect(await itemOf(order)).toEqual({ ...before, dueAt: at, openWorkAt: at });
  // No version: its role may write none.
  expect(await orders.read(order.key)).toEqual({ kind: 'found', order: later(order) });
});

it('is not written over an order that has moved, or that is not there', async () => {
  const other = await standing();
  await orders.write(other, { ...other, version: other.version + 1, dueAtMs: startMs + 30_000 });
  for (const order of [other, anOrder()]) {
    const before = await itemOf(order);
    expect(await moved(order)).toBe(false);
    expect(await itemOf(order)).toEqual(before);
  }
});

it('is not written over an order that has ended, which stays out of the index', async () => {
  const order = await standing();
  const taken = anAttempt({ answer: { kind: 'taken', atMs: startMs }, ids: ['9000123'], reports: ['approved'] });
  expect(await orders.write(order, withFacts(order, ofAttempt(taken)))).toEqual({ kind: 'written' });
  const before = await itemOf(order);
  expect(before).not.toHaveProperty('openWork');
  expect(await moved(order)).toBe(false);
  expect(await itemOf(order)).toEqual(before);
});

it('is not written over an order of newer code', async () => {
  const order = await standing();
  const newer = { ...(await itemOf(order)), v: { N: String(layoutVersion + 1) } };
  await client.send(new PutItemCommand({ TableName: aws.ledgerTableName, Item: newer }));
  expect(await moved(order)).toBe(false);
  expect(await itemOf(order)).toEqual(newer);
});
