// The part of the composition root that is about the ledger's table: everything that is kept in it.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbAllOrders } from './adapters/dynamodb-all-orders.ts';
import { createDynamoDbGrants } from './adapters/dynamodb-grants.ts';
import { createDynamoDbBatches } from './adapters/dynamodb-batches.ts';
import { createDynamoDbBatchRows } from './adapters/dynamodb-batch-rows.ts';
import { createDynamoDbControls } from './adapters/dynamodb-controls.ts';
import { createDynamoDbLedger } from './adapters/dynamodb-ledger.ts';
import { createDynamoDbOpenWork } from './adapters/dynamodb-open-work.ts';
import { createDynamoDbRestoration } from './adapters/dynamodb-restoration.ts';
import type { WorkerConfig } from './adapters/env-config.ts';
import { systemClock } from './adapters/system.ts';
import { controlsAfterRestore, ledgerAfterRestore } from './app/restored-ledger.ts';

/**
 * Times of one AWS call. A call that hangs must fail while there is still time to try again: the SDK's default waits
 * without end, and an answer from the gateway would wait with it.
 */
export const awsClient = { maxAttempts: 3, requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000 } };

/** The ledger, as everybody meets it who decides by it. */
export function ledgerOf(config: WorkerConfig) {
  return ledgerAfterRestore(tableItselfOf(config), restorationOf(config));
}

/** The table's orders, whatever the table says of itself. */
export function tableItselfOf(config: WorkerConfig) {
  return createDynamoDbLedger(tableOf(config));
}

/** What the table says of itself: whose ledger it is, and whether it was restored. */
export function restorationOf(config: WorkerConfig) {
  return createDynamoDbRestoration(tableOf(config));
}

/** Its index of open work. */
export function openWorkOf(config: WorkerConfig) {
  return createDynamoDbOpenWork(tableOf(config));
}

/** Pauses, batches called off, doubt, totals of days. */
export function controlsOf(config: WorkerConfig) {
  return createDynamoDbControls(tableOf(config));
}

/** Every order, for exports. */
export function allOrdersOf(config: WorkerConfig) {
  return createDynamoDbAllOrders(tableOf(config));
}

/** The same as the worker reads them: on a table that is not the ledger everybody waits. */
export function workerControlsOf(config: WorkerConfig) {
  return controlsAfterRestore(controlsOf(config), restorationOf(config));
}

/** Headers and parts of batches. */
export function batchesOf(config: WorkerConfig) {
  return createDynamoDbBatches(tableOf(config));
}

/** Approvals of batches alone. */
export function grantsOf(config: WorkerConfig) {
  return createDynamoDbGrants(tableOf(config));
}

/** Orders and notes by the rows of batches. */
export function batchRowsOf(config: WorkerConfig) {
  return createDynamoDbBatchRows(tableOf(config));
}

function tableOf({ ledgerTableName, limits }: WorkerConfig) {
  const client = new DynamoDBClient(awsClient);
  const { nowMs, sleep } = systemClock;
  return { client, tableName: ledgerTableName, itemLifeDays: limits.ledgerItemLifeDays, nowMs, sleep };
}
