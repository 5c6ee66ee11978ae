// The SQS calls of the event source: receiving a batch, deleting what succeeded, asking how much is left.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  type QueueAttributeName,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';

/** One queue; when the signal aborts, open questions to it are cut. Deletions are not: they are finished. */
export interface PolledQueue {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly signal: AbortSignal;
  readonly onReceived: (messages: number) => void;
  /** Receives the failure of a call without which the poller went on. */
  readonly onError: (error: unknown) => void;
}

/** SQS hands out and deletes at most ten messages a call. */
export const receiveLimit = 10;

const deleteAttempts = 5;
const waitingCounts = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** Growing pauses: 200 ms, 400 ms … 20 s. */
export const backoffMsOf = (failures: number): number => Math.min(20_000, 100 * 2 ** failures);

/** One batch: the messages of one receive. */
export async function receive(
  queue: PolledQueue,
  { batchSize, longPollSeconds }: { readonly batchSize: number; readonly longPollSeconds: number },
): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queue.queueUrl,
    MaxNumberOfMessages: batchSize,
    WaitTimeSeconds: longPollSeconds,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  const { Messages = [] } = await queue.client.send(command, { abortSignal: queue.signal });
  queue.onReceived(Messages.length);
  return Messages;
}

/** Returns how many are still on the queue; those are delivered again, and the ledger makes that harmless. */
export async function deleteAll(queue: PolledQueue, records: readonly SQSRecord[]): Promise<number> {
  const chunks = Array.from({ length: Math.ceil(records.length / receiveLimit) }, (_, index) =>
    deleteChunk(queue, records.slice(index * receiveLimit, (index + 1) * receiveLimit)),
  );
  return (await Promise.all(chunks)).reduce((sum, left) => sum + left, 0);
}

async function deleteChunk(queue: PolledQueue, records: readonly SQSRecord[]): Promise<number> {
  let left = records;
  for (let attempt = 1; left.length > 0 && attempt <= deleteAttempts; attempt += 1) {
    if (attempt > 1) await sleep(backoffMsOf(attempt - 1));
    const Entries = left.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
    try {
      const command = new DeleteMessageBatchCommand({ QueueUrl: queue.queueUrl, Entries });
      const { Failed = [] } = await queue.client.send(command);
      const failedIds = new Set(Failed.map(({ Id }) => Id));
      left = left.filter((_, index) => failedIds.has(String(index)));
      if (Failed.length > 0) throw new Error(`DeleteMessageBatch refused ${Failed.length}: ${Failed[0]?.Code}`);
    } catch (error) {
      queue.onError(error);
    }
  }
  return left.length;
}

/** Messages visible, in flight or delayed; approximate, as SQS counts. */
export async function countWaiting(queue: PolledQueue): Promise<number> {
  const attributes = await readAttributes(queue, waitingCounts);
  return waitingCounts.reduce((sum, name) => sum + Number(attributes[name] ?? 0), 0);
}

/** The queue's ARN. */
export async function readQueueArn(queue: PolledQueue): Promise<string> {
  return (await readAttributes(queue, ['QueueArn']))['QueueArn'] ?? '';
}

async function readAttributes(
  { client, queueUrl, signal }: PolledQueue,
  names: readonly QueueAttributeName[],
): Promise<Partial<Record<string, string>>> {
  const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...names] });
  const { Attributes = {} } = await client.send(command, { abortSignal: signal });
  return Attributes;
}
