// One whole run on real emulators: the worker process as it ships, the gateway simulator, a file of jobs, and the books
// closed at the end.
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { ApprovalMaker } from '../../lib/batches/approval.ts';
import { createDynamoDbSafeguards } from '../../lib/batches/dynamodb-safeguards.ts';
import { writeSafeguards } from '../../lib/batches/safeguards.ts';
import { type Accounts, closeAccounts, keptOf } from '../../lib/local/accounts.ts';
import { collectResults, sendToJobsQueue, deadLetterIds } from '../../lib/local/jobs-and-results.ts';
import { startKmsEndpoint } from '../../lib/local/kms-endpoint.ts';
import { countedPayments, startLocalGateway } from '../../lib/local/local-gateway.ts';
import { rowsWaiting } from '../../lib/local/queue-reader.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { type MerchantSecret, sampleSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { startWorkerProcess } from '../../lib/local/worker-process.ts';
import { createLedgerTable, fakeCredentials } from './table.ts';

/** Where to run and what. */
interface FullRunOptions {
  /** Keeps the queues and secrets of two runs apart. */
  readonly name: string;
  readonly sqsUrl: string;
  readonly dynamoDbUrl: string;
  readonly secretsManagerUrl: string;
  /** One message body each. */
  readonly jobs: readonly string[];
  /** For the worker's log. */
  readonly directory: string;
}

/** A worker's world: what it is told by its environment, and the emulators behind it. */
interface Place extends FullRunOptions {
  /** Queues, table and secret prefix, by the names of the worker's settings. */
  readonly settings: Readonly<Record<string, string>>;
  /** Where it is there already. */
  readonly workerSecretExists?: boolean;
}

const region = 'eu-central-1';

/** Runs the jobs to their ends, on queues and a table made for them. */
export async function fullRun(options: FullRunOptions): Promise<Accounts> {
  const { name, sqsUrl, dynamoDbUrl } = options;
  const sqs = new SQSClient({ region, endpoint: sqsUrl, credentials: fakeCredentials });
  const queues = await createQueues(sqs, name);
  sqs.destroy();
  const { client: dynamoDb, ...tables } = await createLedgerTable(dynamoDbUrl);
  dynamoDb.destroy();
  const settings = {
    ...queues,
    LEDGER_TABLE_NAME: tables.tableName,
    CARD_KEYS_TABLE_NAME: tables.cardKeysTableName,
    BATCHES_TABLE_NAME: tables.batchesTableName,
    CONTROLS_TABLE_NAME: tables.controlsTableName,
    WAITING_TABLE_NAME: tables.waitingTableName,
    SECRET_PREFIX: `${name}/`,
  };
  return runOn({ ...options, settings });
}

/** Runs the jobs to their ends, by a worker process with these settings. */
async function runOn(place: Place): Promise<Accounts> {
  const { name, settings, sqsUrl, dynamoDbUrl, secretsManagerUrl, directory } = place;
  const { JOBS_QUEUE_URL = '', DEAD_LETTER_QUEUE_URL = '', RESULTS_QUEUE_URL = '', CHECKS_QUEUE_URL = '' } = settings;
  const sqs = new SQSClient({ region, endpoint: sqsUrl, credentials: fakeCredentials });
  const gateway = await startLocalGateway('none', (gatewayUrl) =>
    sampleSecrets({ gatewayUrl, closedUrl: 'http://127.0.0.1:1' }),
  );
  const own = place.workerSecretExists ? {} : { _worker: workerSecret() };
  await putSecrets(secretsManagerUrl, settings['SECRET_PREFIX'] ?? '', { ...gateway.secrets, ...own });
  // KMS is ours on every emulator: what is tried here are queues and tables.
  const kms = await startKmsEndpoint(new Set());
  await letAllGo(Object.keys(gateway.secrets), settings, dynamoDbUrl, kms);
  const worker = startWorkerProcess(
    {
      ...localWorkerLimits.environment,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: fakeCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: fakeCredentials.secretAccessKey,
      AWS_ENDPOINT_URL_SQS: sqsUrl,
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDbUrl,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManagerUrl,
      ...settings,
      AWS_ENDPOINT_URL_KMS: kms.url,
      APPROVAL_KEY_ID: 'alias/payouts-approvals',
      WAITING_KEY_ID: 'alias/payouts-waiting',
    },
    { logFile: join(directory, `${name}-worker.log`) },
  );
  const dynamoDb = new DynamoDBClient({ region, endpoint: dynamoDbUrl, credentials: fakeCredentials });
  try {
    const sent = await sendToJobsQueue(sqs, JOBS_QUEUE_URL, place.jobs);
    const collected = collectResults(sqs, {
      jobsQueueUrl: JOBS_QUEUE_URL,
      inTable: () => rowsWaiting(dynamoDb, settings['WAITING_TABLE_NAME'] ?? ''),
      checksQueueUrls: [CHECKS_QUEUE_URL],
      resultsQueueUrl: RESULTS_QUEUE_URL,
      kept: (results) => keptOf(sent, results),
    });
    const results = await Promise.race([collected, worker.crashed]);
    const deadLetterMessageIds = await deadLetterIds(sqs, DEAD_LETTER_QUEUE_URL);
    const payments = countedPayments(gateway.simulator, gateway.secrets);
    return closeAccounts({ sent, results, deadLetterMessageIds, payments });
  } finally {
    await worker.stop();
    await Promise.all([gateway.simulator.close(), kms.close()]);
    sqs.destroy();
    dynamoDb.destroy();
  }
}

/** An approver's word for each merchant: one person, no cap. Without it their jobs wait. */
export async function letAllGo(
  merchants: readonly string[],
  { BATCHES_TABLE_NAME: tableName = '' }: Place['settings'],
  endpoint: string,
  maker: ApprovalMaker,
): Promise<void> {
  const client = new DynamoDBClient({ region, endpoint, credentials: fakeCredentials });
  const store = createDynamoDbSafeguards({ client, tableName });
  const its = { twoPersonRelease: false, caps: {}, by: 'arn:aws:iam::000000000000:user/approver', atMs: Date.now() };
  for (const merchant of merchants) await writeSafeguards(merchant, its, { store, maker });
  client.destroy();
}

async function createQueues(sqs: SQSClient, name: string) {
  const create = async (suffix: string, Attributes: Record<string, string> = {}) =>
    (await sqs.send(new CreateQueueCommand({ QueueName: `${name}-${suffix}`, Attributes }))).QueueUrl ?? '';
  const [deadLetters, results] = [await create('dead'), await create('results')];
  const [checks, lines] = [await create('checks'), await create('lines')];
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetters, AttributeNames: ['QueueArn'] }),
  );
  const { maxReceiveCount } = localWorkerLimits;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.['QueueArn'], maxReceiveCount });
  return {
    JOBS_QUEUE_URL: await create('jobs', { VisibilityTimeout: '60', RedrivePolicy }),
    DEAD_LETTER_QUEUE_URL: deadLetters,
    RESULTS_QUEUE_URL: results,
    CHECKS_QUEUE_URL: checks,
    LINES_QUEUE_URL: lines,
  };
}

export async function putSecrets(
  endpoint: string,
  prefix: string,
  secrets: Readonly<Record<string, MerchantSecret>>,
): Promise<void> {
  const client = new SecretsManagerClient({ region, endpoint, credentials: fakeCredentials });
  for (const [name, secret] of Object.entries(secrets)) {
    await client.send(new CreateSecretCommand({ Name: prefix + name, SecretString: JSON.stringify(secret) }));
  }
  client.destroy();
}
