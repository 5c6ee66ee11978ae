// The common parts of all simulated queues: which message comes next, how a record looks, and how a batch call fails.
import type { SQSRecord } from 'aws-lambda';
import type { NotTaken } from '../../lib/payout/ports.ts';
import type { Reply } from './process.ts';
import type { QueueFault } from './weather.ts';

/** The part of a message that every queue keeps. */
export interface QueuedMessage {
  readonly id: string;
  readonly body: string;
  receives: number;
  visibleAtMs: number;
  /** The time when it came to its queue, where it is needed. */
  readonly sentAtMs?: number;
}

/** The message to be received next, out of all that are visible; `nextOf` draws the place of one of so many. */
export function nextVisible<T extends QueuedMessage>(
  messages: readonly T[],
  nowMs: number,
  nextOf: (visible: number) => number,
): T | undefined {
  let visible = 0;
  for (const { visibleAtMs } of messages) if (visibleAtMs <= nowMs) visible += 1;
  let left = nextOf(visible);
  for (const message of messages) {
    if (message.visibleAtMs > nowMs) continue;
    if (left <= 0) return message;
    left -= 1;
  }
  return undefined;
}

/** SQS delays by whole seconds, and by a quarter of an hour at most; it refuses the whole call otherwise, each time. */
export function faultOfDelays(entries: readonly { readonly delaySeconds: number }[]): string | undefined {
  const odd = entries.find(({ delaySeconds: it }) => !Number.isInteger(it) || it < 0 || it > 900);
  return odd && `a message was to be delayed by ${odd.delaySeconds} s, which SQS refuses`;
}

/** One batch call that meets this fault; `take` puts one entry on its queue. */
export function batchCall<T>(
  fault: QueueFault,
  entries: readonly T[],
  take: (entry: T) => void,
  refuse: (entry: T) => unknown = () => {},
): Reply<NotTaken> {
  const refused = new Set(typeof fault === 'object' ? fault.refuses.filter((it) => it < entries.length) : []);
  for (const [index, entry] of entries.entries()) {
    if (fault === 'down' || refused.has(index)) refuse(entry);
    else take(entry);
  }
  const isUnheard = fault === 'down' || fault === 'answer lost';
  return { answer: isUnheard ? Promise.reject(silence) : Promise.resolve(refused) };
}

/** Made once: an error costs its stack, and these are many. */
const silence = new Error('the queue did not answer');

/** The record that a function gets of a message. */
export function recordOf(
  { id, receives, body, sentAtMs }: QueuedMessage,
  queue: string,
  attributes: Readonly<Record<string, string>> = {},
): SQSRecord {
  const messageAttributes: SQSRecord['messageAttributes'] = {};
  for (const [name, stringValue] of Object.entries(attributes))
    messageAttributes[name] = { stringValue, dataType: 'String' };
  return {
    messageId: id,
    receiptHandle: `${id}#${receives}`,
    body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: String(sentAtMs ?? ''),
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '',
    },
    messageAttributes,
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:eu-central-1:000000000000:${queue}`,
    awsRegion: 'eu-central-1',
  };
}
