// Resources that the settings name and that must exist: queues, tables, the worker's secret. Each is asked for by itself;
// only a plain "there is none" counts as missing, as a tool may have fewer rights than the worker.
import { tool } from '../../payout/operate/spelling.ts';
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { DescribeSecretCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { newDynamoDbClient } from '../../aws/dynamodb-table.ts';
import type { WorkerConfig } from '../../aws/env-config.ts';
import { newSecretsManagerClient } from '../../aws/secrets-manager-credentials.ts';
import { restorePage } from '../../restore/known-tables.ts';
import { newSqsClient } from '../../aws/sqs-queues.ts';

/** One thing that must be there. */
export interface NamedResource {
  readonly kind: 'queue' | 'table' | 'secret';
  /** The setting that names it. */
  readonly setting: string;
  readonly name: string;
  /** Where it is asked for: a queue's address; else its name. */
  readonly address: string;
}

/** The clients. */
export interface ResourceClients {
  readonly sqs: SQSClient;
  readonly dynamodb: DynamoDBClient;
  readonly secretsManager: SecretsManagerClient;
}

/** Clients by the standard environment. */
export function resourceClients({ limits }: Pick<WorkerConfig, 'limits'>): ResourceClients {
  const aws = { limits };
  return {
    sqs: newSqsClient(aws),
    dynamodb: newDynamoDbClient(aws),
    secretsManager: newSecretsManagerClient(aws),
  };
}

/** Everything that the settings name, what others depend on first. */
export function resourcesOf(config: WorkerConfig): NamedResource[] {
  const queues = {
    DEAD_LETTER_QUEUE_URL: config.deadLetterQueueUrl,
    RESULTS_QUEUE_URL: config.resultsQueueUrl,
    CHECKS_QUEUE_URL: config.checksQueueUrl,
    REFERENCES_QUEUE_URL: config.referencesQueueUrl,
    JOBS_QUEUE_URL: config.jobsQueueUrl,
    ...(config.batchJobsQueueUrl !== config.jobsQueueUrl && { BATCH_JOBS_QUEUE_URL: config.batchJobsQueueUrl }),
  };
  const { workerSecretId: secret } = config;
  return [
    ...Object.entries(queues).map(([setting, address]): NamedResource => ({
      kind: 'queue',
      setting,
      name: address.slice(address.lastIndexOf('/') + 1),
      address,
    })),
    ...Object.entries({
      LEDGER_TABLE_NAME: config.ledgerTableName,
      CARD_KEYS_TABLE_NAME: config.cardKeysTableName,
      BATCHES_TABLE_NAME: config.batchesTableName,
      CONTROLS_TABLE_NAME: config.controlsTableName,
      WAITING_TABLE_NAME: config.waitingTableName,
    }).map(([setting, name]): NamedResource => ({ kind: 'table', setting, name, address: name })),
    { kind: 'secret', setting: 'WORKER_SECRET_ID', name: secret, address: secret },
  ];
}

const noneThere = new Set([
  'QueueDoesNotExist',
  'AWS.SimpleQueueService.NonExistentQueue',
  'ResourceNotFoundException',
  'InvalidAddress',
]);

/** Those that are not there. */
export async function missingOf(
  resources: readonly NamedResource[],
  clients: ResourceClients,
): Promise<NamedResource[]> {
  const found = await Promise.all(resources.map((it) => isMissing(it, clients)));
  return resources.filter((_, place) => found[place]);
}

async function isMissing({ kind, address }: NamedResource, clients: ResourceClients): Promise<boolean> {
  try {
    if (kind === 'queue') {
      await clients.sqs.send(new GetQueueAttributesCommand({ QueueUrl: address, AttributeNames: ['QueueArn'] }));
    } else if (kind === 'table') {
      await clients.dynamodb.send(new DescribeTableCommand({ TableName: address }));
    } else {
      await clients.secretsManager.send(new DescribeSecretCommand({ SecretId: address }));
    }
    return false;
  } catch (error) {
    return error instanceof Error && noneThere.has(error.name);
  }
}

/** The remedy for one that is missing. */
export function missingText({ kind, setting, name }: NamedResource): string {
  const called = `${kind} ${name} (${setting})`;
  if (kind === 'table')
    return `there is no ${called}; if it was there before: ${restorePage}; else \`${tool} setup\` makes all tables`;
  return `there is no ${called}; \`npm run deploy\` makes it with the stack, \`${tool} setup\` without one`;
}
