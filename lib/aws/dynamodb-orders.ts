// Orders in DynamoDB: every write under condition, nothing deleted. A failed condition is an answer, not an error.
import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type DynamoDbTable, type Item, N, S } from './dynamodb-table.ts';
import type { Order } from '../payout/order/order.ts';
import type { Orders, ReadOrder, StoredOrder } from '../payout/order/orders.ts';
import { fold } from '../payout/order/fold.ts';
import { standingOfStatus, standings } from '../payout/order/standing.ts';
import { attributesOf, batchAttributes, layoutVersion, orderOf } from './order-item.ts';

/** The table of the orders. */
interface DynamoDbOrdersOptions extends DynamoDbTable {
  /** The number of partitions per kind of the open-work index. */
  readonly openWorkShards?: number;
}

/** Orders over one table with the string partition key `pk`. */
export function createDynamoDbOrders({
  client,
  tableName: TableName,
  openWorkShards = 4,
}: DynamoDbOrdersOptions): Orders {
  async function read(key: string): Promise<ReadOrder> {
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: S(key) }, ConsistentRead: true }));
    return Item ? orderOf(Item) : { kind: 'none' };
  }

  /** AWS returns the item with the failed condition; emulators may not, and are read instead. */
  async function storedInstead(error: unknown, key: string): Promise<StoredOrder> {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const found = error.Item ? orderOf(error.Item) : await read(key);
    // An item that was written is never deleted: without it the only safe answer is none.
    if (found.kind === 'none') throw new Error('the item vanished between a condition and its read', { cause: error });
    return found;
  }

  const itemOf = (order: Order) => attributesOf(order, openWorkShards);

  return {
    read,
    async write(before, next) {
      if (next.version <= before.version) throw new RangeError('a write raises the version');
      const written = leavesEntry(before, next) ? withoutEntry(itemOf(next)) : itemOf(next);
      const update = updateOf(before, before.version === 0 ? {} : itemOf(before), written);
      try {
        await client.send(new UpdateItemCommand({ TableName, ...update }));
        return { kind: 'written' };
      } catch (error) {
        return storedInstead(error, before.key);
      }
    },
    markPublished(order) {
      return markPublished(this, order);
    },
    restored: async () => undefined,
  };
}

/** Writes over any version in between, as long as the order's revision is the given one. */
async function markPublished({ write }: Pick<Orders, 'write'>, order: Order): Promise<void> {
  let before = order;
  while (before.unpublished && before.published.revision === order.published.revision) {
    const { unpublished: _, ...next } = before;
    const written = await write(before, { ...next, version: before.version + 1 });
    if (written.kind !== 'found') return;
    before = written.order;
  }
}

/**
 * True for a claim, which leaves the index of its batch to the write after it, or each payout would cost one write of the index more. But
 * what the index shows as an end is not read again, so a claim that opens an end is shown at once.
 */
function leavesEntry(before: Order, next: Order): boolean {
  if (fold(next.facts).kind !== 'sending') return false;
  const status = fold(before.facts);
  return !standings[standingOfStatus(status, true)].isFinal;
}

function withoutEntry(attributes: Record<string, AttributeValue | undefined>) {
  const { batchShard: _, batchEntry: _entry, ...others } = attributes;
  return others;
}

/**
 * Attributes that every write sets: the sweeper may have set another due time meanwhile, or spread orders over another number of
 * partitions.
 */
const alwaysWritten: ReadonlySet<string> = new Set(['dueAt', 'openWork', 'openWorkAt', 'measured']);

/** Attributes that are set if they have a value: a claim writes no entry of its batch. */
const mayBeMissing: ReadonlySet<string> = new Set([...alwaysWritten, ...batchAttributes]);

/**
 * Sets what has changed and nothing else: attributes of newer code stay. An order without an item begins by an update too: a role that
 * may put could replace an order by this item.
 */
function updateOf(
  { key, version }: Order,
  before: Record<string, AttributeValue | undefined>,
  next: Record<string, AttributeValue | undefined>,
) {
  const isNew = version === 0;
  const names: Record<string, string> = isNew ? {} : { '#version': 'version' };
  const values: Item = isNew ? {} : { ':layout': N(layoutVersion), ':was': N(version) };
  const [set, removed]: [string[], string[]] = [[], []];
  for (const [name, value] of Object.entries(next)) {
    const isKept = value === undefined ? !alwaysWritten.has(name) : !mayBeMissing.has(name);
    if (name === 'pk' || (isDeepStrictEqual(value, before[name]) && (isNew || isKept))) continue;
    names[`#${name}`] = name;
    if (value === undefined) removed.push(`#${name}`);
    else {
      values[`:${name}`] = value;
      set.push(`#${name} = :${name}`);
    }
  }
  return {
    Key: { pk: S(key) },
    ConditionExpression: isNew ? 'attribute_not_exists(pk)' : 'v <= :layout AND #version = :was',
    UpdateExpression: [
      set.length > 0 ? `SET ${set.join(', ')}` : '',
      removed.length > 0 ? `REMOVE ${removed.join(', ')}` : '',
    ].join(' '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}
