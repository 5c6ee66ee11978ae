// Announced changes of orders in the ledger's table: an item each, found by the index of open work until its batches have
// been counted anew. Beside them, of each order that is a row of several batches, which these are.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { manyItems, type ManyItemsSource, openWorkItems, updateIf } from '../aws/dynamodb-table.ts';
import {
  type AnnouncingOptions,
  changeKey,
  changesPartition,
  createDynamoDbAnnouncing,
} from '../aws/dynamodb-announcing.ts';
import type { OrderChange } from '../payout/order-changes.ts';
import type { AnnouncedChange, ChangedOrder, OrderChanges } from './batch-row.ts';
import { elsewhereKey } from './dynamodb-batch-rows.ts';

/** DynamoDB reads a hundred items a call; each order may have a list of batches. */
const ordersPerCall = 50;

/** Changes over the ledger's table and its index `open-work`. */
export function createDynamoDbOrderChanges(options: AnnouncingOptions & ManyItemsSource): OrderChanges {
  const { client, tableName } = options;
  return {
    ...createDynamoDbAnnouncing(options),
    announced: (beforeMs) => announced(options, beforeMs),
    async standing(orderKeys) {
      const standing = new Map<string, ChangedOrder>();
      for (let from = 0; from < orderKeys.length; from += ordersPerCall) {
        const keys = orderKeys.slice(from, from + ordersPerCall);
        const items = await manyItems([...keys, ...keys.map(elsewhereKey)], options, { consistent: true });
        for (const key of keys) {
          const revision = items.get(key)?.['rv']?.N;
          const elsewhere = items.get(elsewhereKey(key))?.['batches']?.SS ?? [];
          standing.set(key, { ...(revision !== undefined && { revision: Number(revision) }), elsewhere });
        }
      }
      return standing;
    },
    async counted(change) {
      const { key, condition, values } = waiting(change);
      await updateIf(client, tableName, {
        key,
        // Announced once more meanwhile, it may be for something that was not counted yet.
        condition: `${condition} AND changedAt = :announcedAt`,
        remove: ['wk', 'wa'],
        values: { ...values, ':announcedAt': { N: String(change.announcedAtMs) } },
      });
    },
    async waitFor(change, untilMs) {
      await updateIf(client, tableName, { ...waiting(change), set: { wa: { N: String(untilMs) } } });
    },
  };
}

const waiting = (change: OrderChange) => ({
  key: changeKey(change),
  condition: 'wk = :changes',
  values: { ':changes': { S: changesPartition } },
});

const changeSchema = v.object({
  changed: v.object({ S: v.string() }),
  changedTo: v.object({ N: v.string() }),
  changedOf: v.exactOptional(v.object({ S: v.string() })),
  changedAt: v.object({ N: v.string() }),
});

function changeOf(item: Record<string, AttributeValue>): AnnouncedChange {
  const { changed, changedTo, changedOf, changedAt } = v.parse(changeSchema, item);
  return {
    orderKey: changed.S,
    revision: Number(changedTo.N),
    ...(changedOf && { batchId: changedOf.S }),
    announcedAtMs: Number(changedAt.N),
  };
}

async function* announced(
  source: Pick<ManyItemsSource, 'client' | 'tableName'>,
  beforeMs: number,
): AsyncGenerator<AnnouncedChange> {
  for await (const item of openWorkItems(source, changesPartition, beforeMs)) yield changeOf(item);
}
