// The dead-letter queue over SQS, for its operator. Not StartMessageMoveTask: it moves all or nothing, without
// asking the ledger, and keeps the attributes by which a failed order would only fail again.
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { callsWithin } from '../aws/sqs-queues.ts';
import type { DeadLetters, DeadMessage, MessageAttribute, RedrivenMessage } from './dead-letter.ts';
import type { NotTaken } from '../payout/ports.ts';
import { deadLetterHiddenSeconds, sqsBatchSize } from '../payout/limits.ts';

/** Messages in flight are included. */
const counts: ('ApproximateNumberOfMessages' | 'ApproximateNumberOfMessagesNotVisible')[] = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
];

/** The queues of jobs and of rows of batches, and the dead-letter queue of both. */
interface SqsDeadLettersOptions {
  readonly client: SQSClient;
  readonly jobsQueueUrl: string;
  readonly batchJobsQueueUrl: string;
  readonly deadLetterQueueUrl: string;
}

/** A new message, and its place among those that are sent. */
interface Letter {
  readonly message: RedrivenMessage;
  readonly place: number;
}

/** A long walk gives back thousands; one call at a time would take minutes. */
const callsAtOnce = 20;

/** The dead-letter queue over SQS. */
export function createSqsDeadLetters(options: SqsDeadLettersOptions): DeadLetters {
  const { client, jobsQueueUrl, batchJobsQueueUrl, deadLetterQueueUrl: QueueUrl } = options;

  function callsTo(QueueUrl: string, letters: readonly Letter[] = []) {
    const entries = letters.map(({ message: { body, attributes, groupId }, place }) => ({
      Id: String(place),
      MessageBody: body,
      MessageAttributes: Object.fromEntries([...attributes].map(([name, value]) => [name, attributeOf(value)])),
      MessageGroupId: groupId,
    }));
    return callsWithin(entries).map((Entries) => ({ QueueUrl, Entries }));
  }

  return {
    async take() {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: sqsBatchSize,
          VisibilityTimeout: deadLetterHiddenSeconds,
          WaitTimeSeconds: 1,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
      );
      return Messages.map(deadMessage);
    },
    async giveBack(messages) {
      const entries = numbered(messages.map(({ handle }) => ({ ReceiptHandle: handle, VisibilityTimeout: 0 })));
      const calls = inChunks(entries, sqsBatchSize).map(
        (Entries) => () => client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })),
      );
      // One call that fails must not keep the others from being made: its letters are seen when their time is over.
      for (const some of inChunks(calls, callsAtOnce)) await Promise.allSettled(some.map((call) => call()));
    },
    async send(messages) {
      const letters = messages.map((message, place): Letter => ({ message, place }));
      const [others, rows] = [false, true].map((isRow) =>
        letters.filter(({ message }) => (message.batchId !== undefined) === isRow),
      );
      const calls = [...callsTo(jobsQueueUrl, others), ...callsTo(batchJobsQueueUrl, rows)];
      const answers = await Promise.allSettled(calls.map((call) => client.send(new SendMessageBatchCommand(call))));
      // One call that fails must not hide what another took: that would be redriven twice.
      const failure = answers.every((it) => it.status === 'rejected') ? answers[0] : undefined;
      if (failure) throw failure.reason;
      const untaken = answers.flatMap<Refused>((it, call) =>
        it.status === 'fulfilled' ? (it.value.Failed ?? []) : (calls[call]?.Entries ?? []),
      );
      return places({ Failed: untaken });
    },
    async remove(messages) {
      const Entries = numbered(messages.map(({ handle }) => ({ ReceiptHandle: handle })));
      return places(await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries })));
    },
    async depth() {
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: counts }),
      );
      return counts.reduce((sum, it) => sum + Number(Attributes[it] ?? 0), 0);
    },
  };
}

function inChunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, chunk) =>
    all.slice(chunk * size, (chunk + 1) * size),
  );
}

function numbered<T>(entries: readonly T[]): (T & { Id: string })[] {
  return entries.map((entry, index) => ({ Id: String(index), ...entry }));
}

type Refused = Pick<SendMessageBatchRequestEntry, 'Id'>;

function places({ Failed = [] }: { readonly Failed?: readonly Refused[] | undefined }): NotTaken {
  return new Set(Failed.map(({ Id }) => Number(Id)));
}

function deadMessage({ MessageId = '', ReceiptHandle = '', Body = '', ...message }: Message): DeadMessage {
  const { Attributes = {}, MessageAttributes = {} } = message;
  const groupId = Attributes.MessageGroupId;
  return {
    messageId: MessageId,
    handle: ReceiptHandle,
    body: Body,
    attributes: new Map(Object.entries(MessageAttributes).map(([name, value]) => [name, attributeIn(value)])),
    sentAtMs: Number(Attributes.SentTimestamp ?? 0),
    movedBySqs: Attributes.DeadLetterQueueSourceArn !== undefined,
    groupId,
  };
}

function attributeIn({ DataType = 'String', StringValue, BinaryValue }: MessageAttributeValue): MessageAttribute {
  return { dataType: DataType, text: StringValue, bytes: BinaryValue };
}

function attributeOf({ dataType, text, bytes }: MessageAttribute): MessageAttributeValue {
  return { DataType: dataType, StringValue: text, BinaryValue: bytes };
}
