// The operator's port over AWS, by the worker's settings.
import { createDynamoDbBatchRows } from '../../batches/dynamodb-batch-rows.ts';
import { createDynamoDbBatches } from '../../batches/dynamodb-batches.ts';
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { batchesTable, ledgerTable } from '../../aws/dynamodb-table.ts';
import type { WorkerConfig } from '../../aws/env-config.ts';
import { createOperator, type Operator } from '../../client/operator.ts';
import { createDeadLetterPorts } from '../dead-letters/dlq-ports.ts';
import { createOrderPorts, patient } from './order-ports.ts';
import { secondPersonOf, wordApproving } from './second-person.ts';
import { whoDecides } from '../who-decides.ts';

/** The port. */
export function createAwsOperator(settings: WorkerConfig): Operator {
  const config = patient(settings);
  const dynamodb = newDynamoDbClient({ limits: config.limits });
  const orders = createOrderPorts(config);
  return createOperator({
    ...orders,
    secondPerson: secondPersonOf(config),
    approving: wordApproving(config),
    controls: orders.controlsAdmin,
    batches: createDynamoDbBatches(batchesTable(config, dynamodb)),
    batchRows: createDynamoDbBatchRows(ledgerTable(config, dynamodb)),
    redrives: createDeadLetterPorts(config, (line) => process.stderr.write(`${line}\n`)),
    whoAmI: whoDecides,
  });
}
