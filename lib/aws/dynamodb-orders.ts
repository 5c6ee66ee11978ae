// Orders in DynamoDB: every write under condition, nothing deleted. A failed condition is an answer, not an error.
import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { ownedBy } from './attribute-owners.ts';
import { type CalledBackPlaces, createCalledBackPlaces } from './dynamodb-called-back.ts';
import { type DynamoDbTable, isWritten } from './dynamodb-table.ts';
import { isBegunByCallback, namesOfKey, newOrder, type Order, type UnreadCallback } from '../payout/order/order.ts';
import {
  calledBackUnsentAtMost,
  inboxPlaces,
  type Orders,
  type ReadOrder,
  type StoredOrder,
} from '../payout/order/orders.ts';
import { packed } from '../payout/order/fact-schemas.ts';
import {
  attributesOf,
  type Item,
  layoutVersion,
  openWorkLetter,
  openWorkPartition,
  orderOf,
  shardOf,
} from './order-item.ts';

/** The table of the orders. */
interface DynamoDbOrdersOptions extends DynamoDbTable {
  /** The number of partitions per kind of the open-work index. */
  readonly openWorkShards?: number;
  readonly calledBackAtMost?: number;
}

/** Orders over one table with the string partition key `pk`. */
export function createDynamoDbOrders({
  client,
  tableName: TableName,
  openWorkShards = 4,
  calledBackAtMost = calledBackUnsentAtMost,
}: DynamoDbOrdersOptions): Orders {
  const table = {
    client,
    TableName,
    openWorkShards,
    places: createCalledBackPlaces({ client, TableName }, calledBackAtMost),
  };
  async function read(key: string): Promise<ReadOrder> {
    const { Item } = await client.send(
      new GetItemCommand({ TableName, Key: { pk: { S: key } }, ConsistentRead: true }),
    );
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
    async put(order) {
      try {
        await client.send(
          new PutItemCommand({
            TableName,
            Item: defined(itemOf(order)),
            ConditionExpression: 'attribute_not_exists(pk)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return { kind: 'written' };
      } catch (error) {
        return storedInstead(error, order.key);
      }
    },
    async write(before, next) {
      if (next.version <= before.version) throw new RangeError('a write raises the version');
      // An update also for an order without an item: the right to put one is the claimer's.
      const update = before.version === 0 ? beginningOf(itemOf(next)) : updateOf(before, itemOf(before), itemOf(next));
      try {
        await client.send(new UpdateItemCommand({ TableName, ...update }));
        if (isBegunByCallback(before) && !isBegunByCallback(next)) await table.places.giveBack(before.merchant);
        return { kind: 'written' };
      } catch (error) {
        return storedInstead(error, before.key);
      }
    },
    mark(order, unpublished) {
      return mark(this, order, unpublished);
    },
    note: (key, place, callback, nowMs) => note(table, { key, place, callback, nowMs }),
  };
}

/** Writes over any version in between, as long as the order's revision is the given one. */
async function mark({ write }: Pick<Orders, 'write'>, order: Order, unpublished: boolean): Promise<void> {
  if (order.version === 0) return;
  let before = order;
  for (;;) {
    const { unpublished: _, ...rest } = before;
    if (unpublished && before.unpublished) return;
    const next = { ...rest, version: before.version + 1, ...(unpublished && { unpublished }) };
    const written = await write(before, next);
    if (written.kind !== 'found' || written.order.published.revision !== order.published.revision) return;
    before = written.order;
  }
}

function defined(attributes: Record<string, AttributeValue | undefined>): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) item[name] = value;
  return item;
}

const ofCallbacks: ReadonlySet<string> = new Set(ownedBy('callback'));

/**
 * Attributes that every write sets: the sweeper may have set another due time meanwhile, or spread orders over another number of
 * partitions, and the callbacks' door may have moved an order without writing its measure.
 */
const alwaysWritten: ReadonlySet<string> = new Set(['du', 'wk', 'wa', 'me']);

/**
 * Sets what has changed and nothing else: attributes of newer code stay. A callback raises no version, as the
 * door may write none: a writer that has not seen it is refused by the number of callbacks. An order that callbacks alone have begun has
 * no version and no result either, so the first write sets all.
 */
function updateOf(
  { key, version, inbox, moreCallbacks }: Order,
  before: Record<string, AttributeValue | undefined>,
  next: Record<string, AttributeValue | undefined>,
) {
  const names: Record<string, string> = { '#ve': 've', '#in': 'in' };
  const values: Item = {
    ':layout': { N: String(layoutVersion) },
    ':was': { N: String(version) },
    ':unread': { N: String(Object.keys(inbox).length) },
    ...(moreCallbacks > 0 && { ':more': { N: String(moreCallbacks) } }),
  };
  const [set, removed]: [string[], string[]] = [[], []];
  for (const [name, value] of Object.entries(next)) {
    const isKnown = version > 1 || value === undefined || ofCallbacks.has(name);
    if (isKnown && isDeepStrictEqual(value, before[name]) && !alwaysWritten.has(name)) continue;
    names[`#${name}`] = name;
    if (value === undefined) removed.push(`#${name}`);
    else {
      values[`:${name}`] = value;
      set.push(`#${name} = :${name}`);
    }
  }
  return {
    Key: { pk: { S: key } },
    ConditionExpression: [
      'v <= :layout',
      // An order that callbacks have begun has no version, and is read as the first.
      version === 1 ? '(attribute_not_exists(#ve) OR #ve = :was)' : '#ve = :was',
      'size(#in) = :unread',
      moreCallbacks > 0 ? 'im = :more' : 'attribute_not_exists(im)',
    ].join(' AND '),
    UpdateExpression: [
      ...(set.length > 0 ? [`SET ${set.join(', ')}`] : []),
      ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : []),
    ].join(' '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/**
 * Begins an item where there is none, without a put: a role that may put could replace an order by such an item, and neither the
 * public door nor the inquirer may do that.
 */
function beginningOf(attributes: Record<string, AttributeValue | undefined>) {
  const { pk, ...rest } = defined(attributes);
  const names = Object.keys(rest);
  return {
    Key: { pk } as Item,
    ConditionExpression: 'attribute_not_exists(pk)',
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, rest[name]])) as Item,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

interface NoteTable {
  readonly client: DynamoDBClient;
  readonly TableName: string;
  readonly openWorkShards: number;
  readonly places: CalledBackPlaces;
}

interface Noted {
  readonly key: string;
  readonly place: string;
  readonly callback: UnreadCallback;
  readonly nowMs: number;
}

/** The target of a callback: its place, or beyond all of them; and whether the order is known by such callbacks alone. */
interface Into {
  readonly place: boolean;
  readonly bare: boolean;
}

/** Notes the callback in its place; counts it where all are taken; begins an item where there is none. After a lost race: once more. */
async function note(table: NoteTable, it: Noted): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    if (await updated(table, it, { place: true, bare: false })) return;
    if (await updated(table, it, { place: true, bare: true })) return;
    if (await updated(table, it, { place: false, bare: false })) return;
    if (await updated(table, it, { place: false, bare: true })) return;
    // Last: nobody is called back about an order before it was claimed, unless it was never sent from here. Read first: an item
    // that exists and takes nothing is newer code's, and needs no place.
    if (!(await isThere(table, it)) && (await begun(table, it))) return;
  }
  throw new Error('the callback was not written: others wrote first, again and again, or newer code wrote the order');
}

async function isThere({ client, TableName }: NoteTable, { key }: Noted): Promise<boolean> {
  const names = { ProjectionExpression: 'pk', ConsistentRead: true };
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: key } }, ...names }));
  return Item !== undefined;
}

/** An order that has callbacks, and is held all the same, has such as nobody can judge: it stays held. */
const isBare = '(size(#in) > :none AND begins_with(wk, :held))';

async function updated(
  { client, TableName, openWorkShards }: NoteTable,
  { key, place, callback, nowMs }: Noted,
  into: Into,
): Promise<boolean> {
  const due = into.bare ? 'du = :now' : 'wk = :partition, wa = :now, du = :now';
  const hasPlace = '(size(#in) < :places OR attribute_exists(#in.#place))';
  // Counted only where its place is really taken: a process that began the order since the last try has left room for it.
  const room = into.place ? hasPlace : `NOT ${hasPlace}`;
  return isWritten(() =>
    client.send(
      new UpdateItemCommand({
        TableName,
        Key: { pk: { S: key } },
        UpdateExpression: into.place
          ? `SET #in.#place = if_not_exists(#in.#place, :callback), ${due}`
          : `SET ${due} ADD im :one`,
        // An item of another layout is newer code's, and so is its inbox.
        ConditionExpression: ['v <= :layout', into.bare ? isBare : `NOT ${isBare}`, room].join(' AND '),
        ExpressionAttributeNames: { '#in': 'in', '#place': place },
        ExpressionAttributeValues: {
          ':layout': { N: String(layoutVersion) },
          ':none': { N: '0' },
          ...(!into.place && { ':one': { N: '1' } }),
          ':held': { S: openWorkLetter('held') },
          ':now': { N: String(nowMs) },
          ...(!into.bare && { ':partition': { S: openWorkPartition('unpublished', shardOf(key, openWorkShards)) } }),
          ':places': { N: String(inboxPlaces) },
          ...(into.place && { ':callback': { S: packed(callback) } }),
        },
      }),
    ),
  );
}

async function begun(
  { client, TableName, openWorkShards, places }: NoteTable,
  { key, place, callback, nowMs }: Noted,
): Promise<boolean> {
  const { merchant } = namesOfKey(key);
  if (!(await places.take(merchant)))
    throw new Error('as many orders that nobody sent from here wait for a person as may');
  const noted = { inbox: { [place]: callback }, dueAtMs: nowMs };
  const bare: Order = { ...newOrder(key, nowMs), version: 1, ...noted };
  const all = attributesOf(bare, openWorkShards);
  const update = beginningOf(Object.fromEntries(ownedBy('callback').map((name) => [name, all[name]])));
  let isBegun = false;
  try {
    isBegun = await isWritten(() => client.send(new UpdateItemCommand({ TableName, ...update })));
  } finally {
    // Such a callback comes again and again while the table takes nothing, and must not take a place each time.
    if (!isBegun) await places.giveBack(merchant);
  }
  return isBegun;
}
