// Open work in DynamoDB, as the sweeper meets it: the index, and the one word that it writes to an order. The index's shards
// are read side by side, page by page, and merged by when each order is due.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { isDeepStrictEqual } from 'node:util';
import { type DueWork, type DueWorkChoice, wholeIndex } from '../payout/inquire/due-work.ts';
import { openWorkOf } from '../payout/order/open-work.ts';
import type { Order } from '../payout/order/order.ts';
import type { Orders } from '../payout/order/orders.ts';
import { ownedBy } from './attribute-owners.ts';
import { openWorkItems } from './dynamodb-table.ts';
import { attributesOf, type Item, layoutVersion, openWorkPartition, orderOf } from './order-item.ts';

/** Open work over one table with the index `open-work`. */
export function createDynamoDbDueWork({
  client,
  tableName,
  openWorkShardsRead = 4,
}: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** At least as many as anybody writes, or has written to orders that are still open. */
  readonly openWorkShardsRead?: number;
}): DueWork {
  return {
    async *dueWork(kind, beforeMs, { onUnreadable, part: { part, of } = wholeIndex } = {}) {
      const shards = Array.from({ length: openWorkShardsRead }, (_, shard) => shard).filter((it) => it % of === part);
      yield* earliestFirst(shards.map((it) => partition(openWorkPartition(kind, it), beforeMs, onUnreadable)));
    },
  };

  async function* partition(
    name: string,
    beforeMs: number,
    onUnreadable: DueWorkChoice['onUnreadable'],
  ): AsyncGenerator<Order> {
    for await (const item of openWorkItems({ client, tableName }, name, beforeMs)) {
      const found = orderOf(item);
      if (found.kind === 'found') {
        places.set(found.order, item);
        yield found.order;
      } else onUnreadable?.(item['pk']?.S ?? '');
    }
  }
}

/** Merges what comes in order of time: no shard is looked at before another, however much there is in it. */
async function* earliestFirst(sources: readonly AsyncGenerator<Order>[]): AsyncGenerator<Order> {
  const firsts = await Promise.all(sources.map(headOf));
  const heads = firsts.filter((it) => it !== undefined);
  while (heads.length > 0) {
    let first = 0;
    for (const [place, { dueMs }] of heads.entries()) if (dueMs < (heads[first]?.dueMs ?? 0)) first = place;
    const head = heads[first];
    if (!head) return;
    yield head.order;
    const next = await headOf(head.source);
    if (next) heads[first] = next;
    else heads.splice(first, 1);
  }
}

interface Head {
  readonly source: AsyncGenerator<Order>;
  readonly order: Order;
  readonly dueMs: number;
}

async function headOf(source: AsyncGenerator<Order>): Promise<Head | undefined> {
  const { done, value: order } = await source.next();
  return done ? undefined : { source, order, dueMs: openWorkOf(order)?.atMs ?? 0 };
}

// The sweeper's only write to an order: when the next look is due. It names neither facts nor version, so that the role of the
// sweeper needs no right to name them (attribute-owners.ts). Of two sweepers one writes, and none over what has moved: each names
// the place in the index where it found the order.

/** Where the index showed an order: another setting of partitions may have written it. */
const places = new WeakMap<Order, Item>();

/** Where the orders are. */
interface DynamoDbLooksOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly openWorkShards?: number;
}

const ofLooks: ReadonlySet<string> = new Set(ownedBy('sweep'));

/** Writes when an order is due again. Rejects every other change, which is for those who may make it. */
export function createDynamoDbLooks({
  client,
  tableName: TableName,
  openWorkShards,
}: DynamoDbLooksOptions): Pick<Orders, 'write'> {
  return {
    async write(before, next) {
      const [was, is] = [attributesOf(before, openWorkShards), attributesOf(next, openWorkShards)];
      const { ve: _version, ...changes } = is;
      const changed = Object.entries(changes).filter(([name, value]) => !isDeepStrictEqual(was[name as 'du'], value));
      if (changed.some(([name]) => !ofLooks.has(name))) throw new RangeError('more than a time would be written');
      const place = places.get(before) ?? was;
      const values: Record<string, AttributeValue | undefined> = {
        ':du': is.du,
        ':wk': is.wk,
        ':wa': is.wa,
        ':layout': { N: String(layoutVersion) },
        ':wasIn': place['wk'],
        ':wasDue': place['wa'],
      };
      if (Object.values(values).includes(undefined)) throw new RangeError('the order is not open, or has no due time');
      try {
        await client.send(
          new UpdateItemCommand({
            TableName,
            Key: { pk: { S: before.key } },
            UpdateExpression: 'SET du = :du, wk = :wk, wa = :wa',
            ConditionExpression: 'v <= :layout AND wk = :wasIn AND wa = :wasDue',
            ExpressionAttributeValues: values as Record<string, AttributeValue>,
          }),
        );
        return { kind: 'written' };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return { kind: 'unreadable', reason: 'it has moved on meanwhile' };
      }
    },
  };
}
