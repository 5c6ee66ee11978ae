// The record of the ledger's table about itself, in the table: one item under a key that no order can have. A copy of the table
// (a restore is one) bears the name of the table that it was copied from, and so is recognised.
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { createDynamoDbAnnouncing } from '../aws/dynamodb-announcing.ts';
import { createDynamoDbOrders } from '../aws/dynamodb-orders.ts';
import type { LedgerTable, TimedTable } from '../aws/dynamodb-table.ts';
import { createTtlCache } from '../aws/ttl-cache.ts';
import type { Orders } from '../payout/order/orders.ts';
import { announcingOrders } from '../payout/order/order-changes.ts';
import { type LedgerRole, ordersAfterRestore, type Restoration } from './restored-orders.ts';

const pk = { S: '~ledger' }; // written by dynamodb-restore-admin.ts
/** An old table must stop deciding within seconds after another took over. */
const servesMs = 3_000;

const epochMs = v.pipe(
  v.object({ N: v.pipe(v.string(), v.regex(/^\d+$/)) }),
  v.transform(({ N }) => Number(N)),
);
const itemSchema = v.object({
  ledger: v.object({ S: v.string() }),
  toMs: v.exactOptional(epochMs),
  sinceMs: v.exactOptional(epochMs),
  settled: v.exactOptional(v.object({ BOOL: v.boolean() })),
});

/** The record of one table. */
export function createDynamoDbRestoration(options: TimedTable): Restoration {
  const { client, tableName: TableName, nowMs } = options;
  const { of } = createTtlCache({ read: readRole, servesMs, keptAtMost: 1, nowMs });

  async function readRole(): Promise<LedgerRole> {
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk }, ConsistentRead: true }));
    return Item ? roleOf(v.parse(itemSchema, Item), TableName) : { kind: 'ledger' };
  }

  return { role: () => of(TableName) };
}

function roleOf({ ledger, toMs, sinceMs, settled }: v.InferOutput<typeof itemSchema>, name: string): LedgerRole {
  if (ledger.S !== name) return { kind: 'foreign', of: ledger.S };
  if (toMs === undefined || sinceMs === undefined) return { kind: 'ledger' };
  return { kind: 'restored', restored: { toMs, sinceMs, settled: settled?.BOOL ?? false } };
}

// The orders of the worker: the store under its conditions, and its table's record after a restore. The only
// file that names the store for functions and tools; another store is one line here.

/** The orders of the table, whatever its record says: for the tool that takes a restored one into service. */
export const tableOrders = (table: LedgerTable): Orders =>
  announcingOrders(createDynamoDbOrders(table), createDynamoDbAnnouncing(table));

/** The orders. */
export const ordersOf = (table: LedgerTable, restoration: Restoration): Orders =>
  ordersAfterRestore(tableOrders(table), restoration);
