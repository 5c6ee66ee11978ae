// One whole run on real emulators: the worker process as it ships, the gateway simulator, a file of jobs, and the books
// closed at the end.
import { join } from 'node:path';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type Accounts, closeAccounts } from '../../lib/local/accounts.ts';
import { collectResults, sendJobs, takeDeadLetterIds } from '../../lib/local/jobs-and-results.ts';
import { countedPayments, startLocalGateway } from '../../lib/local/local-gateway.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { type MerchantSecret, sampleSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { startWorkerProcess } from '../../lib/local/worker-process.ts';
import { createLedgerTable, fakeCredentials } from './table.ts';

/** Where to run and what. */
export interface FullRunOptions {
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

interface Queues {
  readonly jobs: string;
  readonly deadLetters: string;
  readonly results: string;
  readonly checks: string;
}

const region = 'eu-central-1';

/** Runs the jobs to their ends. */
export async function fullRun(options: FullRunOptions): Promise<Accounts> {
  const { name, sqsUrl, dynamoDbUrl, secretsManagerUrl, directory } = options;
  const sqs = new SQSClient({ region, endpoint: sqsUrl, credentials: fakeCredentials });
  const gateway = await startLocalGateway('none', (gatewayUrl) =>
    sampleSecrets({ gatewayUrl, closedUrl: 'http://127.0.0.1:1' }),
  );
  const queues = await createQueues(sqs, name);
  const { client: dynamoDb, tableName } = await createLedgerTable(dynamoDbUrl);
  await putSecrets(secretsManagerUrl, name, { ...gateway.secrets, _worker: workerSecret() });
  const worker = startWorkerProcess(
    {
      ...localWorkerLimits.environment,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: fakeCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: fakeCredentials.secretAccessKey,
      AWS_ENDPOINT_URL_SQS: sqsUrl,
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDbUrl,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManagerUrl,
      JOBS_QUEUE_URL: queues.jobs,
      DEAD_LETTER_QUEUE_URL: queues.deadLetters,
      RESULTS_QUEUE_URL: queues.results,
      CHECKS_QUEUE_URL: queues.checks,
      LEDGER_TABLE_NAME: tableName,
      SECRET_PREFIX: `${name}/`,
    },
    { logFile: join(directory, `${name}-worker.log`) },
  );
  try {
    const sent = await sendJobs(sqs, queues.jobs, options.jobs);
    const collected = collectResults(sqs, {
      jobsQueueUrl: queues.jobs,
      checksQueueUrls: [queues.checks],
      resultsQueueUrl: queues.results,
    });
    const results = await Promise.race([collected, worker.crashed]);
    const deadLetterMessageIds = await takeDeadLetterIds(sqs, queues.deadLetters);
    const payments = countedPayments(gateway.simulator, gateway.secrets);
    return closeAccounts({ sent, results, deadLetterMessageIds, payments });
  } finally {
    await worker.stop();
    await gateway.simulator.close();
    sqs.destroy();
    dynamoDb.destroy();
  }
}

async function createQueues(sqs: SQSClient, name: string): Promise<Queues> {
  const create = async (suffix: string, Attributes: Record<string, string> = {}) =>
    (await sqs.send(new CreateQueueCommand({ QueueName: `${name}-${suffix}`, Attributes }))).QueueUrl ?? '';
  const [deadLetters, results, checks] = [await create('dead'), await create('results'), await create('checks')];
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetters, AttributeNames: ['QueueArn'] }),
  );
  const { maxReceiveCount } = localWorkerLimits;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.['QueueArn'], maxReceiveCount });
  return { jobs: await create('jobs', { VisibilityTimeout: '60', RedrivePolicy }), deadLetters, results, checks };
}

async function putSecrets(
  endpoint: string,
  prefix: string,
  secrets: Readonly<Record<string, MerchantSecret>>,
): Promise<void> {
  const client = new SecretsManagerClient({ region, endpoint, credentials: fakeCredentials });
  for (const [name, secret] of Object.entries(secrets)) {
    await client.send(new CreateSecretCommand({ Name: `${prefix}/${name}`, SecretString: JSON.stringify(secret) }));
  }
  client.destroy();
}
