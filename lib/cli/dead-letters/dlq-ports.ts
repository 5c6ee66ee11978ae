// AWS as the commands on dead letters use it: what the scheduled redrive uses, and what it takes to end a letter.
import { redrivePorts, type RedriveFunctionPorts } from '../../../functions/redrive.ts';
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { ledgerTable } from '../../aws/dynamodb-table.ts';
import type { WorkerConfig } from '../../aws/env-config.ts';
import type { WriteLine } from '../../aws/lambda-handler.ts';
import { newSqsClient } from '../../aws/sqs-client.ts';
import { createSqsResults } from '../../aws/sqs-queues.ts';
import { systemRandom } from '../../aws/system.ts';
import { createDynamoDbBatchRows } from '../../batches/dynamodb-batch-rows.ts';
import type { DiscardPorts } from '../../dead-letters/discard-dead-letter.ts';

/** The ports by the settings; the log says who threw what away. */
export function createDeadLetterPorts(config: WorkerConfig, write: WriteLine): DiscardPorts & RedriveFunctionPorts {
  const aws = { limits: config.limits };
  return {
    ...redrivePorts(config, write),
    results: createSqsResults({ client: newSqsClient(aws), queueUrl: config.resultsQueueUrl }),
    rowNotes: createDynamoDbBatchRows(ledgerTable(config, newDynamoDbClient(aws))),
    random: systemRandom,
  };
}
