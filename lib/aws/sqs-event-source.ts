// Lambda's event source mapping for a standard queue, in this process: `payouts local` and `payouts worker` run the
// very handlers that run in Lambda, under the same rule of what is deleted. Not rebuilt: filters, batching windows, the 6 MB event limit.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import { callFunction, type Invocation, lambdaRecordOf, type InvocationVerdict } from './lambda-invocation.ts';
import {
  backoffMsOf,
  countWaiting,
  deleteAll,
  type PolledQueue,
  readQueueArn,
  receiveLimit,
  receive,
} from './sqs-queue-poller.ts';

/** One queue and the function it feeds. The names are those of the event source mapping in AWS. */
export interface EventSourceOptions extends Pick<
  Invocation,
  'handler' | 'functionName' | 'functionTimeoutMs' | 'nowMs'
> {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Records per invocation: those of one receive. Default 10, the most of SQS. */
  readonly batchSize?: number;
  /** Invocations at once; nothing is received while all of them run. Default 2, the least Lambda accepts. */
  readonly maximumConcurrency?: number;
  /** Default 20, the longest SQS offers. */
  readonly longPollSeconds?: number;
  /** Pause between two questions whether the queue is empty. Default 1000. */
  readonly drainCheckMs?: number;
  readonly newRequestId: () => string;
  readonly onBatch?: (report: BatchReport) => void;
  /** A receive, delete or drain check failed; the source backs off and goes on by itself. */
  readonly onPollingError?: (error: unknown) => void;
}

/** One finished invocation: records = deleted + failed (left to be redelivered) + undeleted (succeeded all the same). */
export interface BatchReport {
  readonly awsRequestId: string;
  readonly verdict: InvocationVerdict;
  readonly records: number;
  readonly deleted: number;
  readonly failed: number;
  readonly undeleted: number;
  readonly durationMs: number;
}

/** Totals since the start, in records unless the name says otherwise. */
interface EventSourceCounts {
  readonly received: number;
  readonly deleted: number;
  readonly failed: number;
  readonly undeleted: number;
  readonly invocations: number;
  readonly invocationsRunning: number;
  readonly pollingErrors: number;
}

/** A running event source. */
export interface EventSource {
  /**
   * Receives nothing more, waits for the running invocations and deletes their successes. The open long poll is cut:
   * a message SQS was handing out at that very moment comes again after its visibility time-out, one receive older.
   */
  stop(): Promise<void>;
  /** Resolves as `stop` does, whatever stopped it. */
  readonly stopped: Promise<void>;
  /** Waits until the queue reports, twice in a row, nothing visible, in flight or delayed, and no invocation runs. */
  untilDrained(): Promise<'drained' | 'stopped'>;
  counts(): EventSourceCounts;
}

type Source = {
  readonly options: EventSourceOptions;
  readonly queue: PolledQueue;
  readonly stopping: AbortController;
  readonly running: Set<Promise<void>>;
  readonly counts: { -readonly [K in keyof EventSourceCounts]: number };
  queueArn: string;
};

/** Starts polling at once. */
export function startEventSource(options: EventSourceOptions): EventSource {
  const counts = { received: 0, deleted: 0, failed: 0, undeleted: 0, invocations: 0, pollingErrors: 0 };
  const { client, queueUrl } = options;
  const stopping = new AbortController();
  const source: Source = {
    options,
    queue: {
      client,
      queueUrl,
      signal: stopping.signal,
      onReceived: (messages) => void (source.counts.received += messages),
      onError: (error) => countError(source, error),
    },
    stopping,
    running: new Set(),
    counts: { ...counts, invocationsRunning: 0 },
    queueArn: '',
  };
  const stopped = poll(source)
    .then(() => Promise.all(source.running))
    .then(() => {});
  return {
    stop: () => {
      stopping.abort('stopped');
      return stopped;
    },
    stopped,
    untilDrained: () => untilDrained(source),
    counts: () => ({ ...source.counts, invocationsRunning: source.running.size }),
  };
}

async function poll(source: Source): Promise<void> {
  const { running, stopping, options } = source;
  const { batchSize = receiveLimit, longPollSeconds = 20 } = options;
  let failures = 0;
  while (!stopping.signal.aborted) {
    try {
      source.queueArn ||= await readQueueArn(source.queue);
      const messages = await receive(source.queue, { batchSize, longPollSeconds });
      failures = 0;
      if (messages.length > 0) launch(source, messages);
      while (running.size >= (options.maximumConcurrency ?? 2)) await Promise.race(running);
    } catch (error) {
      failures += 1;
      await backOff(source, error, failures);
    }
  }
}

function launch(source: Source, messages: readonly Message[]): void {
  const invocation = invoke(source, messages)
    .catch((error: unknown) => countError(source, error))
    .finally(() => source.running.delete(invocation));
  source.running.add(invocation);
}

async function invoke(source: Source, messages: readonly Message[]): Promise<void> {
  const { counts, options, queue, queueArn } = source;
  const records = messages.map((message) => lambdaRecordOf(message, queueArn));
  const awsRequestId = options.newRequestId();
  const startedMs = options.nowMs();
  counts.invocations += 1;
  const verdict = await callFunction({ ...options, queueArn, awsRequestId, startedMs }, records);
  const succeeded = records.filter(({ messageId }) => verdict.kind === 'answered' && !verdict.failedIds.has(messageId));
  const undeleted = await deleteAll(queue, succeeded);
  const deleted = succeeded.length - undeleted;
  const failed = records.length - succeeded.length;
  counts.deleted += deleted;
  counts.failed += failed;
  counts.undeleted += undeleted;
  const durationMs = options.nowMs() - startedMs;
  options.onBatch?.({ awsRequestId, verdict, records: records.length, deleted, failed, undeleted, durationMs });
}

async function untilDrained(source: Source): Promise<'drained' | 'stopped'> {
  const { running, stopping, options } = source;
  let failures = 0;
  // SQS's counts are approximate: one report of an empty queue may be early.
  for (let emptyReports = 0; emptyReports < 2;) {
    try {
      const waiting = await countWaiting(source.queue);
      emptyReports = waiting === 0 && running.size === 0 ? emptyReports + 1 : 0;
      failures = 0;
      if (emptyReports < 2) await sleep(options.drainCheckMs ?? 1000, undefined, { signal: stopping.signal });
    } catch (error) {
      if (stopping.signal.aborted) return 'stopped';
      failures += 1;
      await backOff(source, error, failures);
    }
  }
  return 'drained';
}

/** A stop ends the pause. */
async function backOff(source: Source, error: unknown, failures: number): Promise<void> {
  countError(source, error);
  await sleep(backoffMsOf(failures), undefined, { signal: source.stopping.signal }).catch(() => {});
}

function countError({ options, stopping, counts }: Source, error: unknown): void {
  // A stop cuts the open long poll; that is no failure.
  if (stopping.signal.aborted && error instanceof Error && error.name === 'AbortError') return;
  counts.pollingErrors += 1;
  try {
    options.onPollingError?.(error);
  } catch {
    // An observer must not be able to stop the payouts.
  }
}
