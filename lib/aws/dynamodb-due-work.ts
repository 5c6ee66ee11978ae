// Open work in DynamoDB for the sweeper: the index, and the due time, all that it writes to an order. The index's shards
// are read side by side, page by page, and merged by when each order is due; the orders themselves are read by their keys.
import { type AttributeValue, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { isDeepStrictEqual } from 'node:util';
import { type DueWork, type MeasuredKind, type SweepPart, wholeIndex } from '../payout/inquire/due-work.ts';
import type { Measured, OpenWorkKind } from '../payout/order/open-work.ts';
import { namesOfKey, type Order } from '../payout/order/order.ts';
import type { Orders } from '../payout/order/orders.ts';
import { ownedBy } from './attribute-owners.ts';
import { type DynamoDbTable, isWritten, manyItems, openWorkPages } from './dynamodb-table.ts';
import {
  attributesOf,
  type Item,
  layoutVersion,
  openWorkLetter,
  openWorkPartition,
  type OpenPlace,
  orderOf,
  openPlaceOf,
} from './order-item.ts';
import { systemClock } from './system.ts';

/** Open work over one table with the index `open-work`. */
export function createDynamoDbDueWork({
  client,
  tableName,
  openWorkShardsRead = 4,
  sleep = systemClock.sleep,
}: DynamoDbTable & {
  /** At least the shards that any worker writes, or has written to orders that are still open. */
  readonly openWorkShardsRead?: number;
  readonly sleep?: (ms: number) => Promise<void>;
}): DueWork {
  const pagesOf = (kind: OpenWorkKind, beforeMs: number, { part, of }: SweepPart) =>
    Array.from({ length: openWorkShardsRead }, (_, shard) => shard)
      .filter((it) => it % of === part)
      .map((shard) => openWorkPages({ client, tableName }, openWorkPartition(kind, shard), beforeMs));
  return {
    async *dueWork(kind, beforeMs, { onUnreadable, part = wholeIndex } = {}) {
      for await (const entries of earliestFirst(pagesOf(kind, beforeMs, part))) {
        const keys = entries.map(keyOf);
        const items = await manyItems(keys, { client, tableName, sleep });
        for (const key of keys) {
          const item = items.get(key);
          if (!item || !isPlaced(item, kind, beforeMs)) continue;
          const found = orderOf(item);
          if (found.kind === 'found') {
            places.set(found.order, item);
            yield found.order;
          } else onUnreadable?.(key);
        }
      }
    },
    async *measured(kind, { onUnreadable } = {}) {
      for (const pages of pagesOf(kind, Number.MAX_SAFE_INTEGER, wholeIndex))
        for await (const page of pages)
          for (const entry of page) {
            const place = openPlaceOf(entry);
            const it = place.kind === 'place' ? measuredAt(kind, place) : 'newer';
            if (it === 'newer') onUnreadable?.(keyOf(entry));
            else if (it) yield { ...it, merchant: namesOfKey(keyOf(entry)).merchant };
          }
    },
  };
}

const keyOf = (entry: Item): string => entry['pk']?.S ?? '';

/** An order that the callbacks' door has begun is held without a measure of its own, and one that it moves is unpublished in any state. */
function measuredAt(
  kind: MeasuredKind,
  { atMs, measured }: Extract<OpenPlace, { kind: 'place' }>,
): Measured | 'newer' | undefined {
  if (measured) return measured;
  if (kind === 'held') return { state: 'held', sinceMs: atMs };
  return kind === 'unpublished' ? undefined : 'newer';
}

/** The order may have moved since the index saw it: out of the index, or to another kind. */
const isPlaced = ({ wk, wa }: Item, kind: OpenWorkKind, beforeMs: number): boolean =>
  wk?.S?.startsWith(openWorkLetter(kind)) === true && Number(wa?.N) < beforeMs;

/** The entries of one read of many items. */
const entriesAtMost = 100;

/**
 * Merges the entries in order of time: no shard is looked at before another, however much there is in it. As many at once as one call
 * reads, and no further than the pages at hand: a consumer that wants a few reads no page for more.
 */
async function* earliestFirst(sources: readonly AsyncGenerator<Item[]>[]): AsyncGenerator<Item[]> {
  const open = new Map<AsyncGenerator<Item[]>, Item[]>(sources.map((source) => [source, []]));
  for (;;) {
    const empty = [...open].filter(([, page]) => page.length === 0);
    const next = await Promise.all(empty.map(async ([source]) => [source, await source.next()] as const));
    for (const [source, { done, value }] of next)
      if (done) open.delete(source);
      else open.set(source, [...value]);
    if (open.size === 0) return;
    yield merged([...open.values()]);
  }
}

/** The earliest entries of all pages, taken off them, until one page is used up. */
function merged(pages: readonly Item[][]): Item[] {
  const entries: Item[] = [];
  while (entries.length < entriesAtMost && pages.every((page) => page.length > 0)) {
    const [first] = pages.toSorted((a, b) => Number(a[0]?.['wa']?.N) - Number(b[0]?.['wa']?.N));
    const entry = first?.shift();
    if (entry) entries.push(entry);
  }
  return entries;
}

// The sweeper's only write to an order: when the next look is due. It names neither facts nor version, so that the role of the
// sweeper needs no right to name them (attribute-owners.ts). Of two sweepers one writes, and none over an order that has moved: each names
// the place in the index where it found the order.

/** The place of an order in the index when it was read: another setting of partitions may have written it. */
const places = new WeakMap<Order, Item>();

/** The table of the orders. */
interface DynamoDbLooksOptions extends DynamoDbTable {
  readonly openWorkShards?: number;
}

const ofLooks: ReadonlySet<string> = new Set(ownedBy('sweep'));

/** Writes when an order is due again. Rejects every other change, which is left to its own writers. */
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
      const command = new UpdateItemCommand({
        TableName,
        Key: { pk: { S: before.key } },
        UpdateExpression: 'SET du = :du, wk = :wk, wa = :wa',
        ConditionExpression: 'v <= :layout AND wk = :wasIn AND wa = :wasDue',
        ExpressionAttributeValues: values as Record<string, AttributeValue>,
      });
      const isTaken = await isWritten(() => client.send(command));
      return isTaken ? { kind: 'written' } : { kind: 'unreadable', reason: 'it has moved on meanwhile' };
    },
  };
}
