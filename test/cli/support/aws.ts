// What the commands of an operator meet: AWS in this process, the secrets of the sample's merchants, and the gateway simulator if a
// story asks for it. There once the stories of a file have begun.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll } from 'vitest';
import { createDynamoDbOrders } from '../../../lib/aws/dynamodb-orders.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../../lib/local/embedded-aws.ts';
import type { GatewaySimulator } from '../../../lib/local/gateway/simulator.ts';
import { collectResults, sendToJobsQueue } from '../../../lib/local/jobs-and-results.ts';
import { clientConfigOf, workerEnvironment } from '../../../lib/local/local-environment.ts';
import { startLocalGateway } from '../../../lib/local/local-gateway.ts';
import { localWorkerLimits } from '../../../lib/local/local-limits.ts';
import { queueDepth } from '../../../lib/aws/sqs-event-source.ts';
import { rowsWaiting, takeMessages } from '../../../lib/local/queue-reader.ts';
import {
  type MerchantSecrets,
  putMerchants,
  sampleSecrets,
  workerSecret,
} from '../../../lib/local/sample-merchants.ts';
import type { Order } from '../../../lib/payout/order/order.ts';
import { viewOf } from '../../../lib/payout/order/projection.ts';
import type { JobBody } from '../../support/jobs.ts';
import { anOrderThatStands, type Standing } from '../../support/order-that-stands.ts';
import { type CliEnd, runCli } from './cli.ts';
import { begun } from '../../support/orders.ts';

/** A job message of a batch on its queue. */
export interface SentJob {
  readonly merchant: string;
  readonly orderId: string;
  readonly batchId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly [name: string]: unknown;
}

interface Choices {
  /** False: nothing listens at the gateway's address. */
  readonly gateway?: boolean;
  readonly latencyMs?: () => number;
  /** False: no merchant has a secret yet. */
  readonly merchants?: boolean;
  /** Whole seconds; an hour by default, so that no message which was looked at comes back within a story. */
  readonly visibilityTimeoutSeconds?: number;
  /** The folder in which commands run. */
  readonly cwd?: () => string;
}

/** AWS, and what a story does with it. */
export function anAws({
  gateway = false,
  latencyMs,
  merchants = true,
  visibilityTimeoutSeconds = 3_600,
  cwd,
}: Choices = {}) {
  let aws: EmbeddedAws;
  let simulator: GatewaySimulator | undefined;
  let secrets: Readonly<Record<string, MerchantSecrets>>;
  let sqs: SQSClient;
  let dynamodb: DynamoDBClient;
  const printed: string[] = [];
  const nowhere = 'http://127.0.0.1:9';
  beforeAll(async () => {
    const { maxReceiveCount } = localWorkerLimits;
    aws = await startEmbeddedAws({ visibilityTimeoutSeconds, ...(gateway && { maxReceiveCount }) });
    const secretsAt = (gatewayUrl: string) => sampleSecrets({ gatewayUrl, closedUrl: gatewayUrl });
    if (gateway)
      ({ simulator, secrets } = await startLocalGateway('none', secretsAt, { ...(latencyMs && { latencyMs }) }));
    else secrets = await secretsAt(nowhere);
    if (merchants) putMerchants(aws.secrets, secrets);
    aws.secrets.put('payouts/_worker', workerSecret());
    await aws.registered();
    sqs = new SQSClient(clientConfigOf(aws, 'SQS'));
    dynamodb = new DynamoDBClient(clientConfigOf(aws, 'DYNAMODB'));
  });
  afterAll(async () => {
    sqs?.destroy();
    dynamodb?.destroy();
    await simulator?.close();
    await aws?.close();
  });

  const env = () => workerEnvironment(aws, gateway ? localWorkerLimits.environment : {});
  const run = async (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<CliEnd> => {
    // The login of a contract that a story has just put is registered beside it.
    await aws.registered();
    const end = await runCli(args, { env: { ...env(), ...more }, ...(cwd && { cwd: cwd() }) });
    printed.push(end.stdout, end.stderr);
    return end;
  };
  const orders = () => createDynamoDbOrders({ client: dynamodb, tableName: aws.ledgerTableName });
  const put = async (order: Order): Promise<Order> => {
    const { kind } = await begun(orders(), order);
    if (kind !== 'written') throw new Error(`${order.key} was not written: ${kind}`);
    return order;
  };
  return {
    aws: () => aws,
    env,
    secrets: () => secrets,
    dynamodb: () => dynamodb,
    sqs: () => sqs,
    gateway(): GatewaySimulator {
      if (!simulator) throw new Error('this story has no gateway');
      return simulator;
    },
    /** Runs a command as the first operator; settings may be laid over the environment. */
    run,
    payouts: (...args: string[]) => run(args),
    /** As the second operator, who alone may approve. */
    approver: (...args: string[]) => run(args, aws.secondOperator),
    /** All that the commands have printed. */
    printed: () => printed.join('\n'),
    orders,
    put,
    /** An order in this state, in the ledger. */
    standing: (orderId: string, its: Standing) => put(anOrderThatStands({ orderId, ...its })),
    async stateOf(key: string): Promise<string> {
      const found = await orders().read(key);
      return found.kind === 'found' ? viewOf(found.order).standing : found.kind;
    },
    /** Puts jobs on the queue of single jobs. */
    send: (...jobs: (JobBody | string)[]) => {
      const bodies = jobs.map((job) => (typeof job === 'string' ? job : JSON.stringify(job)));
      return sendToJobsQueue(sqs, aws.queueUrls.jobs, bodies);
    },
    /** Results since the last time, by order id, when the jobs on the queue and in the table are done. */
    async results() {
      const dynamodb = new DynamoDBClient(clientConfigOf(aws, 'DYNAMODB'));
      const inTable = () => rowsWaiting(dynamodb, aws.waitingTableName);
      const queues = { jobsQueueUrls: [aws.queueUrls.jobs], inTable, resultsQueueUrl: aws.queueUrls.results };
      return new Map(
        (await collectResults(sqs, queues).finally(() => dynamodb.destroy())).map((it) => [it.orderId, it]),
      );
    },
    /** Puts a dead letter on its queue; answers with the message's id. */
    async deadLetter(body: object | string): Promise<string> {
      const MessageBody = typeof body === 'string' ? body : JSON.stringify(body);
      const { MessageId = '' } = await sqs.send(
        new SendMessageCommand({ QueueUrl: aws.queueUrls.jobsDeadLetter, MessageBody }),
      );
      return MessageId;
    },
    /** How many rows of batches are on their queue. */
    depth: () => queueDepth(sqs, aws.queueUrls.batchJobs),
    /** Takes every row of a batch off its queue. */
    async takeJobs(): Promise<SentJob[]> {
      const jobs: SentJob[] = [];
      for (;;) {
        const messages = await takeMessages(sqs, aws.queueUrls.batchJobs, 0);
        if (messages.length === 0) return jobs;
        jobs.push(...messages.map(({ Body = '' }) => JSON.parse(Body) as SentJob));
      }
    },
  };
}
