// One invocation of a function as Lambda makes it for a batch of SQS messages: the event, the context, and how the
// answer is read. What is deleted from the queue follows from the verdict (sqs-event-source.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda';

/** The function's outcome for its batch; every kind but `answered` leaves the whole batch on the queue. */
export type InvocationVerdict =
  | { readonly kind: 'answered'; readonly failedIds: ReadonlySet<unknown> }
  | { readonly kind: 'malformed-response' }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'threw'; readonly error: unknown };

/** The function and the values of its context. */
export interface Invocation {
  /** The answer is checked here, hence unknown. */
  readonly handler: (event: SQSEvent, context: Context) => Promise<unknown>;
  readonly functionName: string;
  /** An invocation that takes longer has failed, whatever its promise says later. */
  readonly functionTimeoutMs: number;
  readonly nowMs: () => number;
  readonly queueArn: string;
  readonly awsRequestId: string;
  readonly startedMs: number;
}

const missingAttributes = {
  SenderId: '',
  SentTimestamp: '',
  ApproximateReceiveCount: '',
  ApproximateFirstReceiveTimestamp: '',
};

/** A message as Lambda hands it to a function. */
export function lambdaRecordOf(message: Message, queueArn: string): SQSRecord {
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
    md5OfMessageAttributes: MD5OfMessageAttributes,
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
    stringValue: StringValue,
    binaryValue: BinaryValue && Buffer.from(BinaryValue).toString('base64'),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType,
  };
}

/** Calls the function with the records. Never rejects. */
export async function callFunction(invocation: Invocation, Records: SQSRecord[]): Promise<InvocationVerdict> {
  const { functionTimeoutMs, handler } = invocation;
  const ended = new AbortController();
  // A copy, as in Lambda: whatever the function does to its event, the deletions are decided on the records received.
  const event = { Records: structuredClone(Records) };
  const answer = async (): Promise<InvocationVerdict> =>
    verdictOn(await handler(event, contextOf(invocation)), Records);
  const threw = (error: unknown): InvocationVerdict => ({ kind: 'threw', error });
  const timeout = sleep<InvocationVerdict>(functionTimeoutMs, { kind: 'timed-out' }, { signal: ended.signal });
  return Promise.race([answer().catch(threw), timeout]).finally(() => ended.abort());
}

function contextOf(invocation: Invocation): Context {
  const { functionName, functionTimeoutMs, queueArn, awsRequestId, startedMs, nowMs } = invocation;
  const [, , , region, account] = queueArn.split(':');
  return {
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
}

/** Lambda's reading of the answer. An answer that it would not understand, or that names no record of this batch, fails the batch. */
function verdictOn(response: unknown, records: readonly SQSRecord[]): InvocationVerdict {
  const malformed: InvocationVerdict = { kind: 'malformed-response' };
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
