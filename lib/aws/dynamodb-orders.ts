// Orders in DynamoDB: every write has a condition, nothing is deleted. A failed condition is an answer, not an error.
import { isDeepStrictEqual } from 'node:util';
import { type AttributeValue, ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDbTable, type Item, itemAt, N, S } from './dynamodb-table.ts';
import { defaultLimits } from '../payout/limits.ts';
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
  openWorkShards = defaultLimits.openWorkShards,
}: DynamoDbOrdersOptions): Orders {
  async function read(key: string): Promise<ReadOrder> {
    const item = await itemAt({ client, tableName: TableName }, key);
    return item ? orderOf(item) : { kind: 'none' };
  }

  /** The stored order after a failed condition. AWS returns the item; for emulators that do not, it is read. */
  async function storedInstead(error: unknown, key: string): Promise<StoredOrder> {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const found = error.Item ? orderOf(error.Item) : await read(key);
    // Items are never deleted: if one is missing, no answer is safe.
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

/** Marks the revision as published, over any later version that still has the same revision. */
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
 * True for a claim, which leaves the batch's index to the next write: that saves one write of the index per payout. Not for a claim of
 * an ended order: entries that show an end are not read again, so the index must change at once.
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
 * Attributes that every write sets: since the read, the sweeper may have set another due time, or the number of partitions may have
 * changed.
 */
const alwaysWritten: ReadonlySet<string> = new Set(['dueAt', 'openWork', 'openWorkAt', 'measured']);

/** Attributes that the stored item may lack: they are set if they have a value. A claim writes no entry of its batch. */
const mayBeMissing: ReadonlySet<string> = new Set([...alwaysWritten, ...batchAttributes]);

/**
 * Sets only what has changed: attributes of newer code stay. A new order is an update too, as a role with the right to put could
 * replace an order.
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
