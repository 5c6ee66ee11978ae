// Resources that the settings name and that must exist: queues, tables, the worker's secret. Each is asked for by itself;
// only a plain "there is none" counts as missing, as a tool may have fewer rights than the worker.
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { DescribeSecretCommand } from '@aws-sdk/client-secrets-manager';
import { newDynamoDbClient } from '../../aws/dynamodb-table.ts';
import type { WorkerConfig } from '../../aws/env-config.ts';
import { newSecretsManagerClient } from '../../aws/secrets-manager-credentials.ts';
import { restorePage } from '../../restore/known-tables.ts';
import { newSqsClient } from '../../aws/sqs-queues.ts';

type Kind = 'queue' | 'table' | 'secret';

/** What is missing, a sentence each with its remedy; what others depend on comes first. */
export async function missingTexts(config: WorkerConfig): Promise<readonly string[]> {
  const isMissing = missing(config);
  const texts = await Promise.all(
    resourcesOf(config).map(async ([kind, setting, address]) =>
      (await isMissing(kind, address)) ? [textOf(kind, setting, address)] : [],
    ),
  );
  return texts.flat();
}

/** The kind, the setting that names it, and its address: of a queue its URL, else its name. */
function resourcesOf(config: WorkerConfig): (readonly [Kind, string, string])[] {
  const { jobsQueueUrl, batchJobsQueueUrl } = config;
  const isOneQueue = batchJobsQueueUrl === jobsQueueUrl;
  return [
    ['queue', 'DEAD_LETTER_QUEUE_URL', config.deadLetterQueueUrl],
    ['queue', 'RESULTS_QUEUE_URL', config.resultsQueueUrl],
    ['queue', 'CHECKS_QUEUE_URL', config.checksQueueUrl],
    ['queue', 'REFERENCES_QUEUE_URL', config.referencesQueueUrl],
    ['queue', 'JOBS_QUEUE_URL', jobsQueueUrl],
    ...(isOneQueue ? [] : [['queue', 'BATCH_JOBS_QUEUE_URL', batchJobsQueueUrl] as const]),
    ['table', 'LEDGER_TABLE_NAME', config.ledgerTableName],
    ['table', 'CARD_KEYS_TABLE_NAME', config.cardKeysTableName],
    ['table', 'BATCHES_TABLE_NAME', config.batchesTableName],
    ['table', 'CONTROLS_TABLE_NAME', config.controlsTableName],
    ['table', 'WAITING_TABLE_NAME', config.waitingTableName],
    ['secret', 'WORKER_SECRET_ID', config.workerSecretId],
  ];
}

const noneThere = new Set([
  'QueueDoesNotExist',
  'AWS.SimpleQueueService.NonExistentQueue',
  'ResourceNotFoundException',
  'InvalidAddress',
]);

function missing(aws: Pick<WorkerConfig, 'limits'>) {
  const [sqs, dynamodb, secrets] = [newSqsClient(aws), newDynamoDbClient(aws), newSecretsManagerClient(aws)];
  const ask: Readonly<Record<Kind, (address: string) => Promise<unknown>>> = {
    queue: (QueueUrl) => sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] })),
    table: (TableName) => dynamodb.send(new DescribeTableCommand({ TableName })),
    secret: (SecretId) => secrets.send(new DescribeSecretCommand({ SecretId })),
  };
  return (kind: Kind, address: string): Promise<boolean> =>
    ask[kind](address).then(
      () => false,
      (error: unknown) => error instanceof Error && noneThere.has(error.name),
    );
}

function textOf(kind: Kind, setting: string, address: string): string {
  const name = kind === 'queue' ? address.slice(address.lastIndexOf('/') + 1) : address;
  const restored = kind === 'table' ? `if it was there before: ${restorePage}; else ` : '';
  return `there is no ${kind} ${name} (${setting}); ${restored}\`npm run deploy\` makes it with the stack`;
}
