// AWS as whoever takes a restored table into service uses it: the table itself, whatever it says of itself.
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { createDynamoDbControls } from '../../aws/dynamodb-controls.ts';
import { createDynamoDbDueWork } from '../../aws/dynamodb-due-work.ts';
import { ledgerTable } from '../../aws/dynamodb-table.ts';
import type { WorkerConfig } from '../../aws/env-config.ts';
import { newSqsClient } from '../../aws/sqs-client.ts';
import { createSqsQueueDepths } from '../../aws/sqs-queues.ts';
import { systemClock } from '../../aws/system.ts';
import { createDynamoDbRestoration, ordersOf } from '../../restore/dynamodb-restoration.ts';

/** The ports by the settings. */
export function createRestorePorts(config: WorkerConfig) {
  const { jobsQueueUrl: jobsDepth, checksQueueUrl: checksDepth, deadLetterQueueUrl: deadLettersDepth } = config;
  const aws = { limits: config.limits };
  const table = ledgerTable(config, newDynamoDbClient(aws));
  const restoration = createDynamoDbRestoration(table);
  return {
    ledger: ordersOf(table),
    dueWork: createDynamoDbDueWork(table),
    controlsAdmin: createDynamoDbControls(table),
    queueDepths: createSqsQueueDepths({
      client: newSqsClient(aws),
      queueUrls: { jobsDepth, checksDepth, deadLettersDepth },
    }),
    restoration,
    restoreAdmin: restoration,
    clock: systemClock,
  };
}
