// Lambda's event source mapping for a standard queue, in this process: `payouts local` and `payouts worker` run the
// very handlers that run in Lambda, under the same rule of what is deleted. Not rebuilt: filters, the 6 MB event limit.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type Message,
  type MessageAttributeValue,
  type QueueAttributeName,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Context, SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda';

/** One queue and the function it feeds. The names are those of the event source mapping in AWS. */
export interface EventSourceOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** The function; what it answers is checked here, hence unknown. */
  readonly handler: (event: SQSEvent, context: Context) => Promise<unknown>;
  readonly functionName: string;
  /** An invocation that takes longer has failed, whatever its promise says later. */
  readonly functionTimeoutMs: number;
  /** Records per invocation; more than 10 need a batching window. Default 10. */
  readonly batchSize?: number;
  /** How long records are gathered after the first one has come. Default 0: what one receive brings. */
  readonly batchingWindowMs?: number;
  /** Invocations at once; nothing is received while all of them run. Default 2, the least Lambda accepts. */
  readonly maximumConcurrency?: number;
  /** Default 20, the longest SQS offers. */
  readonly longPollSeconds?: number;
  /** Pause between two questions whether the queue is empty. Default 1000. */
  readonly drainCheckMs?: number;
  /** `--once`: stop when drained. Default false. */
  readonly stopWhenDrained?: boolean;
  readonly nowMs: () => number;
  readonly newRequestId: () => string;
  readonly onBatch?: (report: BatchReport) => void;
  /** A receive, delete or drain check failed; the source backs off and goes on by itself. */
  readonly onPollingError?: (error: unknown) => void;
}

/** What the function made of its batch; every kind but `answered` leaves the whole batch on the queue. */
type Verdict =
  | { readonly kind: 'answered'; readonly failedIds: ReadonlySet<unknown> }
  | { readonly kind: 'malformed-response' }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'threw'; readonly error: unknown };

/** One finished invocation: records = deleted + failed (left to be redelivered) + undeleted (succeeded all the same). */
export interface BatchReport {
  readonly awsRequestId: string;
  readonly verdict: Verdict;
  readonly records: number;
  readonly deleted: number;
  readonly failed: number;
  readonly undeleted: number;
  readonly durationMs: number;
}

/** Totals since the start, in records except where the name says otherwise. */
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
  /** Resolves as `stop` does, whoever stopped it. */
  readonly stopped: Promise<void>;
  /** Waits until the queue reports, twice in a row, nothing visible, in flight or delayed, and no invocation runs. */
  untilDrained(): Promise<'drained' | 'stopped'>;
  counts(): EventSourceCounts;
}

type Source = {
  readonly options: EventSourceOptions;
  readonly stopping: AbortController;
  readonly running: Set<Promise<void>>;
  readonly counts: { -readonly [K in keyof EventSourceCounts]: number };
  queueArn: string;
};

const receiveLimit = 10;
const deleteAttempts = 5;
const missingAttributes = {
  SenderId: '',
  SentTimestamp: '',
  ApproximateReceiveCount: '',
  ApproximateFirstReceiveTimestamp: '',
};
const drainAttributes = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;
const backoffMsOf = (failures: number): number => Math.min(20_000, 100 * 2 ** failures);

/** Starts polling at once. */
export function startEventSource(options: EventSourceOptions): EventSource {
  if ((options.batchSize ?? 1) > receiveLimit && !options.batchingWindowMs) {
    throw new RangeError(`A batchSize above ${receiveLimit} needs a batchingWindowMs above 0`);
  }
  const counts = { received: 0, deleted: 0, failed: 0, undeleted: 0, invocations: 0, pollingErrors: 0 };
  const source: Source = {
    options,
    stopping: new AbortController(),
    running: new Set(),
    counts: { ...counts, invocationsRunning: 0 },
    queueArn: '',
  };
  const stopped = poll(source)
    .then(() => Promise.all(source.running))
    .then(() => {});
  if (options.stopWhenDrained) void untilDrained(source).then((end) => source.stopping.abort(end));
  return {
    stop: () => {
      source.stopping.abort('stopped');
      return stopped;
    },
    stopped,
    untilDrained: () => untilDrained(source),
    counts: () => ({ ...source.counts, invocationsRunning: source.running.size }),
  };
}

async function poll(source: Source): Promise<void> {
  const { running, stopping, options } = source;
  let failures = 0;
  while (!stopping.signal.aborted) {
    try {
      source.queueArn ||= (await readAttributes(source, ['QueueArn']))['QueueArn'] ?? '';
      const messages = await gather(source);
      failures = 0;
      if (messages.length > 0) launch(source, messages);
      while (running.size >= (options.maximumConcurrency ?? 2)) await Promise.race(running);
    } catch (error) {
      failures += 1;
      await backOff(source, error, failures);
    }
  }
}

/** One batch. What was received is always handed on, even when a later receive fails or the source is stopped. */
async function gather(source: Source): Promise<readonly Message[]> {
  const { batchSize = receiveLimit, batchingWindowMs = 0, longPollSeconds = 20, nowMs } = source.options;
  const { signal } = source.stopping;
  const messages = [...(await receive(source, batchSize, longPollSeconds))];
  const windowEndMs = nowMs() + batchingWindowMs;
  try {
    for (;;) {
      const leftMs = windowEndMs - nowMs();
      if (messages.length === 0 || messages.length >= batchSize || leftMs <= 0 || signal.aborted) return messages;
      const waitSeconds = Math.min(longPollSeconds, Math.floor(leftMs / 1000));
      const more = await receive(source, batchSize - messages.length, waitSeconds);
      messages.push(...more);
      // SQS waits in whole seconds only; the rest of the window is waited for here.
      if (more.length === 0 && waitSeconds === 0) await sleep(Math.min(leftMs, 100), undefined, { signal });
    }
  } catch (error) {
    countError(source, error);
    return messages;
  }
}

async function receive(source: Source, wanted: number, waitSeconds: number): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: source.options.queueUrl,
    MaxNumberOfMessages: Math.min(receiveLimit, wanted),
    WaitTimeSeconds: waitSeconds,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  const { Messages = [] } = await source.options.client.send(command, { abortSignal: source.stopping.signal });
  source.counts.received += Messages.length;
  return Messages;
}

function launch(source: Source, messages: readonly Message[]): void {
  const invocation = invoke(source, messages)
    .catch((error: unknown) => countError(source, error))
    .finally(() => source.running.delete(invocation));
  source.running.add(invocation);
}

async function invoke(source: Source, messages: readonly Message[]): Promise<void> {
  const { counts, options } = source;
  const records = messages.map((message) => recordOf(message, source.queueArn));
  const awsRequestId = options.newRequestId();
  const startedMs = options.nowMs();
  counts.invocations += 1;
  const verdict = await callFunction(source, records, awsRequestId, startedMs);
  const succeeded = records.filter(({ messageId }) => verdict.kind === 'answered' && !verdict.failedIds.has(messageId));
  const undeleted = await deleteAll(source, succeeded);
  const deleted = succeeded.length - undeleted;
  const failed = records.length - succeeded.length;
  counts.deleted += deleted;
  counts.failed += failed;
  counts.undeleted += undeleted;
  const durationMs = options.nowMs() - startedMs;
  options.onBatch?.({ awsRequestId, verdict, records: records.length, deleted, failed, undeleted, durationMs });
}

function recordOf(message: Message, queueArn: string): SQSRecord {
  const { MessageAttributes = {}, MD5OfMessageAttributes } = message;
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: { ...missingAttributes, ...message.Attributes },
    messageAttributes: Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, value]) => [name, messageAttributeOf(value)]),
    ),
    md5OfBody: message.MD5OfBody ?? '',
    ...(MD5OfMessageAttributes === undefined ? {} : { md5OfMessageAttributes: MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
}

function messageAttributeOf({
  StringValue,
  BinaryValue,
  DataType = 'String',
}: MessageAttributeValue): SQSMessageAttribute {
  return {
    ...(StringValue === undefined ? {} : { stringValue: StringValue }),
    ...(BinaryValue === undefined ? {} : { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType,
  };
}

async function callFunction(
  { options, queueArn }: Source,
  Records: SQSRecord[],
  awsRequestId: string,
  startedMs: number,
): Promise<Verdict> {
  const { functionName, functionTimeoutMs, handler, nowMs } = options;
  const [, , , region, account] = queueArn.split(':');
  const context: Context = {
    awsRequestId,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${region}:${account}:function:${functionName}`,
    memoryLimitInMB: '512',
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: awsRequestId,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => startedMs + functionTimeoutMs - nowMs(),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
  const ended = new AbortController();
  // A copy, as in Lambda: whatever the function does to its event, what is deleted is decided on the records received.
  const event = { Records: structuredClone(Records) };
  const answer = async (): Promise<Verdict> => verdictOn(await handler(event, context), Records);
  const threw = (error: unknown): Verdict => ({ kind: 'threw', error });
  const timeout = sleep<Verdict>(functionTimeoutMs, { kind: 'timed-out' }, { signal: ended.signal });
  return Promise.race([answer().catch(threw), timeout]).finally(() => ended.abort());
}

/** Lambda's reading of the answer. What it would not understand, or names no record of this batch, fails the batch. */
function verdictOn(response: unknown, records: readonly SQSRecord[]): Verdict {
  const malformed: Verdict = { kind: 'malformed-response' };
  if (response === null || response === undefined) return { kind: 'answered', failedIds: new Set() };
  if (typeof response !== 'object' || Array.isArray(response)) return malformed;
  // An object with other keys only is most likely a misspelt answer: redelivery is safe, deletion is not.
  if (!('batchItemFailures' in response) && Object.keys(response).length > 0) return malformed;
  const failures: unknown = ('batchItemFailures' in response ? response.batchItemFailures : undefined) ?? [];
  if (!Array.isArray(failures)) return malformed;
  const failedIds = new Set(failures.map((failure: { itemIdentifier?: unknown } | null) => failure?.itemIdentifier));
  const messageIds = new Set<unknown>(records.map(({ messageId }) => messageId));
  return failedIds.isSubsetOf(messageIds) ? { kind: 'answered', failedIds } : malformed;
}

/** Returns how many are still on the queue; those are delivered again, and the ledger makes that harmless. */
async function deleteAll(source: Source, records: readonly SQSRecord[]): Promise<number> {
  const chunks = Array.from({ length: Math.ceil(records.length / receiveLimit) }, (_, index) =>
    deleteChunk(source, records.slice(index * receiveLimit, (index + 1) * receiveLimit)),
  );
  return (await Promise.all(chunks)).reduce((sum, left) => sum + left, 0);
}

async function deleteChunk(source: Source, records: readonly SQSRecord[]): Promise<number> {
  const { client, queueUrl } = source.options;
  let left = records;
  for (let attempt = 1; left.length > 0 && attempt <= deleteAttempts; attempt += 1) {
    if (attempt > 1) await sleep(backoffMsOf(attempt - 1));
    const Entries = left.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
    try {
      const command = new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries });
      const { Failed = [] } = await client.send(command);
      const failedIds = new Set(Failed.map(({ Id }) => Id));
      left = left.filter((_, index) => failedIds.has(String(index)));
      if (Failed.length > 0) throw new Error(`DeleteMessageBatch refused ${Failed.length}: ${Failed[0]?.Code}`);
    } catch (error) {
      countError(source, error);
    }
  }
  return left.length;
}

async function untilDrained(source: Source): Promise<'drained' | 'stopped'> {
  const { running, stopping, options } = source;
  let failures = 0;
  // SQS's counts are approximate: one report of an empty queue may be early.
  for (let emptyReports = 0; emptyReports < 2;) {
    try {
      const attributes = await readAttributes(source, drainAttributes);
      const waiting = drainAttributes.reduce((sum, name) => sum + Number(attributes[name] ?? 0), 0);
      emptyReports = waiting === 0 && running.size === 0 ? emptyReports + 1 : 0;
      failures = 0;
      if (emptyReports < 2) await sleep(options.drainCheckMs ?? 1000, undefined, { signal: stopping.signal });
    } catch (error) {
      if (stopping.signal.aborted) return stopping.signal.reason === 'drained' ? 'drained' : 'stopped';
      failures += 1;
      await backOff(source, error, failures);
    }
  }
  return 'drained';
}

async function readAttributes(
  { options, stopping }: Source,
  names: readonly QueueAttributeName[],
): Promise<Partial<Record<string, string>>> {
  const command = new GetQueueAttributesCommand({ QueueUrl: options.queueUrl, AttributeNames: [...names] });
  const { Attributes = {} } = await options.client.send(command, { abortSignal: stopping.signal });
  return Attributes;
}

/** Growing pauses: 200 ms, 400 ms … 20 s. A stop ends the pause. */
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
    // Whoever looks on must not be able to stop the payouts.
  }
}
