// The jobs queue and its dead-letter queue as the worker writes to them.
import {
  ChangeMessageVisibilityBatchCommand,
  type MessageAttributeValue,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { JobsQueue, NotTaken } from '../payout/ports.ts';
import { sqsBatchSize } from '../payout/limits.ts';

/** The two queues. */
export interface SqsJobsQueueOptions {
  readonly client: SQSClient;
  readonly jobsQueueUrl: string;
  readonly deadLetterQueueUrl: string;
}

/** Longest attribute text on a dead letter: the whole reason is in the result, this is for whoever looks at the queue. */
const reasonLimit = 1024;

/** The jobs queue over SQS. */
export function createSqsJobsQueue({ client, jobsQueueUrl, deadLetterQueueUrl }: SqsJobsQueueOptions): JobsQueue {
  async function send(queueUrl: string, entries: Omit<SendMessageBatchRequestEntry, 'Id'>[]): Promise<NotTaken> {
    const Entries = entries.map((entry, index) => ({ Id: String(index), ...entry }));
    const { Failed } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    return new Set((Failed ?? []).map(({ Id }) => Number(Id)));
  }

  return {
    sendCopies: (copies) =>
      send(
        jobsQueueUrl,
        copies.map(({ body, delaySeconds, attributes, groupId }) => ({
          MessageBody: body,
          DelaySeconds: delaySeconds,
          MessageAttributes: textAttributes({
            originMessageId: attributes.originMessageId,
            sentAtMs: attributes.sentAtMs?.toString(),
            waits: String(attributes.waits),
            answer: attributes.answer,
            redrives: attributes.redrives?.toString(),
          }),
          ...(groupId !== undefined && { MessageGroupId: groupId }),
        })),
      ),
    sendDeadLetters: (letters) =>
      send(
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
      // All at once: one call that fails must not keep the others from being made.
      await Promise.all(
        calls.map((Entries) =>
          client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: jobsQueueUrl, Entries })),
        ),
      );
    },
  };
}

function textAttributes(values: Record<string, string | undefined>): Record<string, MessageAttributeValue> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => [name, { DataType: 'String', StringValue: value }]),
  );
}
