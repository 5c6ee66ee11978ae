// Open work in DynamoDB, as the sweeper meets it: the index, and the one word that it writes to an order. The index's shards
// are read side by side, page by page, and merged by when each order is due.
import { ConditionalCheckFailedException, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type DueWork, type DueWorkChoice, openWorkOf, wholeIndex } from '../payout/due-work.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import { openWorkItems } from './dynamodb-table.ts';
import { entryOf, type Item, layoutVersion, movingAttributes } from './ledger-item.ts';
import type { Ledger } from '../payout/ports.ts';
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

// The sweeper's only write to an order: that somebody looks at it now, and when the next look is due. It names neither state
// nor owner nor life of the item, so that the role of the sweeper needs no right to name them (infra/permissions.yml).

/** Where the orders are. */
export interface DynamoDbLooksOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

/** What a look may change. */
const ofLooks = ['lo', 'wk', 'wa'] as const;

/** Writes looks. Rejects a move, which is for those who may make one. */
export function createDynamoDbLooks({ client, tableName: TableName }: DynamoDbLooksOptions): Pick<Ledger, 'advance'> {
  return {
    async advance(expected, next) {
      if (next.revision !== expected.revision || next.state !== expected.state)
        throw new RangeError('a move of an order is no look');
      const [before, after] = [movingAttributes(expected), movingAttributes(next)];
      const set = ofLooks.filter((name) => after[name] !== undefined);
      const removed = ofLooks.filter((name) => after[name] === undefined);
      const update = [
        ...(set.length > 0 ? [`SET ${set.map((name) => `${name} = :${name}`).join(', ')}`] : []),
        ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : []),
      ];
      // A move makes another revision or another moment, a mark sets or takes `un`, another look is another `lo`.
      const conditions = [
        'v <= :layout AND rv = :wasRevision AND ua = :wasUpdated',
        expected.unpublished ? 'attribute_exists(un)' : 'attribute_not_exists(un)',
        before['lo'] ? 'lo = :wasLooks' : 'attribute_not_exists(lo)',
      ];
      const values: Record<string, Item[string] | undefined> = {
        ...Object.fromEntries(set.map((name) => [`:${name}`, after[name]])),
        ':layout': { N: String(layoutVersion) },
        ':wasRevision': { N: String(expected.revision) },
        ':wasUpdated': { N: String(expected.updatedAtMs) },
        ':wasLooks': before['lo'],
      };
      try {
        await client.send(
          new UpdateItemCommand({
            TableName,
            Key: { pk: { S: expected.key } },
            UpdateExpression: update.join(' '),
            ConditionExpression: conditions.join(' AND '),
            ExpressionAttributeValues: Object.fromEntries(
              Object.entries(values).filter((it): it is [string, Item[string]] => it[1] !== undefined),
            ),
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return { kind: 'advanced' };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // Not every emulator hands over what stands there; nobody who looks needs more than that it is something else.
        return error.Item ? entryOf(error.Item) : { kind: 'unreadable', reason: 'it has moved on meanwhile' };
      }
    },
  };
}
