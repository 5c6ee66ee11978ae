// Every order of a ledger, read in segments side by side: each once, and no faster than somebody takes them.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbAllOrders } from '../../lib/aws/dynamodb-all-orders.ts';
import { createDynamoDbControls } from '../../lib/aws/dynamodb-controls.ts';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { anOrder, begun } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aDynamoDb } from './dynamodb.ts';

const tableName = `all-${randomUUID()}`;
const dynamoDb = aDynamoDb(tableName);
const keys: string[] = [];
let [mostAtOnce, atOnce] = [0, 0];

beforeAll(async () => {
  const orders = createDynamoDbOrders({ client: dynamoDb.client, tableName });
  for (let at = 0; at < 60; at += 1) {
    const order = anOrder(at === 0 ? { merchant: 'globex-us', orderId: 'INV-1' } : {});
    keys.push(order.key);
    await begun(orders, order);
  }
  const controls = createDynamoDbControls({ client: dynamoDb.client, tableName, nowMs: () => startMs });
  await controls.pause('acme-eu', true, { by: 'ops', reason: 'odd amounts', atMs: startMs });
  dynamoDb.client.middlewareStack.add(
    (next) => async (args) => {
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      return next({ ...args, input: { ...args.input, Limit: 7 } }).finally(() => (atOnce -= 1));
    },
    { step: 'initialize' },
  );
});

async function scanned(segments?: number, merchant?: string): Promise<string[]> {
  const found: string[] = [];
  const orders = createDynamoDbAllOrders({
    client: dynamoDb.client,
    tableName,
    ...(segments !== undefined && { segments }),
  });
  for await (const page of orders.scan(merchant))
    for (const it of page) if (it.kind === 'found') found.push(it.order.key);
  return found;
}

describe('all orders', () => {
  it.each([1, 2, 4, 16])('are each found once, whatever their number of segments: %i', async (segments) => {
    expect((await scanned(segments)).toSorted()).toEqual(keys.toSorted());
  });

  it('are read sixteen pages side by side, and only those of a merchant where that is asked', async () => {
    mostAtOnce = 0;
    expect(await scanned(undefined, 'globex-us')).toEqual(['globex-us/INV-1']);
    expect(mostAtOnce).toBe(16);
  });
});
