// The rows of batches in the ledger's table: their orders with the notes of jobs that ended without one, and announced changes of
// orders, an item each, found by the index of open work until their batches have been counted anew.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import {
  type AnnouncingOptions,
  changeKey,
  changeOfKey,
  changesPartition,
  createDynamoDbAnnouncing,
} from '../aws/dynamodb-announcing.ts';
import { manyItems, type ManyItemsSource, openWorkItems, updateIf } from '../aws/dynamodb-table.ts';
import { orderOf as orderOfItem } from '../aws/order-item.ts';
import { viewOf } from '../payout/order/projection.ts';
import type { OrderChange } from '../payout/order/order-changes.ts';
import type { AnnouncedChange, BatchRows, ChangedOrder, OrderChanges, RowRecord } from './batch-row.ts';
import type { KnownOrders } from './known-orders.ts';
import { elsewhereKey, noteKey, noteOf } from './dynamodb-row-notes.ts';

/** DynamoDB reads a hundred items a call; each order may have a note, or a list of batches, beside it. */
const rowsPerCall = 50;

/** Rows over the ledger's table. */
export function createDynamoDbBatchRows(options: ManyItemsSource): BatchRows {
  return {
    async read(batchId, rows, how) {
      const records = new Map<string, RowRecord>();
      for (let from = 0; from < rows.length; from += rowsPerCall) {
        const some = rows.slice(from, from + rowsPerCall);
        const noteKeys = some.map((row) => noteKey({ batchId, ...row }));
        const items = await manyItems([...some.map(({ orderKey }) => orderKey), ...noteKeys], options, how);
        for (const [at, { orderKey: key }] of some.entries()) {
          const [order, note] = [items.get(key), items.get(noteKeys[at] ?? '')];
          if (order || note) records.set(key, { ...(order && orderOf(order)), ...(note && readNote(note)) });
        }
      }
      return records;
    },
  };
}

/** Orders over the ledger's table. */
export function createDynamoDbKnownOrders(options: ManyItemsSource): KnownOrders {
  return {
    async read(orderKeys) {
      const items = await manyItems(orderKeys, options);
      return new Map(
        [...items].map(([key, item]) => {
          const found = orderOfItem(item);
          return [key, found.kind === 'found' ? { order: found.order } : { unreadable: true }];
        }),
      );
    },
  };
}

type Item = Record<string, AttributeValue>;

function orderOf(item: Item): RowRecord {
  const found = orderOfItem(item);
  return found.kind === 'found' ? { entry: viewOf(found.order) } : { unreadable: true };
}

function readNote(item: Item): RowRecord {
  const note = noteOf(item);
  return note ? { note } : { unreadable: true };
}

/** Changes over the ledger's table and its index `open-work`. */
export function createDynamoDbOrderChanges(options: AnnouncingOptions & ManyItemsSource): OrderChanges {
  const { client, tableName } = options;
  return {
    ...createDynamoDbAnnouncing(options),
    announced: (beforeMs) => announced(options, beforeMs),
    async changed(orderKeys) {
      const changed = new Map<string, ChangedOrder>();
      for (let from = 0; from < orderKeys.length; from += rowsPerCall) {
        const keys = orderKeys.slice(from, from + rowsPerCall);
        const items = await manyItems([...keys, ...keys.map(elsewhereKey)], options, { consistent: true });
        for (const key of keys) {
          const revision = items.get(key)?.['revision']?.N;
          const elsewhere = items.get(elsewhereKey(key))?.['batches']?.SS ?? [];
          changed.set(key, { ...(revision !== undefined && { revision: Number(revision) }), elsewhere });
        }
      }
      return changed;
    },
    async counted(change) {
      const { key, condition, values } = waiting(change);
      await updateIf(client, tableName, {
        key,
        // A change that was announced once more meanwhile may be for a write that was not counted yet.
        condition: `${condition} AND changedAt = :announcedAt`,
        remove: ['openWork', 'openWorkAt'],
        values: { ...values, ':announcedAt': { N: String(change.announcedAtMs) } },
      });
    },
    async waitFor(change, untilMs) {
      await updateIf(client, tableName, { ...waiting(change), set: { openWorkAt: { N: String(untilMs) } } });
    },
  };
}

const waiting = (change: OrderChange) => ({
  key: changeKey(change),
  condition: 'openWork = :changes',
  values: { ':changes': { S: changesPartition } },
});

const changeSchema = v.object({ pk: v.object({ S: v.string() }), changedAt: v.object({ N: v.string() }) });

/** Reads a change; undefined for one that this version cannot read, which is left to newer code. */
function changeOf(item: Item): AnnouncedChange | undefined {
  const read = v.safeParse(changeSchema, item);
  return read.success
    ? { ...changeOfKey(read.output.pk.S), announcedAtMs: Number(read.output.changedAt.N) }
    : undefined;
}

async function* announced(
  source: Pick<ManyItemsSource, 'client' | 'tableName'>,
  beforeMs: number,
): AsyncGenerator<AnnouncedChange> {
  for await (const item of openWorkItems(source, changesPartition, beforeMs)) {
    const change = changeOf(item);
    if (change) yield change;
  }
}
