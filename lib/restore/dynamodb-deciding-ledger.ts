// The ledger as everybody meets it who decides by it: the store, and what its table says of itself after a restore. The
// only file that names the store for functions and tools; another store is one line here.
import { createDynamoDbAnnouncing } from '../aws/dynamodb-announcing.ts';
import { announcingLedger } from '../payout/announce-changes.ts';
import { createDynamoDbLedger } from '../aws/dynamodb-ledger.ts';
import type { LedgerTable } from '../aws/dynamodb-table.ts';
import type { Ledger } from '../payout/ports.ts';
import type { Restoration } from './restore-ports.ts';
import { ledgerAfterRestore } from './restored-ledger.ts';

/** The orders of the table, whatever it says of itself: for whoever takes a restored one into service. */
export const ordersOf = (table: LedgerTable): Ledger =>
  announcingLedger(createDynamoDbLedger(table), createDynamoDbAnnouncing(table));

/** The ledger. */
export const ledgerOf = (table: LedgerTable, restoration: Restoration): Ledger =>
  ledgerAfterRestore(ordersOf(table), restoration);
