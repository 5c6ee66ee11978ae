// The index of open work in DynamoDB: its shards are read side by side, page by page, and merged by when each order is due.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type DueWork, type DueWorkChoice, openWorkOf, wholeIndex } from '../payout/due-work.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import { openWorkItems } from './dynamodb-table.ts';
import { entryOf } from './ledger-item.ts';
import { openWorkPartition } from './item-attributes.ts';

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
  ): AsyncGenerator<LedgerEntry> {
    for await (const item of openWorkItems({ client, tableName }, name, beforeMs)) {
      const found = entryOf(item);
      if (found.kind === 'found') yield found.entry;
      else onUnreadable?.(item['pk']?.S ?? '');
    }
  }
}

/** Merges what comes in order of time: no shard is looked at before another, however much there is in it. */
async function* earliestFirst(sources: readonly AsyncGenerator<LedgerEntry>[]): AsyncGenerator<LedgerEntry> {
  const firsts = await Promise.all(sources.map(headOf));
  const heads = firsts.filter((it) => it !== undefined);
  while (heads.length > 0) {
    let first = 0;
    for (const [place, { dueMs }] of heads.entries()) if (dueMs < (heads[first]?.dueMs ?? 0)) first = place;
    const head = heads[first];
    if (!head) return;
    yield head.entry;
    const next = await headOf(head.source);
    if (next) heads[first] = next;
    else heads.splice(first, 1);
  }
}

interface Head {
  readonly source: AsyncGenerator<LedgerEntry>;
  readonly entry: LedgerEntry;
  readonly dueMs: number;
}

async function headOf(source: AsyncGenerator<LedgerEntry>): Promise<Head | undefined> {
  const { done, value: entry } = await source.next();
  return done ? undefined : { source, entry, dueMs: openWorkOf(entry)?.atMs ?? 0 };
}
