// `payouts local`: the whole system on this machine. Real SDK clients, a real worker process with the handler that
// ships, real signed requests over real sockets; only AWS and the gateway are stand-ins.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Result } from '../domain/result.ts';
import { type Accounts, closeAccounts, type CountedPayment, type SentMessage } from './accounts.ts';
import { type EmbeddedAws, startEmbeddedAws } from './embedded-aws.ts';
import type { FaultScheduleName } from './gateway/fault-schedules.ts';
import type { GatewaySimulator } from './gateway/simulator.ts';
import { startLocalGateway } from './local-gateway.ts';
import { localWorkerLimits } from './local-limits.ts';
import { queueDepth, takeMessages } from './queue-reader.ts';
import { type MerchantSecret, sampleSecrets, workerSecret } from './sample-merchants.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

/** What to run. */
export interface LocalRunOptions {
  /** One message body per entry, as it will be sent, right or wrong. */
  readonly jobs: readonly string[];
  readonly resultsFile: string;
  readonly faults: FaultScheduleName;
  /** Another gateway than the simulator: every merchant's base URL is replaced by it. */
  readonly gatewayUrl?: string;
  /** Merchant to secret; the sample's merchants where absent. */
  readonly secrets?: Readonly<Record<string, MerchantSecret>>;
  readonly onProgress: (progress: LocalProgress) => void;
}

/** How far the run is. */
export interface LocalProgress {
  readonly sent: number;
  readonly results: number;
  readonly waiting: number;
  readonly elapsedMs: number;
}

/** A run whose queue is drained; its servers and worker still run until `close`. */
export interface LocalRun {
  readonly accounts: Accounts;
  readonly elapsedMs: number;
  readonly logFile: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly gatewayUrl: string;
  close(): Promise<void>;
}

/** A run that stands still this long is broken: no delay or time-out of the local limits is longer. */
const stuckAfterMs = 120_000;

/** Starts everything, runs the jobs to their ends and closes the books. */
export async function runLocal(options: LocalRunOptions): Promise<LocalRun> {
  const startedMs = Date.now();
  await mkdir(dirname(options.resultsFile), { recursive: true });
  const aws = await startEmbeddedAws({
    maxReceiveCount: localWorkerLimits.maxReceiveCount,
    visibilityTimeoutSeconds: 60,
  });
  const closing: (() => Promise<unknown>)[] = [() => aws.close()];
  const close = async () => {
    for (const step of closing.toReversed()) await step();
  };
  try {
    const gateway = await startGateway(options);
    if (gateway.simulator) closing.push(() => gateway.simulator?.close() ?? Promise.resolve());
    for (const [merchant, secret] of Object.entries(gateway.secrets)) aws.secrets.put(`payouts/${merchant}`, secret);
    aws.secrets.put('payouts/_worker', workerSecret());

    const environment = workerEnvironment(aws);
    const logFile = join(dirname(options.resultsFile), 'worker.log');
    const worker = startWorkerProcess(environment, { logFile });
    closing.push(() => worker.stop());
    const seen = await drain({ options, aws, worker, startedMs });
    const payments = gateway.simulator && countedPayments(gateway.simulator, gateway.secrets);
    return {
      accounts: closeAccounts({ ...seen, ...(payments && { payments }) }),
      elapsedMs: Date.now() - startedMs,
      logFile,
      environment,
      gatewayUrl: gateway.url,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface LocalGateway {
  readonly url: string;
  readonly secrets: Readonly<Record<string, MerchantSecret>>;
  readonly simulator?: GatewaySimulator;
}

async function startGateway({ gatewayUrl, secrets, faults }: LocalRunOptions): Promise<LocalGateway> {
  const closedUrl = await unusedUrl();
  const withUrl = (url: string) => async () =>
    secrets
      ? Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, { ...secret, baseUrl: url }]))
      : sampleSecrets({ gatewayUrl: url, closedUrl });
  if (gatewayUrl !== undefined) return { url: gatewayUrl, secrets: await withUrl(gatewayUrl)() };
  return startLocalGateway(faults, (url) => withUrl(url)());
}

/** A port that was free a moment ago: connections to it are refused. */
async function unusedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

function workerEnvironment(aws: EmbeddedAws): Record<string, string> {
  return {
    ...aws.environment,
    ...localWorkerLimits.environment,
    JOBS_QUEUE_URL: aws.queueUrls.jobs,
    DEAD_LETTER_QUEUE_URL: aws.queueUrls.jobsDeadLetter,
    RESULTS_QUEUE_URL: aws.queueUrls.results,
    LEDGER_TABLE_NAME: aws.ledgerTableName,
    SECRET_PREFIX: 'payouts/',
  };
}

interface Drained {
  readonly sent: readonly SentMessage[];
  readonly results: readonly Result[];
  readonly deadLetterMessageIds: readonly string[];
}

interface DrainContext {
  readonly options: LocalRunOptions;
  readonly aws: EmbeddedAws;
  readonly worker: WorkerProcess;
  readonly startedMs: number;
}

async function drain({ options, aws, worker, startedMs }: DrainContext): Promise<Drained> {
  const sqs = new SQSClient({ region: aws.environment['AWS_REGION'] ?? '', ...clientOf(aws) });
  try {
    const sent = await sendAll(sqs, aws.queueUrls.jobs, options.jobs);
    const progress = (results: number, waiting: number) =>
      options.onProgress({ sent: sent.length, results, waiting, elapsedMs: Date.now() - startedMs });
    const results = await Promise.race([collectResults(sqs, aws, options.resultsFile, progress), worker.crashed]);
    const deadLetters = await takeAll(sqs, aws.queueUrls.jobsDeadLetter);
    const deadLetterMessageIds = deadLetters.map(
      (it) => it.MessageAttributes?.['originalMessageId']?.StringValue ?? it.MessageId ?? '',
    );
    return { sent, results, deadLetterMessageIds };
  } finally {
    sqs.destroy();
  }
}

function clientOf(aws: EmbeddedAws) {
  return {
    endpoint: aws.environment['AWS_ENDPOINT_URL_SQS'] ?? '',
    credentials: {
      accessKeyId: aws.environment['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: aws.environment['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  };
}

async function sendAll(sqs: SQSClient, queueUrl: string, jobs: readonly string[]): Promise<SentMessage[]> {
  const sent: SentMessage[] = [];
  for (let at = 0; at < jobs.length; at += 10) {
    const Entries = jobs.slice(at, at + 10).map((body, index) => ({ Id: String(at + index), MessageBody: body }));
    const { Successful = [], Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }),
    );
    if (Failed.length > 0)
      throw new Error(`the jobs queue refused line ${Number(Failed[0]?.Id) + 1}: ${Failed[0]?.Message}`);
    for (const { Id, MessageId } of Successful) {
      sent.push({ line: Number(Id) + 1, messageId: MessageId ?? '', body: jobs[Number(Id)] ?? '' });
    }
  }
  return sent;
}

/** Reads results until the jobs queue is empty and the results queue too, twice in a row. */
async function collectResults(
  sqs: SQSClient,
  aws: EmbeddedAws,
  resultsFile: string,
  progress: (results: number, waiting: number) => void,
): Promise<Result[]> {
  const file = createWriteStream(resultsFile);
  const results = new Map<string, Result>();
  let lastChangeMs = Date.now();
  let lastWaiting = -1;
  for (let empty = 0; empty < 2;) {
    const messages = await takeMessages(sqs, aws.queueUrls.results, 1);
    for (const { Body = '' } of messages) {
      file.write(`${Body}\n`);
      const result = JSON.parse(Body) as Result;
      results.set(result.resultId, result);
    }
    const waiting = await queueDepth(sqs, aws.queueUrls.jobs);
    if (messages.length > 0 || waiting !== lastWaiting) lastChangeMs = Date.now();
    lastWaiting = waiting;
    empty = messages.length === 0 && waiting === 0 ? empty + 1 : 0;
    if (Date.now() - lastChangeMs > stuckAfterMs) break;
    progress(results.size, waiting);
  }
  file.end();
  await finished(file);
  return [...results.values()];
}

async function takeAll(sqs: SQSClient, queueUrl: string) {
  const all = [];
  for (;;) {
    const some = await takeMessages(sqs, queueUrl, 0);
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function countedPayments(
  simulator: GatewaySimulator,
  secrets: Readonly<Record<string, MerchantSecret>>,
): CountedPayment[] {
  const merchants = new Map(Object.entries(secrets).map(([merchant, { login }]) => [login, merchant]));
  return simulator.payments().map((it) => ({
    merchant: merchants.get(it.login) ?? it.login,
    orderId: it.clientOrderId,
    currency: it.currency,
    count: it.acceptedCount,
    amount: it.acceptedAmount,
  }));
}
