// `payouts local`: the whole system on this machine. Real SDK clients, a real worker process with the handler that
// ships, real signed requests over real sockets; only AWS and the gateway are stand-ins.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Job } from '../payout/message/job.ts';
import type { Result } from '../payout/message/result.ts';
import { orderKey } from '../payout/order/order.ts';
import { type LaneView, waitsForPerson } from '../payout/pace/lane-view.ts';
import { booksOf, type RunBooks } from './run-books.ts';
import { jobOf, type RunEvidence, runPayments } from './payments.ts';
import { createTally, type Tally } from '../batches/tally.ts';
import { countPayments, type PaymentsVerdict } from '../operate/verdict.ts';
import { type EmbeddedAws, startEmbeddedAws } from './embedded-aws.ts';
import type { FaultScheduleName } from './gateway/fault-schedules.ts';
import { collectResults, deadLetterIds, sendToJobsQueue } from './jobs-and-results.ts';
import { queueDepth } from '../aws/sqs-event-source.ts';
import { ordersDue, rowsWaiting } from './queue-reader.ts';
import { clientConfigOf, workerEnvironment } from './local-environment.ts';
import { reportedPayments, type LocalGateway, startLocalGateway } from './local-gateway.ts';
import { localCalls, localWorkerLimits } from './local-limits.ts';
import {
  type MerchantSecrets,
  putMerchants,
  sampleSecrets,
  withSampleExpiry,
  workerSecret,
} from './sample-merchants.ts';
import { sealedJobs } from './local-seals.ts';
import { createLaneWatch, type LaneWatch } from './lane-watch.ts';
import { failureCodesIn, ledgerOf, waitsOf } from './run-orders.ts';
import { keepWorkerRunning, type KeptWorker } from './worker-process.ts';
import { ownFile } from './own-files.ts';
import { newDynamoDbClient } from '../aws/dynamodb-table.ts';
import { newSqsClient } from '../aws/sqs-queues.ts';

type Environment = Readonly<Record<string, string>>;

/** The run's settings. */
interface LocalRunOptions {
  /** One message body per entry, as it will be sent, right or wrong. */
  readonly jobs: readonly string[];
  /** In a folder that exists; the worker's log goes beside it. */
  readonly resultsFile: string;
  readonly faults: FaultScheduleName;
  /** Another gateway than the simulator: every merchant's base URL is replaced by it. */
  readonly gatewayUrl?: string;
  /** Merchant to secret. Default: the sample's merchants. */
  readonly secrets?: Readonly<Record<string, MerchantSecrets>>;
  readonly onProgress: (progress: LocalProgress) => void;
  /** Called before the first job is sent, with the settings of an operator: a console may be opened over the run. Default: none. */
  readonly onReady?: (environment: Environment, secondEnvironment: Environment) => Promise<void>;
  /** How long to wait for jobs while nothing ends; default two minutes. */
  readonly patienceMs?: number;
  /** The worker goes on when the run is over. Default false: the report is final. */
  readonly goesOn?: boolean;
  /** When it is aborted, the worker finishes the jobs in hand, and the run reports all of it. */
  readonly interruption?: AbortSignal;
}

/** How far the run is. */
export interface LocalProgress {
  readonly results: number;
  readonly waiting: number;
  /** Results that say in doubt or held. */
  readonly inDoubt: number;
  readonly held: number;
  /** Each merchant's endpoint that was sent to: its pace, and what holds it up. */
  readonly lanes: readonly LaneView[];
  readonly elapsedMs: number;
}

/** A run whose queue is drained; its servers and worker still run until `close`. */
export interface LocalRun {
  readonly messages: number;
  readonly deadLetters: number;
  readonly lines: Tally;
  readonly verdict: PaymentsVerdict;
  /** Only of the simulator: another gateway's own report tells what it paid. */
  readonly books?: RunBooks;
  /** How often the worker ended by itself and was started again. */
  readonly restarts: number;
  readonly elapsedMs: number;
  readonly logFile: string;
  readonly environment: Environment;
  /** The same for a second person, who approves. */
  readonly secondEnvironment: Environment;
  readonly gatewayUrl: string;
  close(): Promise<void>;
}

/** The run was interrupted before its first job was put on the queue. */
export class InterruptedBeforehand extends Error {}

/** Starts everything, runs the jobs to their ends and closes the books. */
export async function runLocal(options: LocalRunOptions): Promise<LocalRun> {
  const startedMs = Date.now();
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
    putMerchants(aws.secrets, gateway.secrets);
    aws.secrets.put('payouts/_worker', workerSecret());
    await aws.registered();
    const jobs = await sealedJobs(options.secrets ? options.jobs : withSampleExpiry(options.jobs, startedMs), aws);

    const environment = {
      ...workerEnvironment(aws, localWorkerLimits.environment),
      ...(gateway.simulator && options.onReady && { PAYOUTS_SIMULATOR_URL: gateway.url }),
    };
    const logFile = join(dirname(options.resultsFile), 'worker.log');
    await ownFile(logFile);
    const worker = keepWorkerRunning(environment, { logFile, args: ['--sweep-seconds', '5'] });
    closing.push(() => worker.stop());
    const laneWatch = createLaneWatch(aws);
    closing.push(async () => laneWatch.close());
    const secondEnvironment = { ...environment, ...aws.secondOperator };
    await options.onReady?.(environment, secondEnvironment);
    if (options.interruption?.aborted) throw new InterruptedBeforehand();
    const seen = await drain({ options: { ...options, jobs }, aws, worker, laneWatch, startedMs, logFile });
    const reported = gateway.simulator && reportedPayments(gateway.simulator, gateway.secrets);
    const its = runPayments(seen);
    const counting = countPayments({ secretPrefix: 'payouts/' });
    const tally = createTally();
    for (const it of its) {
      counting.add(it);
      tally.add({ standing: it.standing, money: it.money, elsewhere: false });
    }
    return {
      messages: seen.sent.length,
      deadLetters: seen.deadLetterMessageIds.length,
      lines: tally.taken(),
      verdict: counting.taken(),
      books: reported && booksOf(seen, reported),
      restarts: worker.restarts(),
      elapsedMs: Date.now() - startedMs,
      logFile,
      environment,
      secondEnvironment,
      gatewayUrl: gateway.url,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The simulator, or another gateway, of which no more is known. */
type GatewayOfRun = Pick<LocalGateway, 'url' | 'secrets'> & Partial<Pick<LocalGateway, 'simulator'>>;

async function startGateway({ gatewayUrl, secrets, faults, onReady }: LocalRunOptions): Promise<GatewayOfRun> {
  const closedUrl = await unusedUrl();
  const secretsAt = async (baseUrl: string) => {
    if (!secrets) return sampleSecrets({ gatewayUrl: baseUrl, closedUrl });
    const own = Object.entries(secrets).map(([name, { contract, keys }]) => [
      name,
      { contract: { ...contract, baseUrl }, keys },
    ]);
    return Object.fromEntries(own) as typeof secrets;
  };
  if (gatewayUrl !== undefined) return { url: gatewayUrl, secrets: await secretsAt(gatewayUrl) };
  return startLocalGateway(faults, secretsAt, { isSwitchable: onReady !== undefined });
}

/** A port that was free a moment ago: connections to it are refused. */
async function unusedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

interface DrainContext {
  readonly options: LocalRunOptions;
  readonly aws: EmbeddedAws;
  readonly worker: KeptWorker;
  readonly laneWatch: LaneWatch;
  readonly startedMs: number;
  readonly logFile: string;
}

/** True if every job without a result waits for a person. */
function areBlocked(jobs: readonly Job[], results: readonly Result[], lanes: readonly LaneView[]): boolean {
  const ended = new Set(results.map(({ merchant, orderId }) => `${merchant}/${orderId}`));
  const open = jobs.filter((job) => !ended.has(orderKey(job)));
  const isBlocked = ({ merchant, endpointId }: Job) =>
    lanes.some((it) => it.merchant === merchant && it.endpointId === endpointId && waitsForPerson(it));
  return open.length > 0 && open.every(isBlocked);
}

const latestStatuses = (results: readonly Result[]): readonly string[] => {
  const latest = new Map(
    results
      .filter(({ revision = 0 }) => revision > 0)
      .toSorted((a, b) => (a.revision ?? 0) - (b.revision ?? 0))
      .map((it) => [`${it.merchant}/${it.orderId}`, it.status] as const),
  );
  return [...latest.values()];
};

async function drain(context: DrainContext): Promise<RunEvidence> {
  const { options, aws, worker, laneWatch, startedMs, logFile } = context;
  const sqs = newSqsClient(localCalls, clientConfigOf(aws, 'SQS'));
  const dynamodb = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  const inTable = async () => {
    const counts = [rowsWaiting(dynamodb, aws.waitingTableName), ordersDue(dynamodb, aws.ledgerTableName)];
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };
  const file = createWriteStream(options.resultsFile, { mode: 0o600 });
  const queues = {
    jobsQueueUrls: [aws.queueUrls.jobs, aws.queueUrls.batchJobs],
    checksQueueUrl: aws.queueUrls.checks,
    inTable,
    behindAnother: () => rowsWaiting(dynamodb, aws.waitingTableName, 'busy'),
    resultsQueueUrl: aws.queueUrls.results,
    onMessage: (body: string) => void (file.writable && file.write(`${body}\n`)),
  };
  try {
    const sent = await sendToJobsQueue(sqs, aws.queueUrls, options.jobs);
    // An interrupted worker finishes the jobs in hand and takes no more.
    options.interruption?.addEventListener('abort', () => void worker.stop());
    const jobs = sent.flatMap((message) => jobOf(message) ?? []);
    const collected = collectResults(sqs, {
      ...queues,
      interruption: options.interruption,
      patienceMs: options.patienceMs,
      isBlocked: (results) => areBlocked(jobs, results, laneWatch.look()),
      onProgress: (results, waiting) => {
        const statuses = latestStatuses(results);
        options.onProgress({
          results: results.length,
          waiting,
          inDoubt: statuses.filter((status) => status === 'in-doubt').length,
          held: statuses.filter((status) => status === 'held').length,
          lanes: laneWatch.look(),
          elapsedMs: Date.now() - startedMs,
        });
      },
    });
    const results = [...(await Promise.race([collected, worker.crashed]))];
    // After the report nothing may be paid.
    if (!options.goesOn) await worker.stop();
    if ((await queueDepth(sqs, aws.queueUrls.results)) > 0)
      results.push(...(await collectResults(sqs, { ...queues, patienceMs: 0 })));
    const deadLetterMessageIds = await deadLetterIds(sqs, aws.queueUrls);
    const left = [queueDepth(sqs, aws.queueUrls.jobs), queueDepth(sqs, aws.queueUrls.batchJobs), inTable()];
    const isAnyLeft = (await Promise.all(left)).some((count) => count > 0);
    const known = await ledgerOf(aws, jobs);
    const [codes, lanes] = await Promise.all([failureCodesIn(logFile), laneWatch.now()]);
    const waiting = waitsOf(jobs, { orders: known, codes, lanes, isAnyLeft });
    return { sent, results, deadLetterMessageIds, orders: known, waiting };
  } finally {
    file.end();
    await finished(file);
    sqs.destroy();
    dynamodb.destroy();
  }
}
