// Lambda's event source mapping for a standard queue, in this process: `payouts local` and `payouts worker` run the functions' handlers
// with it. A record is deleted only if the handler answered in time and did not name it as failed.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSMessageAttribute, SQSRecord } from 'aws-lambda';
import { sqsBatchSize } from '../payout/limits.ts';
import type { QueueHandler } from './lambda-handler.ts';
import { systemClock, systemRandom } from './system.ts';

/** One queue and its function; named as in AWS's event source mapping. */
export interface EventSourceOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly handler: QueueHandler;
  /** An invocation that takes longer has failed, even if it answers later. */
  readonly functionTimeoutMs: number;
  /** Invocations at once; nothing is received while all of them run. Default 2, the least Lambda accepts. */
  readonly maximumConcurrency?: number;
  /** Pause between two checks whether the queue is empty. Default 1000. */
  readonly drainCheckMs?: number;
  readonly onBatch?: (report: BatchReport) => void;
  /** A receive, a deletion or a drain check failed; it is tried again after a pause. */
  readonly onPollingError?: (error: unknown) => void;
}

/** The outcome of an invocation; only `answered` deletes records. */
type Verdict =
  | { readonly kind: 'answered'; readonly failedIds: ReadonlySet<string> }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'threw'; readonly error: unknown };

/** One finished invocation; records that are not deleted are delivered again. */
export interface BatchReport {
  readonly verdict: Verdict;
  readonly records: number;
  readonly deleted: number;
}

/** Totals since the start, in records unless the name says otherwise. */
interface EventSourceCounts {
  readonly received: number;
  readonly deleted: number;
  readonly invocationsRunning: number;
}

/** A running event source. */
export interface EventSource {
  /**
   * Stops receiving, waits for the running invocations and deletes what they finished. The open long poll is cut: a message that SQS was
   * handing out comes again after its visibility time-out.
   */
  stop(): Promise<void>;
  /** Resolves when the source has stopped. */
  readonly stopped: Promise<void>;
  /** Waits until the queue reports, twice in a row, nothing visible, in flight or delayed, and no invocation runs. */
  untilDrained(): Promise<'drained' | 'stopped'>;
  counts(): EventSourceCounts;
}

const longPollSeconds = 20;
const deleteAttempts = 5;

/** Growing pauses: 200 ms, 400 ms … 20 s. */
const backoffMsOf = (failures: number): number => Math.min(20_000, 100 * 2 ** failures);

/** Starts polling at once. */
export function startEventSource(options: EventSourceOptions): EventSource {
  const { client, queueUrl: QueueUrl, maximumConcurrency = 2, onBatch, onPollingError } = options;
  const stopping = new AbortController();
  const { signal: abortSignal } = stopping;
  const running = new Set<Promise<void>>();
  let [received, deleted] = [0, 0];

  function report(error: unknown): void {
    // The long poll that a stop cuts is no failure.
    if (!(abortSignal.aborted && error instanceof Error && error.name === 'AbortError')) onPollingError?.(error);
  }

  async function poll(): Promise<void> {
    let [queueArn, failures] = ['', 0];
    while (!abortSignal.aborted) {
      try {
        queueArn ||= await queueArnOf(client, QueueUrl, abortSignal);
        const command = new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: sqsBatchSize,
          WaitTimeSeconds: longPollSeconds,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        });
        const { Messages = [] } = await client.send(command, { abortSignal });
        failures = 0;
        received += Messages.length;
        if (Messages.length > 0) launch(Messages.map((message) => lambdaRecordOf(message, queueArn)));
        while (running.size >= maximumConcurrency) await Promise.race(running);
      } catch (error) {
        report(error);
        failures += 1;
        await sleep(backoffMsOf(failures), undefined, { signal: abortSignal }).catch(() => {});
      }
    }
  }

  function launch(records: SQSRecord[]): void {
    const invocation = invoke(records)
      .catch(report)
      .finally(() => running.delete(invocation));
    running.add(invocation);
  }

  async function invoke(records: SQSRecord[]): Promise<void> {
    const verdict = await verdictOf(options, records);
    const succeeded = records.filter(
      ({ messageId }) => verdict.kind === 'answered' && !verdict.failedIds.has(messageId),
    );
    const gone = succeeded.length - (await undeletedOf(succeeded, options, report));
    deleted += gone;
    onBatch?.({ verdict, records: records.length, deleted: gone });
  }

  const stopped = poll()
    .then(() => Promise.all(running))
    .then(() => {});
  return {
    stop: () => {
      stopping.abort();
      return stopped;
    },
    stopped,
    untilDrained: () => untilDrained(options, running, abortSignal),
    counts: () => ({ received, deleted, invocationsRunning: running.size }),
  };
}

/** Deletes the records, also after a stop. Returns how many are left: they are delivered again, which the ledger makes harmless. */
async function undeletedOf(
  records: readonly SQSRecord[],
  { client, queueUrl: QueueUrl }: EventSourceOptions,
  report: (error: unknown) => void,
): Promise<number> {
  let left = records;
  for (let attempt = 1; left.length > 0 && attempt <= deleteAttempts; attempt += 1) {
    if (attempt > 1) await sleep(backoffMsOf(attempt - 1));
    const Entries = left.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
    try {
      const { Failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      const failedIds = new Set(Failed.map(({ Id }) => Id));
      left = left.filter((_, index) => failedIds.has(String(index)));
      if (Failed.length > 0) throw new Error(`DeleteMessageBatch refused ${Failed.length}: ${Failed[0]?.Code}`);
    } catch (error) {
      report(error);
    }
  }
  return left.length;
}

async function untilDrained(
  { client, queueUrl, drainCheckMs = 1000, onPollingError }: EventSourceOptions,
  running: ReadonlySet<unknown>,
  signal: AbortSignal,
): Promise<'drained' | 'stopped'> {
  // SQS's counts are approximate: one report of an empty queue may be early.
  for (let emptyReports = 0; emptyReports < 2;) {
    const waiting = await queueDepth(client, queueUrl).catch((error: unknown) => {
      onPollingError?.(error);
      return Infinity;
    });
    emptyReports = waiting === 0 && running.size === 0 ? emptyReports + 1 : 0;
    if (emptyReports < 2) await sleep(drainCheckMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return 'stopped';
  }
  return 'drained';
}

/** Calls the function with the records. Never rejects. */
async function verdictOf({ handler, functionTimeoutMs }: EventSourceOptions, Records: SQSRecord[]): Promise<Verdict> {
  const endsAtMs = systemClock.nowMs() + functionTimeoutMs;
  const ended = new AbortController();
  const answer = async (): Promise<Verdict> => {
    const { batchItemFailures } = await handler(
      { Records: [...Records] },
      { awsRequestId: systemRandom.id(), getRemainingTimeInMillis: () => endsAtMs - systemClock.nowMs() },
    );
    return { kind: 'answered', failedIds: new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)) };
  };
  const timeout = sleep<Verdict>(functionTimeoutMs, { kind: 'timed-out' }, { signal: ended.signal });
  return Promise.race([answer().catch((error: unknown): Verdict => ({ kind: 'threw', error })), timeout]).finally(() =>
    ended.abort(),
  );
}

const missingAttributes = {
  SenderId: '',
  SentTimestamp: '',
  ApproximateReceiveCount: '',
  ApproximateFirstReceiveTimestamp: '',
};

/** A message as Lambda hands it to a function. */
export function lambdaRecordOf(message: Message, queueArn: string): SQSRecord {
  const attributes = Object.entries(message.MessageAttributes ?? {});
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: { ...missingAttributes, ...message.Attributes },
    messageAttributes: Object.fromEntries(attributes.map(([name, value]) => [name, messageAttributeOf(value)])),
    md5OfBody: message.MD5OfBody ?? '',
    md5OfMessageAttributes: message.MD5OfMessageAttributes,
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
}

const messageAttributeOf = (value: MessageAttributeValue): SQSMessageAttribute => ({
  stringValue: value.StringValue,
  binaryValue: value.BinaryValue && Buffer.from(value.BinaryValue).toString('base64'),
  stringListValues: [],
  binaryListValues: [],
  dataType: value.DataType ?? 'String',
});

const depths = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** Messages on the queue: visible, in flight or delayed. SQS's counts are approximate. */
export async function queueDepth(client: SQSClient, QueueUrl: string): Promise<number> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...depths] });
  const { Attributes = {} } = await client.send(command);
  return depths.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}

async function queueArnOf(client: SQSClient, QueueUrl: string, abortSignal: AbortSignal): Promise<string> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  return (await client.send(command, { abortSignal })).Attributes?.['QueueArn'] ?? '';
}
