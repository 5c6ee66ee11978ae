// The role of the ledger's table: the comparison of the worker's tables with their record, and after a restore, what `restore begin` has
// written into the table itself, under a key that no order can have.
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { createDynamoDbOrders } from '../aws/dynamodb-orders.ts';
import type { DynamoDbTable, LedgerTable, TimedTable } from '../aws/dynamodb-table.ts';
import { createTtlCache } from '../aws/ttl-cache.ts';
import type { Orders } from '../payout/order/orders.ts';
import type { KnownTables } from './known-tables.ts';
import { type LedgerRole, ordersAfterRestore, type Restoration } from './restored-orders.ts';

const pk = { S: '~ledger' }; // written by dynamodb-restore-admin.ts
const servesMs = 10_000;

const epochMs = v.pipe(
  v.object({ N: v.pipe(v.string(), v.regex(/^\d+$/)) }),
  v.transform(({ N }) => Number(N)),
);
const itemSchema = v.object({
  toMs: v.exactOptional(epochMs),
  sinceMs: v.exactOptional(epochMs),
  settled: v.exactOptional(v.object({ BOOL: v.boolean() })),
  tableId: v.exactOptional(v.object({ S: v.string() })),
});

async function readItem({ client, tableName: TableName }: DynamoDbTable) {
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk }, ConsistentRead: true }));
  return Item && v.parse(itemSchema, Item);
}

/** What a table bears of having been a ledger, with the id of the table that a restore in it is of; a copy bears the same. */
export async function writtenOfItself(table: DynamoDbTable): Promise<{ readonly tableId?: string } | undefined> {
  const item = await readItem(table);
  return item && { ...(item.tableId && { tableId: item.tableId.S }) };
}

async function readRestore(table: DynamoDbTable): Promise<Exclude<LedgerRole, { readonly kind: 'foreign' }>> {
  const { toMs, sinceMs, settled } = (await readItem(table)) ?? {};
  if (toMs === undefined || sinceMs === undefined) return { kind: 'ledger' };
  return { kind: 'restored', restored: { toMs, sinceMs, settled: settled?.BOOL ?? false } };
}

/** The role of one table. */
export function createDynamoDbRestoration(table: TimedTable, known: KnownTables): Restoration {
  const { of } = createTtlCache({ read: () => readRestore(table), servesMs, keptAtMost: 1, nowMs: table.nowMs });
  return {
    async role() {
      const [verdict, record] = await Promise.allSettled([known.verdict(), of(table.tableName)]);
      if (verdict.status === 'rejected') throw verdict.reason;
      if (verdict.value.kind === 'unknown') return { kind: 'foreign', why: verdict.value.why };
      if (record.status === 'rejected') throw record.reason;
      return record.value;
    },
  };
}

// The orders of the worker: the store under its conditions, and its table's role. The only file that names the store for functions and
// tools; another store is one line here.

/** The orders of the table, whatever its role: for the tool that takes a restored one into service. */
export const tableOrders = (table: LedgerTable): Orders => createDynamoDbOrders(table);

/** The orders. */
export const ordersOf = (table: LedgerTable, restoration: Restoration): Orders =>
  ordersAfterRestore(tableOrders(table), restoration);
