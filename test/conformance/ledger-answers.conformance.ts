// Orders on both real emulators: the port contract on moto (dynamodb-local-ledger has all of it), and the answer
// to a lost first write that dynalite can't give.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import { describeOrders } from '../contract/orders-contract.ts';
import { anOrder, begun } from '../support/orders.ts';
import { createLedgerTable } from './table.ts';

const emulators = [
  ['DynamoDB Local', inject('dynamoDbLocal')],
  ['moto', inject('moto')],
] as const;

async function ordersAt(endpoint: string): Promise<{ client: DynamoDBClient; orders: Orders }> {
  const { client, tableName } = await createLedgerTable(endpoint);
  return { client, orders: createDynamoDbOrders({ client, tableName }) };
}

const motoUrl = inject('moto');

describe.skipIf(motoUrl === null)('moto', () => {
  describeOrders('DynamoDB on moto', async () => (await ordersAt(motoUrl ?? '')).orders);
});

describe.for(emulators)('a first write that comes second, on %s', ([, url]) => {
  describe.skipIf(url === null)('the store', () => {
    let client: DynamoDBClient;
    let orders: Orders;
    const commands: (string | undefined)[] = [];

    beforeAll(async () => {
      ({ client, orders } = await ordersAt(url ?? ''));
      client.middlewareStack.add(
        (next, { commandName }) =>
          async (args) => {
            commands.push(commandName);
            return next(args);
          },
        { step: 'initialize' },
      );
    });

    afterAll(() => client.destroy());

    it('is told who won by the refusal itself, without a second read', async () => {
      const order = anOrder();
      expect(await begun(orders, order)).toStrictEqual({ kind: 'written' });
      expect(await begun(orders, { ...order, createdAtMs: 1 })).toStrictEqual({ kind: 'found', order });
      expect(commands).toStrictEqual(['UpdateItemCommand', 'UpdateItemCommand']);
    });
  });
});
