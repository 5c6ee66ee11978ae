// SQS records as Lambda delivers them, and the changes of a message between two deliveries.
import type { SQSRecord } from 'aws-lambda';
import type { JobBody } from './jobs.ts';
import { startMs } from './time-and-chance.ts';

/** The values of a delivery that a story may choose. */
export interface Delivery {
  readonly messageId?: string;
  readonly receiveCount?: number;
  /** The time when the message was sent (epoch ms); by default when a world brings it for the first time. */
  readonly sentAtMs?: number;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly groupId?: string;
}

/** The time of a job that is given up if it still can't be sent. */
export const longAgoMs = startMs - 14 * 86_400_000;

let deliveries = 0;

/** The first delivery of a message with this body. Every delivery has a receipt handle of its own. */
export function aRecord(body: JobBody | string, delivery: Delivery = {}): SQSRecord {
  deliveries += 1;
  const { messageId = `message-${deliveries}`, receiveCount = 1, sentAtMs, attributes = {}, groupId } = delivery;
  return {
    messageId,
    receiptHandle: `handle-${deliveries}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      SentTimestamp: String(sentAtMs ?? startMs),
      SenderId: 'sender',
      ApproximateFirstReceiveTimestamp: '1795255200000',
      ...(groupId !== undefined && { MessageGroupId: groupId }),
    },
    messageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, stringValue]) => [name, { stringValue, dataType: 'String' }]),
    ),
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:jobs',
    awsRegion: 'eu-central-1',
  };
}

/** The same message delivered once more: one receive later. */
export function redelivered(record: SQSRecord): SQSRecord {
  const receiveCount = Number(record.attributes.ApproximateReceiveCount) + 1;
  return {
    ...record,
    receiptHandle: `${record.messageId}-receive-${receiveCount}`,
    attributes: { ...record.attributes, ApproximateReceiveCount: String(receiveCount) },
  };
}
