// AWS as the commands on batches that are there use it.
import { createDynamoDbAllOrders } from '../../aws/dynamodb-all-orders.ts';
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { ledgerTable } from '../../aws/dynamodb-table.ts';
import { ConfigurationError, readWorkerConfig, type WorkerConfig } from '../../aws/env-config.ts';
import { silentLog } from '../../aws/json-logger.ts';
import { newSqsClient } from '../../aws/sqs-client.ts';
import { systemClock } from '../../aws/system.ts';
import { createDynamoDbBatches } from '../../batches/dynamodb-batches.ts';
import { createDynamoDbBatchRows } from '../../batches/dynamodb-batch-rows.ts';
import { createDynamoDbOrderChanges } from '../../batches/dynamodb-order-changes.ts';
import { createSqsBatchResults } from '../../batches/sqs-batch-results.ts';
import { UsageError } from '../usage-error.ts';

/** Batches, their rows, and every order. */
export type BatchCommandPorts = ReturnType<typeof createBatchPorts>;

function createBatchPorts(config: WorkerConfig) {
  const aws = { limits: config.limits };
  const table = ledgerTable(config, newDynamoDbClient(aws));
  return {
    batches: createDynamoDbBatches(table),
    batchRows: createDynamoDbBatchRows(table),
    orderChanges: createDynamoDbOrderChanges(table),
    batchResults: createSqsBatchResults({ client: newSqsClient(aws), queueUrl: config.resultsQueueUrl }),
    allOrders: createDynamoDbAllOrders(table),
    clock: systemClock,
    log: silentLog,
  };
}

/** The ports by the worker's settings; a usage error where they are missing. */
export function batchPorts(): BatchCommandPorts {
  try {
    return createBatchPorts(readWorkerConfig());
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(error.message);
    throw error;
  }
}
