// `payouts local`: the whole system on this machine. Real SDK clients, a real worker process with the handler that
// ships, real signed requests over real sockets; only AWS and the gateway are stand-ins.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { newSqsClient } from '../aws/sqs-client.ts';
import type { Result } from '../payout/result.ts';
import { type Accounts, closeAccounts, inDoubtOf, type SentMessage } from './accounts.ts';
import { type EmbeddedAws, startEmbeddedAws } from './embedded-aws.ts';
import type { FaultScheduleName } from './gateway/fault-schedules.ts';
import type { GatewaySimulator } from './gateway/simulator.ts';
import { startLocalConsole } from './console/console-server.ts';
import { openLocalScene } from './console/console-model.ts';
import { collectResults, sendToJobsQueue, takeDeadLetterIds } from './jobs-and-results.ts';
import { clientConfigOf, workerEnvironment } from './local-environment.ts';
import { countedPayments, startLocalGateway } from './local-gateway.ts';
import { localCalls, localWorkerLimits } from './local-limits.ts';
import { type MerchantSecret, sampleSecrets, withSampleExpiry, workerSecret } from './sample-merchants.ts';
import { sealedJobs } from './local-seals.ts';
import { createStopWatch, type StopWatch } from './stop-watch.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

/** What to run. */
export interface LocalRunOptions {
  /** One message body per entry, as it will be sent, right or wrong. */
  readonly jobs: readonly string[];
  /** In a folder that exists; the worker's log goes beside it. */
  readonly resultsFile: string;
  readonly faults: FaultScheduleName;
  /** Another gateway than the simulator: every merchant's base URL is replaced by it. */
  readonly gatewayUrl?: string;
  /** Merchant to secret; the sample's merchants where absent. */
  readonly secrets?: Readonly<Record<string, MerchantSecret>>;
  readonly onProgress: (progress: LocalProgress) => void;
  /** Serves the console, and says where before the first job is sent. Default: none. */
  readonly onConsole?: (url: string) => void;
}

/** How far the run is. */
export interface LocalProgress {
  readonly sent: number;
  readonly results: number;
  readonly waiting: number;
  /** Orders whose latest result says in doubt or held. */
  readonly inDoubt: number;
  /** Merchants with more money in doubt than they allow: nothing new is sent for them. */
  readonly stopped: readonly string[];
  readonly elapsedMs: number;
}

/** A run whose queue is drained; its servers and worker still run until `close`. */
export interface LocalRun {
  readonly accounts: Accounts;
  readonly elapsedMs: number;
  readonly logFile: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly gatewayUrl: string;
  readonly consoleUrl?: string;
  close(): Promise<void>;
}

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
    for (const [merchant, secret] of Object.entries(gateway.secrets)) aws.secrets.put(`payouts/${merchant}`, secret);
    aws.secrets.put('payouts/_worker', workerSecret());
    const jobs = await sealedJobs(options.secrets ? options.jobs : withSampleExpiry(options.jobs, startedMs), aws);

    const environment = workerEnvironment(aws, localWorkerLimits.environment);
    const logFile = join(dirname(options.resultsFile), 'worker.log');
    const worker = startWorkerProcess(environment, { logFile, args: ['--sweep-seconds', '5'] });
    closing.push(() => worker.stop());
    const stopWatch = createStopWatch(aws, gateway.secrets);
    closing.push(async () => stopWatch.close());
    const consoleUrl = options.onConsole && (await openConsole({ aws, gateway, logFile, closing }));
    if (consoleUrl !== undefined) options.onConsole?.(consoleUrl);
    const seen = await drain({ options: { ...options, jobs }, aws, worker, stopWatch, startedMs });
    const payments = gateway.simulator && countedPayments(gateway.simulator, gateway.secrets);
    return {
      accounts: closeAccounts({ ...seen, ...(payments && { payments }) }),
      elapsedMs: Date.now() - startedMs,
      logFile,
      environment,
      gatewayUrl: gateway.url,
      ...(consoleUrl !== undefined && { consoleUrl }),
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
  readonly setFaults?: (name: FaultScheduleName) => void;
}

interface ConsoleContext {
  readonly aws: EmbeddedAws;
  readonly gateway: LocalGateway;
  readonly logFile: string;
  readonly closing: (() => Promise<unknown>)[];
}

async function openConsole({ aws, gateway, logFile, closing }: ConsoleContext): Promise<string> {
  const { simulator, setFaults } = gateway;
  const merchants = Object.keys(gateway.secrets);
  const shown = simulator && setFaults && { requests: () => simulator.requests(), setFaults };
  const scene = openLocalScene({ aws, logFile, merchants, ...(shown && { gateway: shown }) });
  const console = await startLocalConsole(scene);
  closing.push(async () => {
    await console.close();
    scene.close();
  });
  return console.url;
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

interface Drained {
  readonly sent: readonly SentMessage[];
  readonly results: readonly Result[];
  readonly deadLetterMessageIds: readonly string[];
}

interface DrainContext {
  readonly options: LocalRunOptions;
  readonly aws: EmbeddedAws;
  readonly worker: WorkerProcess;
  readonly stopWatch: StopWatch;
  readonly startedMs: number;
}

async function drain({ options, aws, worker, stopWatch, startedMs }: DrainContext): Promise<Drained> {
  const sqs = newSqsClient(localCalls, clientConfigOf(aws, 'SQS'));
  const file = createWriteStream(options.resultsFile);
  try {
    const sent = await sendToJobsQueue(sqs, aws.queueUrls, options.jobs);
    const collected = collectResults(sqs, {
      jobsQueueUrl: aws.queueUrls.jobs,
      batchJobsQueueUrl: aws.queueUrls.batchJobs,
      checksQueueUrls: [aws.queueUrls.checks],
      resultsQueueUrl: aws.queueUrls.results,
      onMessage: (body) => file.writable && file.write(`${body}\n`),
      onProgress: (results, waiting) => {
        const doubt = { inDoubt: inDoubtOf(results), stopped: stopWatch.look() };
        const elapsedMs = Date.now() - startedMs;
        options.onProgress({ sent: sent.length, results: results.length, waiting, ...doubt, elapsedMs });
      },
    });
    const results = await Promise.race([collected, worker.crashed]);
    return { sent, results, deadLetterMessageIds: await takeDeadLetterIds(sqs, aws.queueUrls.jobsDeadLetter) };
  } finally {
    file.end();
    await finished(file);
    sqs.destroy();
  }
}
