// The index of open work in DynamoDB: its shards are read side by side, page by page, and merged by when each order is due.
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { type DueWork, type OnUnreadable, openWorkOf } from '../payout/due-work.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import { entryOf, type Item } from './ledger-item.ts';
import { openWorkIndexName, openWorkPartition, openWorkShards } from './item-attributes.ts';

/** Open work over one table with the index `open-work`. */
export function createDynamoDbDueWork({ client, tableName }: { client: DynamoDBClient; tableName: string }): DueWork {
  return {
    async *dueWork(kind, beforeMs, onUnreadable) {
      const shards = Array.from({ length: openWorkShards }, (_, shard) => openWorkPartition(kind, shard));
      yield* earliestFirst(shards.map((name) => partition(name, beforeMs, onUnreadable)));
    },
  };

  async function* partition(name: string, beforeMs: number, onUnreadable?: OnUnreadable): AsyncGenerator<LedgerEntry> {
    let ExclusiveStartKey: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: openWorkIndexName,
          KeyConditionExpression: 'wk = :partition AND wa < :before',
          ExpressionAttributeValues: { ':partition': { S: name }, ':before': { N: String(beforeMs) } },
          ...(ExclusiveStartKey && { ExclusiveStartKey }),
        }),
      );
      for (const item of Items) {
        const found = entryOf(item);
        if (found.kind === 'found') yield found.entry;
        else onUnreadable?.(item['pk']?.S ?? '');
      }
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey);
  }
}

/** Merges what comes in order of time: no shard is looked at before another, however much there is in it. */
async function* earliestFirst(sources: readonly AsyncGenerator<LedgerEntry>[]): AsyncGenerator<LedgerEntry> {
  const heads = await Promise.all(sources.map(async (source) => ({ source, head: await source.next() })));
  for (;;) {
    const left = heads.flatMap((it) => (it.head.done ? [] : [{ it, entry: it.head.value }]));
    const first = left.toSorted((a, b) => dueOf(a.entry) - dueOf(b.entry))[0];
    if (!first) return;
    yield first.entry;
    first.it.head = await first.it.source.next();
  }
}

const dueOf = (entry: LedgerEntry) => openWorkOf(entry)?.atMs ?? 0;
