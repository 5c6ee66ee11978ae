// `payouts worker`: the handlers that ship to Lambda as one long-polling process, for containers and emulators.
import { setTimeout as sleep } from 'node:timers/promises';
import { handler as inquire } from '../../../functions/inquire.ts';
import { handler as submit } from '../../../functions/submit.ts';
import { handler as sweep } from '../../../functions/sweep.ts';
import { newDynamoDbClient } from '../../aws/dynamodb-table.ts';
import { ConfigurationError, readWorkerConfig, type WorkerConfig } from '../../aws/env-config.ts';
import { type QueueHandler, writeLine } from '../../aws/lambda-handler.ts';
import { type EventSource, startEventSource } from '../../aws/sqs-event-source.ts';
import { systemClock } from '../../aws/system.ts';
import { tellMoney } from '../live-money.ts';
import { createToolPorts } from '../tool-ports.ts';
import { missingOf, missingText, resourceClients, resourcesOf } from '../setup/resources.ts';
import { rowsWaiting } from '../../local/queue-reader.ts';
import { longPolling } from '../../payout/limits.ts';
import type { Log } from '../../payout/ports.ts';
import { createJsonLogger } from '../../aws/cloudwatch-lines.ts';
import { newSqsClient } from '../../aws/sqs-queues.ts';

/** How the worker polls. */
export interface WorkerOptions {
  /** Stop when the queues of jobs are empty, or after so many seconds without a message. */
  readonly once?: number | true;
  /** Invocations at once. */
  readonly maxConcurrency: number;
  /** Seconds between two sweeps for orders that have stopped. */
  readonly sweepSeconds: number;
}

/** Runs until SIGTERM or SIGINT, or, with `once`, until no job is left or none has come for a while; returns the exit code. */
export async function runWorker(options: WorkerOptions): Promise<number> {
  const config = configOrFault();
  if (typeof config === 'string') {
    process.stderr.write(`payouts worker: ${config}\n`);
    return 2;
  }
  const missing = await missingOf(resourcesOf(config), resourceClients(config));
  if (missing.length > 0) {
    for (const it of missing) process.stderr.write(`payouts worker: ${missingText(it)}\n`);
    return 1;
  }
  await tellMoney('every merchant', createToolPorts(config).credentials);
  const log = createJsonLogger({ write: writeLine, nowMs: systemClock.nowMs });
  const start = (queueUrl: string, handler: QueueHandler) => startSource({ queueUrl, handler, options, config, log });
  // One function over both queues, each with invocations of its own: a payday takes none from an urgent job.
  const [submitting, inquiring] = await Promise.all([submit, inquire]);
  const queueUrls = [...new Set([config.jobsQueueUrl, config.batchJobsQueueUrl])];
  const jobs = queueUrls.map((queueUrl) => start(queueUrl, submitting));
  // And over references to what waits.
  const sources = [...jobs, start(config.referencesQueueUrl, submitting)];
  const inquirer = start(config.checksQueueUrl, inquiring);
  // A person who said `--once` waits for the leader too: what it releases is soon released.
  const sweepSeconds = options.once ? Math.min(options.sweepSeconds, 5) : options.sweepSeconds;
  const sweeper = setInterval(() => void sweepOnce(config, log), sweepSeconds * 1000);
  log.write('info', 'worker-started', {});
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stopAll(sources));
  if (options.once)
    void Promise.race([
      untilNothingIsLeft(jobs, config),
      untilQuiet(sources, options.once === true ? quietSeconds : options.once),
    ]).then(() => stopAll(sources));
  await Promise.all(sources.map((source) => source.stopped));
  clearInterval(sweeper);
  await inquirer.stop();
  const sum = (of: 'received' | 'deleted') => jobs.reduce((total, source) => total + source.counts()[of], 0);
  log.write('info', 'worker-stopped', { records: sum('received'), failedRecords: sum('received') - sum('deleted') });
  // A leader that is left has no worker any more to take what it releases.
  process.exit(0);
}

const quietSeconds = 30;

/** Until no message has come for a while: jobs may wait for days. */
async function untilQuiet(sources: readonly EventSource[], seconds: number): Promise<void> {
  let [received, quiet] = [0, 0];
  while (quiet < seconds) {
    await sleep(1000);
    const counts = sources.map((source) => source.counts());
    const now = counts.reduce((sum, it) => sum + it.received, 0);
    const isQuiet = now === received && counts.every(({ invocationsRunning }) => invocationsRunning === 0);
    quiet = isQuiet ? quiet + 1 : 0;
    received = now;
  }
}

/** Until no job is on its queue, and then none in the table: a row is there before its message goes. */
async function untilNothingIsLeft(jobs: readonly EventSource[], config: WorkerConfig): Promise<void> {
  const client = newDynamoDbClient({ limits: config.limits });
  for (;;) {
    const ends = await Promise.all(jobs.map((source) => source.untilDrained()));
    if (ends.includes('stopped')) return;
    if ((await rowsWaiting(client, config.waitingTableName).catch(() => 1)) === 0) return;
    await sleep(1000);
  }
}

const stopAll = (sources: readonly EventSource[]) => Promise.all(sources.map((source) => source.stop()));

interface SourceOptions {
  readonly queueUrl: string;
  readonly handler: QueueHandler;
  readonly options: WorkerOptions;
  readonly config: WorkerConfig;
  readonly log: Log;
}

function startSource({ queueUrl, handler, options, config, log }: SourceOptions): EventSource {
  return startEventSource({
    client: newSqsClient({ limits: longPolling(config.limits) }),
    queueUrl,
    handler,
    functionTimeoutMs: config.limits.functionTimeoutMs,
    maximumConcurrency: options.maxConcurrency,
    onPollingError: (error) =>
      log.write('warn', 'polling-failed', { errorName: error instanceof Error ? error.name : typeof error }),
    onBatch: ({ verdict: { kind }, records }) => {
      if (kind !== 'answered') log.write('error', `invocation-${kind}`, { records, failedRecords: records });
    },
  });
}

/** The schedule that Lambda has for its sweeper. A sweep that fails is followed by another. */
async function sweepOnce({ limits }: WorkerConfig, log: Log): Promise<void> {
  const endsAtMs = systemClock.nowMs() + limits.functionTimeoutMs;
  try {
    await sweep({}, { getRemainingTimeInMillis: () => endsAtMs - systemClock.nowMs() });
  } catch (error) {
    log.write('error', 'sweep-failed', { errorName: error instanceof Error ? error.name : typeof error });
  }
}

function configOrFault(): WorkerConfig | string {
  try {
    return readWorkerConfig();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}
