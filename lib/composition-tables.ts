// The part of the composition root that is about the ledger's table: everything that is kept in it.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbAllOrders } from './aws/dynamodb-all-orders.ts';
import { createDynamoDbApprovals } from './batches/dynamodb-approvals.ts';
import { createDynamoDbBatches } from './batches/dynamodb-batches.ts';
import { createDynamoDbBatchRows } from './batches/dynamodb-batch-rows.ts';
import { createDynamoDbControls } from './aws/dynamodb-controls.ts';
import { createDynamoDbLedger } from './aws/dynamodb-ledger.ts';
import { createDynamoDbDueWork } from './aws/dynamodb-due-work.ts';
import { createDynamoDbRestoration } from './restore/dynamodb-restoration.ts';
import type { WorkerConfig } from './aws/env-config.ts';
import { systemClock } from './aws/system.ts';
import { logAwsFailures } from './aws/log-aws-failures.ts';
import { controlsAfterRestore, ledgerAfterRestore } from './restore/restored-ledger.ts';
import type { Log } from './payout/ports.ts';

/**
 * Times of one AWS call. A call that hangs must fail while there is still time to try again: the SDK's default waits
 * without end, and an answer from the gateway would wait with it.
 */
export const awsClient = { maxAttempts: 3, requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000 } };

/** The ledger's table, over one client: each client has connections of its own, and opening one costs a handshake. */
export type Table = ReturnType<typeof tableOf>;

/** The table, and what it says of itself. */
export function tableOf({ ledgerTableName, limits }: WorkerConfig, log: Log) {
  const client = logAwsFailures(new DynamoDBClient(awsClient), log);
  const { nowMs, sleep } = systemClock;
  const table = { client, tableName: ledgerTableName, itemLifeDays: limits.ledgerItemLifeDays, nowMs, sleep };
  return { ...table, restoration: createDynamoDbRestoration(table) };
}

/** The ledger, as everybody meets it who decides by it. */
export const ledgerOf = (table: Table) => ledgerAfterRestore(tableItselfOf(table), table.restoration);

/** The table's orders, whatever the table says of itself. */
export const tableItselfOf = (table: Table) => createDynamoDbLedger(table);

/** Its index of open work. */
export const openWorkOf = (table: Table) => createDynamoDbDueWork(table);

/** Pauses, batches called off, doubt, totals of days. */
export const controlsOf = (table: Table) => createDynamoDbControls(table);

/** The same as the worker reads them: on a table that is not the ledger everybody waits. */
export const workerControlsOf = (table: Table) => controlsAfterRestore(controlsOf(table), table.restoration);

/** Every order, for exports. */
export const allOrdersOf = (table: Table) => createDynamoDbAllOrders(table);

/** Headers and parts of batches. */
export const batchesOf = (table: Table) => createDynamoDbBatches(table);

/** Approvals of batches alone. */
export const grantsOf = (table: Table) => createDynamoDbApprovals(table);

/** Orders and notes by the rows of batches. */
export const batchRowsOf = (table: Table) => createDynamoDbBatchRows(table);
