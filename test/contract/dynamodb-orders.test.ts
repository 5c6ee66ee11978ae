// Orders in DynamoDB on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other emulator at that address.
import { randomUUID } from 'node:crypto';
import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Item, newDynamoDbClient } from '../../lib/aws/dynamodb-table.ts';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { layoutVersion } from '../../lib/aws/order-item.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { ofAttempt } from '../../lib/payout/order/facts.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import { anAttempt, anOrder, asMarked, withFacts, begun } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aDynamoDb } from './dynamodb.ts';
import { describeOrders } from './orders-contract.ts';
import { lengthOf } from '../support/long-proof.ts';

const tableName = `ledger-${randomUUID()}`;
const shippedTableName = `${tableName}-shipped`;
let shipped: DynamoDBClient;
let orders: Orders;

const dynamoDb = aDynamoDb(tableName, shippedTableName);
const ordersOver = (client: DynamoDBClient): Orders => createDynamoDbOrders({ client, tableName });

beforeAll(() => {
  shipped = newDynamoDbClient({ limits: defaultLimits }, dynamoDb.where());
  orders = ordersOver(dynamoDb.client);
});
afterAll(() => shipped.destroy());

// In the loop over the client of the functions alone; on another emulator over both.
const isBoth = process.env['DYNAMODB_ENDPOINT'] !== undefined || lengthOf({ short: false, long: true });
if (isBoth) describeOrders('DynamoDB', () => orders);

// With the deadlines that functions have.
describeOrders('DynamoDB, over the client that functions use', () =>
  createDynamoDbOrders({ client: shipped, tableName: shippedTableName }),
);

const keyOf = (key: string) => ({ TableName: tableName, Key: { pk: { S: key } } });

async function itemOf({ key }: Order): Promise<Item | undefined> {
  return (await dynamoDb.client.send(new GetItemCommand({ ...keyOf(key), ConsistentRead: true }))).Item;
}

/** Writes as newer code might: one attribute, past the store. */
async function writeAttribute({ key }: Order, name: string, value: Item[string]): Promise<void> {
  const names = { ExpressionAttributeNames: { '#name': name }, ExpressionAttributeValues: { ':value': value } };
  await dynamoDb.client.send(
    new UpdateItemCommand({ ...keyOf(key), UpdateExpression: 'SET #name = :value', ...names }),
  );
}

async function standing(order = anOrder()): Promise<Order> {
  expect(await begun(orders, order)).toEqual({ kind: 'written' });
  return order;
}

const accepted = (order: Order): Order =>
  withFacts(order, ofAttempt(anAttempt({ answer: { kind: 'taken', atMs: startMs + 1_500 }, ids: ['9000123'] })));

/** A verb on a stored order: each writes or refuses, and none may begin from nothing. */
const verbs = {
  read: (it, { key }) => it.read(key),
  begin: (it, order) => begun(it, { ...order, createdAtMs: startMs + 1 }),
  write: (it, order) => it.write(order, accepted(order)),
  markPublished: (it, order) => it.markPublished({ ...order, unpublished: true }),
} satisfies Readonly<Record<string, (orders: Orders, order: Order) => Promise<unknown>>>;

it('an order is read consistently: the emulator has no other reads, so the question is looked at', async () => {
  const client = dynamoDb.newClient();
  const asked: unknown[] = [];
  const listens = { step: 'initialize', name: 'listens' } as const;
  client.middlewareStack.add((next) => (args) => (asked.push(args.input), next(args)), listens);
  await ordersOver(client).read('acme-eu/INV-1');
  client.destroy();
  expect(asked).toMatchObject([{ ConsistentRead: true }]);
});

describe('an item that newer code has touched', () => {
  it('keeps the attributes that this version does not know, whatever is written', async () => {
    const order = await standing();
    await writeAttribute(order, 'inquiries', { L: [{ N: '1' }, { S: 'not-found' }] });
    const next = accepted(order);
    expect(await orders.write(order, next)).toEqual({ kind: 'written' });
    await orders.write(next, asMarked(next));
    await orders.markPublished(asMarked(next));
    expect((await itemOf(order))?.['inquiries']).toEqual({ L: [{ N: '1' }, { S: 'not-found' }] });
    expect(await orders.read(order.key)).toMatchObject({ order: { facts: next.facts, version: next.version + 2 } });
  });

  it('with a fact that this version does not know is unreadable to a writer, and none writes over it', async () => {
    const order = await standing();
    const [attempt] = JSON.parse((await itemOf(order))?.['attempts']?.S ?? '[]') as object[];
    await writeAttribute(order, 'attempts', { S: JSON.stringify([{ ...attempt, sanctioned: true }]) });
    await writeAttribute(order, 'version', { N: String(order.version + 1) });
    const before = await itemOf(order);
    const unreadable = { kind: 'unreadable', reason: "this version can't read the item's attempts" };
    for (const verb of [verbs.read, verbs.begin, verbs.write]) expect(await verb(orders, order)).toEqual(unreadable);
    await orders.markPublished({ ...order, unpublished: true });
    expect(await itemOf(order)).toEqual(before);
  });

  it('in a higher version of the layout stays as it is', async () => {
    const order = await standing();
    await writeAttribute(order, 'v', { N: String(layoutVersion + 1) });
    const before = await itemOf(order);
    const unreadable = { kind: 'unreadable', reason: "this version can't read the item's v" };
    for (const verb of [verbs.read, verbs.begin, verbs.write]) expect(await verb(orders, order)).toEqual(unreadable);
    await orders.markPublished({ ...order, unpublished: true });
    expect(await itemOf(order)).toEqual(before);
  });
});

describe('a write whose answer was lost on the way', () => {
  /** A client whose first answer never arrives: the SDK repeats the request by itself. */
  function forgetful(): DynamoDBClient {
    const client = dynamoDb.newClient();
    let lost = false;
    client.middlewareStack.add(
      (next) => async (args) => {
        const output = await next(args);
        if (lost) return output;
        lost = true;
        throw Object.assign(new Error('the answer was lost'), { name: 'TimeoutError' });
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    return client;
  }

  it('finds itself, whether the first or a later one', async () => {
    const order = anOrder();
    const [putting, writing] = [forgetful(), forgetful()];
    expect(await begun(ordersOver(putting), order)).toEqual({ kind: 'found', order });
    const next = accepted(order);
    expect(await ordersOver(writing).write(order, next)).toEqual({ kind: 'found', order: next });
    for (const it of [putting, writing]) it.destroy();
  });
});

describe('what DynamoDB is asked for', () => {
  it.each(Object.entries(verbs))(
    'fails for the caller to repeat when DynamoDB does not answer: %s',
    async (_, verb) => {
      const nowhere = new DynamoDBClient({ ...dynamoDb.where(), endpoint: 'http://127.0.0.1:1', maxAttempts: 1 });
      await expect(verb(ordersOver(nowhere), anOrder())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      nowhere.destroy();
    },
  );
});
