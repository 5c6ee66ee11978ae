// The sweeper's round over the table of card keys: no key of a claimed order survives its lease. It reads the names of keys,
// never a key, and deletes without getting the deleted item back, so that its role needs no right to see one.
import { type AttributeValue, DeleteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDbTable, isWritten, manyItems, type ManyItemsSource } from '../aws/dynamodb-table.ts';
import { orderOf } from '../aws/order-item.ts';
import type { SweepRound } from '../payout/inquire/due-work.ts';
import { attemptsOf } from '../payout/order/facts.ts';
import { fold } from '../payout/order/fold.ts';
import type { Order } from '../payout/order/order.ts';

/** A key in the table, by its name. */
interface LeftCardKey {
  readonly orderKey: string;
  readonly id: string;
}

/** The keys in the table. */
export interface LeftCardKeys {
  /** The next ones; `isLast` if the next call begins at the first again. */
  next(): Promise<{ readonly keys: readonly LeftCardKey[]; readonly isLast: boolean }>;
  /** The orders of these keys, as far as there are any and this version can read them. */
  ordersOf(keys: readonly LeftCardKey[]): Promise<ReadonlyMap<string, Order>>;
  /** Destroys this key; does nothing if there is another by now. */
  destroy(key: LeftCardKey): Promise<void>;
}

/** The orders of one read. */
const keysAtOnce = 100;
/** The reads of one round: a table of more than 4,000 waiting keys is walked in several minutes. */
const questionsAtMost = 40;

/** The round. Keys of unclaimed orders, and of orders that wait for new card data, stay. */
export function cardKeysRound(cardKeys: LeftCardKeys, nowMs: () => number): SweepRound {
  return async (deadlineMs) => {
    for (let asked = 0; asked < questionsAtMost && nowMs() < deadlineMs; asked += 1) {
      const { keys, isLast } = await cardKeys.next();
      const orders = await cardKeys.ordersOf(keys);
      for (const key of keys) {
        const order = orders.get(key.orderKey);
        if (order && outlivesItsClaim(order, key.id, nowMs())) await cardKeys.destroy(key);
      }
      if (isLast) break;
    }
    return {};
  };
}

/**
 * True for a card key that must go: its order was claimed, and no worker will take it any more. A claim that died before it took
 * its key keeps it until its lease is over; a key of an order that may be claimed anew waits for that claim, unless it is the one that
 * an attempt has spent: the next sealing of the order would get it again.
 */
function outlivesItsClaim({ facts }: Order, keyId: string, nowMs: number): boolean {
  const spent = attemptsOf(facts).find((it) => it.cardKeyId === keyId);
  if (spent) return spent.answer !== undefined || spent.leaseUntilMs <= nowMs;
  const status = fold(facts);
  switch (status.kind) {
    case 'sending':
    case 'verifying':
      return status.attempt.leaseUntilMs <= nowMs;
    case 'new':
    case 'ready':
      return false;
    case 'over':
      return status.reason === 'cancelled' || !status.end;
    case 'held':
      return status.reason !== 'card-data';
    case 'accepted':
    case 'approved':
    case 'in-doubt':
      return true;
    default:
      return status satisfies never;
  }
}

/** The keys of one table, and the orders of the other. */
export function createDynamoDbLeftCardKeys(
  { client, tableName: TableName }: DynamoDbTable,
  orders: ManyItemsSource,
): LeftCardKeys {
  let from: Record<string, AttributeValue> | undefined;
  return {
    async next() {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName,
          Limit: keysAtOnce,
          Select: 'SPECIFIC_ATTRIBUTES',
          ProjectionExpression: 'pk, ji',
          ExclusiveStartKey: from,
        }),
      );
      from = LastEvaluatedKey;
      const keys = Items.map(({ pk, ji }) => ({ orderKey: pk?.S ?? '', id: ji?.S ?? '' }));
      return { keys, isLast: from === undefined };
    },
    async ordersOf(keys) {
      const entries = new Map<string, Order>();
      const items = await manyItems(
        keys.map(({ orderKey }) => orderKey),
        orders,
      );
      for (const item of items.values()) {
        const found = orderOf(item);
        if (found.kind === 'found') entries.set(found.order.key, found.order);
      }
      return entries;
    },
    async destroy({ orderKey, id }) {
      const command = new DeleteItemCommand({
        TableName,
        Key: { pk: { S: orderKey } },
        ConditionExpression: 'ji = :id',
        ExpressionAttributeValues: { ':id': { S: id } },
        ReturnValues: 'NONE',
      });
      await isWritten(() => client.send(command));
    },
  };
}
