// The queues that the worker writes to: dead letters, its own queues, results.
import {
  type MessageAttributeValue,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SQSClient,
  type SQSClientConfig,
} from '@aws-sdk/client-sqs';
import { type OwnQueue, writeOwnTask } from '../payout/inquire/own-queue.ts';
import { namesOfKey } from '../payout/order/order.ts';
import type { JobsQueue, NotTaken, Results } from '../payout/ports.ts';
import { withinSqs } from '../payout/message/json-text.ts';
import { type References, writeReference } from '../payout/wait/references.ts';
import { sqsBatchSize } from '../payout/limits.ts';
import { resultText } from '../payout/message/result.ts';
import { type AwsClientOptions, clientsOf } from './aws-calls.ts';

/** Makes a client of SQS. */
export const newSqsClient = clientsOf(SQSClient, 'sqs');

/**
 * The same without the SDK's retries: SQS may have taken a message without answering in time, and each retry would add a copy. The
 * caller decides what to repeat.
 */
export function newSqsClientSendingOnce(options: AwsClientOptions, where: SQSClientConfig = {}): SQSClient {
  return newSqsClient({ ...options, limits: { ...options.limits, awsAttempts: 1 } }, where);
}

/** The queue for messages that the worker cannot take. */
interface SqsJobsQueueOptions {
  readonly client: SQSClient;
  readonly deadLetterQueueUrl: string;
}

/** True if the ARN and the URL name the same queue; an empty URL names none. */
export const isSameQueue = (arn: string, queueUrl: string): boolean =>
  queueUrl !== '' && /[^/:]*$/.exec(arn)?.[0] === /[^/:]*$/.exec(queueUrl)?.[0];

/** Longest reason on a dead letter, in characters: it is for a person who looks at the queue. */
const reasonLimit = 1024;

/** The dead letters of both jobs queues over SQS. */
export function createSqsJobsQueue({ client, deadLetterQueueUrl }: SqsJobsQueueOptions): JobsQueue {
  return {
    sendDeadLetters: (letters) =>
      sendBatch(
        client,
        deadLetterQueueUrl,
        letters.map(({ body, reason, originMessageId, firstSentAtMs, place, redrives, groupId }) => ({
          MessageBody: body,
          MessageAttributes: textAttributes({
            reasonCode: reason.code,
            reason: reason.message.slice(0, reasonLimit).toWellFormed(),
            originalMessageId: originMessageId,
            firstSentAtMs: firstSentAtMs?.toString(),
            orderKey: place?.key,
            digest: place?.digest,
            redrives: redrives?.toString(),
          }),
          MessageGroupId: groupId,
        })),
      ),
  };
}

/** Sends messages; returns the places of those that were not taken. */
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

/** Bytes of one call. SQS refuses a longer call as a whole, and its limit is that of one message. */
const callLimitBytes = 1_000_000;

/** The messages in calls that SQS takes: at most ten, within the bytes of a call. */
export function callsWithin(entries: readonly SendMessageBatchRequestEntry[]): SendMessageBatchRequestEntry[][] {
  const calls: SendMessageBatchRequestEntry[][] = [];
  let bytes = Infinity;
  for (const entry of entries) {
    const entryBytes =
      Buffer.byteLength(JSON.stringify(entry.MessageAttributes ?? {})) + Buffer.byteLength(entry.MessageBody ?? '');
    bytes += entryBytes;
    if (bytes <= callLimitBytes && (calls.at(-1)?.length ?? 0) < sqsBatchSize) calls.at(-1)?.push(entry);
    else {
      calls.push([entry]);
      bytes = entryBytes;
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
 * The worker's own queue over SQS. Each message has its own delay and its merchant's group: if one merchant's slow gateway takes most
 * invocations, SQS serves the other merchants first (SQS developer guide, sqs-fair-queues-detailed).
 */
export const createSqsOwnQueue = ({ client, queueUrl }: QueueOptions): OwnQueue => ({
  send: (messages) =>
    sendBatch(
      client,
      queueUrl,
      messages.map(({ message, delaySeconds }) => ownEntry(writeOwnTask(message), message.key, delaySeconds)),
    ),
});

/** References to parked jobs over SQS. */
export const createSqsReferences = ({ client, queueUrl }: QueueOptions): References => ({
  send: (messages) =>
    sendBatch(
      client,
      queueUrl,
      messages.map(({ reference, delaySeconds }) => ownEntry(writeReference(reference), reference.key, delaySeconds)),
    ),
});

const ownEntry = (MessageBody: string, key: string, DelaySeconds: number) => ({
  MessageBody,
  DelaySeconds,
  MessageGroupId: namesOfKey(key).merchant,
});

// Results. Status, operation (or a batch result's kind), merchant and final are message attributes too, so that a consumer can filter
// without reading the body.

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

/** Sends results of any kind as text; returns the places of those that were not taken. */
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
  return { status, operation: kind === undefined ? operation : undefined, kind, merchant, final: String(final) };
}
