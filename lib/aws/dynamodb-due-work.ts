// Open work for the sweeper: orders by due time, and the write of a due time. The shards of the index are read at once, page by page,
// and merged by due time; the orders are read by their keys.
import { defaultLimits } from '../payout/limits.ts';
import type { DueWork } from '../payout/inquire/due-work.ts';
import type { OpenWorkKind } from '../payout/order/open-work.ts';
import { namesOfKey } from '../payout/order/order.ts';
import { type DynamoDbTable, type Item, manyItems, N, openWorkPages, updateIf } from './dynamodb-table.ts';
import { layoutVersion, openWorkLetter, openWorkPartition, orderOf, measuresIn } from './order-item.ts';
import { systemClock } from './system.ts';

/** Open work over one table with the index `open-work`. */
export function createDynamoDbDueWork({
  client,
  tableName,
  openWorkShardsRead = defaultLimits.openWorkShardsRead,
  sleep = systemClock.sleep,
}: DynamoDbTable & {
  /** Shards to read: at least as many as were written for any open order. */
  readonly openWorkShardsRead?: number;
  readonly sleep?: (ms: number) => Promise<void>;
}): DueWork {
  const pagesOf = (kind: OpenWorkKind, beforeMs: number, sinceMs?: number) =>
    Array.from({ length: openWorkShardsRead }, (_, shard) =>
      openWorkPages({ client, tableName }, openWorkPartition(kind, shard), beforeMs, sinceMs),
    );
  return {
    async *dueWork(kind, beforeMs, { onUnreadable, sinceMs } = {}) {
      for await (const entries of earliestFirst(pagesOf(kind, beforeMs, sinceMs))) {
        const keys = entries.map(keyOf);
        const items = await manyItems(keys, { client, tableName, sleep });
        for (const key of keys) {
          const item = items.get(key);
          if (!item || !isPlaced(item, kind, beforeMs)) continue;
          const found = orderOf(item);
          if (found.kind === 'found') yield found.order;
          else onUnreadable?.(key);
        }
      }
    },
    // The leader's only write to an order; refused if the order's due time has changed. It names neither facts nor version: its
    // role has no right to them (attribute-owners.ts).
    async move(key, fromMs, toMs) {
      const to = N(toMs);
      return updateIf(client, tableName, {
        key,
        condition: 'v <= :layout AND openWorkAt = :from',
        set: { dueAt: to, openWorkAt: to },
        values: { ':layout': N(layoutVersion), ':from': N(fromMs) },
      });
    },
    async *measured(kind, { onUnreadable } = {}) {
      for (const pages of pagesOf(kind, Number.MAX_SAFE_INTEGER))
        for await (const page of pages)
          for (const entry of page) {
            // An unpublished order may be in any state, also in one without measures.
            const measures = measuresIn(entry) ?? (kind === 'unpublished' ? undefined : 'newer');
            if (measures === 'newer') onUnreadable?.(keyOf(entry));
            else if (measures) yield { ...measures, merchant: namesOfKey(keyOf(entry)).merchant };
          }
    },
  };
}

const keyOf = (entry: Item): string => entry['pk']?.S ?? '';

/** True if the order still is where the index showed it: it may have left the index, or be of another kind now. */
const isPlaced = ({ openWork, openWorkAt }: Item, kind: OpenWorkKind, beforeMs: number): boolean =>
  openWork?.S?.startsWith(openWorkLetter(kind)) === true && Number(openWorkAt?.N) < beforeMs;

/** The most items that one call reads. */
const entriesAtMost = 100;

/**
 * Merges the entries of all shards by due time, so that a full shard does not hide the others. Yields as many as one call reads, and
 * at most the pages at hand: a consumer that needs few causes no further reads.
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

/** Takes the earliest entries of all pages, until one page is empty. */
function merged(pages: readonly Item[][]): Item[] {
  const entries: Item[] = [];
  while (entries.length < entriesAtMost && pages.every((page) => page.length > 0)) {
    const [first] = pages.toSorted((a, b) => Number(a[0]?.['openWorkAt']?.N) - Number(b[0]?.['openWorkAt']?.N));
    const entry = first?.shift();
    if (entry) entries.push(entry);
  }
  return entries;
}
