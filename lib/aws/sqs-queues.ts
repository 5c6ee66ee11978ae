// The queues as the worker writes to them: jobs and their dead letters, checks, results. And all clients of SQS, with deadlines.
import {
  ChangeMessageVisibilityBatchCommand,
  type MessageAttributeValue,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageBatchRequestEntry,
  SQSClient,
  type SQSClientConfig,
} from '@aws-sdk/client-sqs';
import type { CallbacksQueue } from '../payout/inquire/handle-callback.ts';
import { type OwnQueue, writeOwnTask } from '../payout/inquire/own-queue.ts';
import { namesOfKey } from '../payout/order/order.ts';
import { sqsBatchSize } from '../payout/limits.ts';
import { type LinesQueue, writeLineTask } from '../payout/waiting/lines-queue.ts';
import type { JobsQueue, NotTaken, Results } from '../payout/ports.ts';
import { messageText, withinSqs } from '../payout/message/json-text.ts';
import { resultText } from '../payout/message/result.ts';
import { type AwsClientOptions, clientsOf } from './aws-calls.ts';

/** A client of SQS. */
export const newSqsClient = clientsOf(SQSClient);

/**
 * The same without second attempts of its own: SQS may have taken a message that it did not answer to in time, and three copies
 * on the queue are three messages. The sender repeats what is worth it.
 */
export function newSqsClientSendingOnce(options: AwsClientOptions, where: SQSClientConfig = {}): SQSClient {
  return newSqsClient({ ...options, limits: { ...options.limits, awsAttempts: 1 } }, where);
}

/** A jobs queue, and the dead-letter queue for messages that nobody can take. */
interface SqsJobsQueueOptions {
  readonly client: SQSClient;
  readonly jobsQueueUrl: string;
  readonly deadLetterQueueUrl: string;
}

/**
 * The queue of urgent jobs and that of rows of batches, with one dead-letter queue. Chooses by the ARN of a record's
 * queue: a waiting message goes back to where it came from, neither overtaking urgent jobs nor
 * falling behind a hundred thousand rows. An ARN of neither is the jobs queue's.
 */
export function createSqsJobsQueues(
  options: SqsJobsQueueOptions & { readonly batchJobsQueueUrl: string },
): (eventSourceArn: string) => JobsQueue {
  const jobs = createSqsJobsQueue(options);
  const rows = createSqsJobsQueue({ ...options, jobsQueueUrl: options.batchJobsQueueUrl });
  return (arn) => (isSameQueue(arn, options.batchJobsQueueUrl) ? rows : jobs);
}

/** True where the ARN of an event and the address of a setting name one queue; an empty address names none. */
export const isSameQueue = (arn: string, queueUrl: string): boolean =>
  queueUrl !== '' && /[^/:]*$/.exec(arn)?.[0] === /[^/:]*$/.exec(queueUrl)?.[0];

/** Longest attribute text on a dead letter: the whole reason is in the result, this is for a person who looks at the queue. */
const reasonLimit = 1024;

/** The jobs queue over SQS. */
export function createSqsJobsQueue({ client, jobsQueueUrl, deadLetterQueueUrl }: SqsJobsQueueOptions): JobsQueue {
  return {
    sendDeadLetters: (letters) =>
      sendBatch(
        client,
        deadLetterQueueUrl,
        letters.map(({ body, reason, originMessageId, redrives, groupId }) => ({
          MessageBody: body,
          MessageAttributes: textAttributes({
            reasonCode: reason.code,
            reason: reason.message.slice(0, reasonLimit).toWellFormed(),
            originalMessageId: originMessageId,
            redrives: redrives?.toString(),
          }),
          ...(groupId !== undefined && { MessageGroupId: groupId }),
        })),
      ),
    async postpone(entries) {
      const changes = entries.map(({ receiptHandle, delaySeconds }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: delaySeconds,
      }));
      const calls = Array.from({ length: Math.ceil(changes.length / sqsBatchSize) }, (_, call) =>
        changes.slice(call * sqsBatchSize, (call + 1) * sqsBatchSize),
      );
      // At once: one call that fails must not keep the others from being made.
      await Promise.all(
        calls.map((Entries) =>
          client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: jobsQueueUrl, Entries })),
        ),
      );
    },
  };
}

/** Sends a batch of messages; answers with the places of those that were not taken. */
async function sendBatch(
  client: SQSClient,
  QueueUrl: string,
  entries: readonly Omit<SendMessageBatchRequestEntry, 'Id'>[],
): Promise<NotTaken> {
  const notTaken = new Set<number>();
  const numbered = entries.map((entry, index) => ({
    Id: String(index),
    ...entry,
    MessageBody: withinSqs(entry.MessageBody ?? ''),
  }));
  for (const Entries of callsWithin(numbered)) {
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    for (const { Id } of Failed) notTaken.add(Number(Id));
  }
  return notTaken;
}

/** A call holds as many bytes as one message, and is refused whole above them: a bad message may be that long by itself. */
const callLimitBytes = 1_000_000;

/** The messages in calls that SQS takes. */
export function callsWithin(entries: readonly SendMessageBatchRequestEntry[]): SendMessageBatchRequestEntry[][] {
  const calls: SendMessageBatchRequestEntry[][] = [];
  let bytes = Infinity;
  for (const entry of entries) {
    const own =
      Buffer.byteLength(JSON.stringify(entry.MessageAttributes ?? {})) + Buffer.byteLength(entry.MessageBody ?? '');
    bytes += own;
    if (bytes <= callLimitBytes) calls.at(-1)?.push(entry);
    else {
      calls.push([entry]);
      bytes = own;
    }
  }
  return calls;
}

function textAttributes(values: Record<string, string | undefined>): Record<string, MessageAttributeValue> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value = '']) => [name, { DataType: 'String', StringValue: withinSqs(value) }]),
  );
}

interface QueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
}

/**
 * A queue of the worker's own messages, each delayed by its own time, in the group of its merchant: where the slow gateway of one takes
 * most of the invocations, SQS gives those that become free to the others first (SQS developer guide, sqs-fair-queues-detailed).
 */
const createDelayingQueue =
  <Task>(write: (task: Task) => string, merchantOf: (task: Task) => string | undefined) =>
  ({ client, queueUrl }: QueueOptions) => ({
    send: (messages: readonly { readonly message: Task; readonly delaySeconds: number }[]) =>
      sendBatch(
        client,
        queueUrl,
        messages.map(({ message, delaySeconds }) => ({
          MessageBody: write(message),
          DelaySeconds: delaySeconds,
          MessageGroupId: merchantOf(message),
        })),
      ),
  });

/** The worker's own queue over SQS. */
export const createSqsOwnQueue: (options: QueueOptions) => OwnQueue = createDelayingQueue(
  writeOwnTask,
  ({ key }) => namesOfKey(key).merchant,
);

/** The queue of lines over SQS. */
export const createSqsLinesQueue: (options: QueueOptions) => LinesQueue = createDelayingQueue(writeLineTask, (task) =>
  task.kind === 'line' ? task.lane.merchant : task.rows[0] && namesOfKey(task.rows[0].key).merchant,
);

/**
 * The queue of callbacks over SQS, each in the group of its merchant: a callback that finds no room comes back for days, and of a merchant
 * with more than a tenth of what is in flight, and thirty of it, SQS gives messages only where no other merchant's wait
 * (SQS developer guide, sqs-fair-queues-detailed). Groups give neither order nor lock here.
 */
export function createSqsCallbacksQueue({ client, queueUrl }: { client: SQSClient; queueUrl: string }): CallbacksQueue {
  return {
    async send(kept) {
      if (queueUrl === '') throw new Error('there is no queue of callbacks');
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: messageText({ version: 1, ...kept }),
          MessageGroupId: namesOfKey(kept.key).merchant,
        }),
      );
    },
  };
}

// Results onto the results queue, up to ten a call; status, operation (of a batch result: kind), merchant and final also as
// message attributes, so that a consumer can filter without reading the body.

/** The queue of results, and its client. */
export interface SqsResultsOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
}

/** The fields of every result that consumers filter by. */
interface Filterable {
  readonly status: string;
  readonly merchant?: string;
  readonly final: boolean;
  readonly operation?: string;
  readonly kind?: string;
}

/** Results over one queue. */
export function createSqsResults(options: SqsResultsOptions): Results {
  return { send: (results) => sendResults(results, resultText, options) };
}

/** Sends results of any kind, at most ten, as their text; rejects only when none was taken. */
export async function sendResults<T extends Filterable>(
  results: readonly T[],
  textOf: (result: T) => string,
  { client, queueUrl }: SqsResultsOptions,
): Promise<NotTaken> {
  const entries = results.map((result) => ({
    MessageBody: textOf(result),
    MessageAttributes: textAttributes(filtersOf(result)),
  }));
  return sendBatch(client, queueUrl, entries);
}

function filtersOf({ status, kind, operation, merchant, final }: Filterable): Record<string, string | undefined> {
  return { status, ...(kind === undefined ? { operation } : { kind }), merchant, final: String(final) };
}
