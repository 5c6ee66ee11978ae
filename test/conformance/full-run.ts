// One whole run on real emulators: the worker process as it ships, the gateway simulator, a file of jobs, and the books
// closed at the end.
import { join } from 'node:path';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Message } from '@aws-sdk/client-sqs';
import type { Result } from '../../lib/domain/result.ts';
import { type Accounts, closeAccounts, type CountedPayment, type SentMessage } from '../../lib/local/accounts.ts';
import { startLocalGateway } from '../../lib/local/local-gateway.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { queueDepth, takeMessages } from '../../lib/local/queue-reader.ts';
import { type MerchantSecret, sampleSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { startWorkerProcess, type WorkerProcess } from '../../lib/local/worker-process.ts';
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
      LEDGER_TABLE_NAME: tableName,
      SECRET_PREFIX: `${name}/`,
    },
    { logFile: join(directory, `${name}-worker.log`) },
  );
  try {
    const sent = await sendJobs(sqs, queues.jobs, options.jobs);
    const results = await Promise.race([collectResults(sqs, queues), crashOf(worker)]);
    const letters = await takeAll(sqs, queues.deadLetters);
    const deadLetterMessageIds = letters.map(
      (it) => it.MessageAttributes?.['originalMessageId']?.StringValue ?? it.MessageId ?? '',
    );
    const payments = countedPayments(gateway.simulator.payments(), gateway.secrets);
    return closeAccounts({ sent, results, deadLetterMessageIds, payments });
  } finally {
    await worker.stop();
    await gateway.simulator.close();
    sqs.destroy();
    dynamoDb.destroy();
  }
}

const crashOf = ({ crashed }: WorkerProcess): Promise<never> => crashed;

async function createQueues(sqs: SQSClient, name: string): Promise<Queues> {
  const create = async (suffix: string, Attributes: Record<string, string> = {}) =>
    (await sqs.send(new CreateQueueCommand({ QueueName: `${name}-${suffix}`, Attributes }))).QueueUrl ?? '';
  const [deadLetters, results] = [await create('dead'), await create('results')];
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetters, AttributeNames: ['QueueArn'] }),
  );
  const { maxReceiveCount } = localWorkerLimits;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.['QueueArn'], maxReceiveCount });
  return { jobs: await create('jobs', { VisibilityTimeout: '60', RedrivePolicy }), deadLetters, results };
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

async function sendJobs(sqs: SQSClient, QueueUrl: string, jobs: readonly string[]): Promise<SentMessage[]> {
  const sent: SentMessage[] = [];
  for (let at = 0; at < jobs.length; at += 10) {
    const Entries = jobs.slice(at, at + 10).map((MessageBody, index) => ({ Id: String(at + index), MessageBody }));
    const { Successful = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    if (Successful.length < Entries.length) throw new Error('the jobs queue refused a job');
    for (const { Id, MessageId = '' } of Successful) {
      sent.push({ line: Number(Id) + 1, messageId: MessageId, body: jobs[Number(Id)] ?? '' });
    }
  }
  return sent;
}

/** Until the jobs queue and the results queue are empty twice in a row. */
async function collectResults(sqs: SQSClient, queues: Queues): Promise<Result[]> {
  const results = new Map<string, Result>();
  for (let empty = 0; empty < 2;) {
    const messages = await takeMessages(sqs, queues.results, 1);
    for (const { Body = '' } of messages) {
      const result = JSON.parse(Body) as Result;
      results.set(result.resultId, result);
    }
    empty = messages.length === 0 && (await queueDepth(sqs, queues.jobs)) === 0 ? empty + 1 : 0;
  }
  return [...results.values()];
}

async function takeAll(sqs: SQSClient, queueUrl: string): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const some = await takeMessages(sqs, queueUrl, 0);
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function countedPayments(
  payments: ReturnType<Awaited<ReturnType<typeof startLocalGateway>>['simulator']['payments']>,
  secrets: Readonly<Record<string, MerchantSecret>>,
): CountedPayment[] {
  const merchants = new Map(Object.entries(secrets).map(([merchant, { login }]) => [login, merchant]));
  return payments.map((it) => ({
    merchant: merchants.get(it.login) ?? it.login,
    orderId: it.clientOrderId,
    currency: it.currency,
    count: it.acceptedCount,
    amount: it.acceptedAmount,
  }));
}
