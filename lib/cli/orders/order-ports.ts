// AWS as the commands on orders and merchants use it, and the operator's port over it.
import { DescribeSecretCommand } from '@aws-sdk/client-secrets-manager';
import { createDynamoDbBatchRows } from '../../batches/dynamodb-batch-rows.ts';
import { createDynamoDbBatches } from '../../batches/dynamodb-batches.ts';
import { createOperator, type Operator } from '../../client/operator.ts';
import { createDeadLetterPorts } from '../dead-letters/dlq-ports.ts';
import { secondPersonOf, approvingPorts } from './second-person.ts';
import { whoDecides } from '../who-decides.ts';
import { createDynamoDbAllOrders } from '../../aws/dynamodb-all-orders.ts';
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { createDynamoDbControls } from '../../aws/dynamodb-controls.ts';
import { createDynamoDbDrainRights } from '../../aws/dynamodb-drain-rights.ts';
import { createDynamoDbLanes } from '../../aws/dynamodb-lanes.ts';
import { createDynamoDbDueWork } from '../../aws/dynamodb-due-work.ts';
import { batchesTable, controlsTable, ledgerTable, waitingTable } from '../../aws/dynamodb-table.ts';
import { createDynamoDbWaiting } from '../../aws/dynamodb-waiting.ts';
import type { WorkerConfig } from '../../aws/env-config.ts';
import { createKmsSigners, newKmsClient } from '../../aws/kms-client.ts';
import { newSecretsManagerClient } from '../../aws/secrets-manager-client.ts';
import { createSecretsManagerCredentials, isGone } from '../../aws/secrets-manager-credentials.ts';
import { createSqsQueueDepths } from '../../aws/sqs-queue-depths.ts';
import { createSqsLinesQueue, createSqsResults, newSqsClient } from '../../aws/sqs-queues.ts';
import { systemClock, systemRandom } from '../../aws/system.ts';
import { createHttpGateway } from '../../gateway/http-gateway.ts';
import { createDynamoDbRestoration, ordersOf } from '../../restore/dynamodb-restoration.ts';
import { silentLog } from '../../aws/cloudwatch-lines.ts';

/** Everything that orders are looked at, released and cancelled with. */
export function createOrderPorts(config: WorkerConfig) {
  const { limits, secretPrefix: prefix, resultsQueueUrl: queueUrl } = config;
  const clock = systemClock;
  const aws = { limits };
  const dynamodb = newDynamoDbClient(aws);
  const table = ledgerTable(config, dynamodb);
  const secrets = { prefix, ttlMs: limits.credentialsTtlMs, clock, log: silentLog };
  const signerFor = createKmsSigners(() => newKmsClient(aws));
  const secretsManager = newSecretsManagerClient(aws);
  const sqs = newSqsClient(aws);
  return {
    orders: ordersOf(table, createDynamoDbRestoration(table)),
    allOrders: createDynamoDbAllOrders(table),
    dueWork: createDynamoDbDueWork(table),
    lanes: createDynamoDbLanes(controlsTable(config, dynamodb)),
    drainRights: createDynamoDbDrainRights(controlsTable(config, dynamodb)),
    waiting: createDynamoDbWaiting(waitingTable(config, dynamodb)),
    controlsAdmin: createDynamoDbControls(controlsTable(config, dynamodb)),
    credentials: createSecretsManagerCredentials({ ...secrets, client: secretsManager, signerFor }),
    /** Is there a secret for this merchant? Nothing in it is read: who operates may not. */
    async isKnown(merchant: string): Promise<boolean> {
      try {
        const { DeletedDate } = await secretsManager.send(new DescribeSecretCommand({ SecretId: prefix + merchant }));
        return DeletedDate === undefined;
      } catch (error) {
        if (isGone(error)) return false;
        throw error;
      }
    },
    gateway: createHttpGateway({ limits, ...clock }),
    results: createSqsResults({ client: sqs, queueUrl }),
    lines: createSqsLinesQueue({ client: sqs, queueUrl: config.linesQueueUrl }),
    /** The queue of callbacks; a stage without one has none that wait. */
    queueDepths: createSqsQueueDepths({
      client: sqs,
      queueUrls: config.callbacksQueueUrl === '' ? {} : { callbacksDepth: config.callbacksQueueUrl },
    }),
    clock,
    random: systemRandom,
    limits,
  };
}

/** The operator's port, by the worker's settings. */
export function createAwsOperator(config: WorkerConfig): Operator {
  const dynamodb = newDynamoDbClient({ limits: config.limits });
  const orders = createOrderPorts(config);
  return createOperator({
    ...orders,
    secondPerson: secondPersonOf(config),
    approving: approvingPorts(config),
    controls: orders.controlsAdmin,
    batches: createDynamoDbBatches(batchesTable(config, dynamodb)),
    batchRows: createDynamoDbBatchRows(ledgerTable(config, dynamodb)),
    redrives: createDeadLetterPorts(config, (line) => process.stderr.write(`${line}\n`)),
    whoAmI: whoDecides,
  });
}
