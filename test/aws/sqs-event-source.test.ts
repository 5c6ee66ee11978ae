import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
  type DeleteMessageBatchCommandOutput,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  startEventSource,
  type BatchReport,
  type EventSource,
  type EventSourceOptions,
} from '../../lib/aws/sqs-event-source.ts';
import { startEmbeddedAws, type EmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { longIt } from '../support/long-proof.ts';

let aws: EmbeddedAws;
let client: SQSClient;
let queueUrl: string;
let deadLetterUrl: string;
const started: EventSource[] = [];

beforeAll(async () => {
  aws = await startEmbeddedAws();
});

afterAll(async () => {
  await aws.close();
});

beforeEach(async () => {
  client = new SQSClient({
    region: 'eu-central-1',
    endpoint: aws.environment['AWS_ENDPOINT_URL_SQS'] ?? '',
    credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
    maxAttempts: 1,
  });
  const name = randomUUID();
  deadLetterUrl = await createQueue(`${name}-dead-letter`, {});
  const [deadLetterTargetArn] = await attributesOf(deadLetterUrl, ['QueueArn']);
  queueUrl = await createQueue(name, {
    VisibilityTimeout: '1',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 }),
  });
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((source) => source.stop()));
  client.destroy();
});

async function createQueue(QueueName: string, Attributes: Record<string, string>): Promise<string> {
  return (await client.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? '';
}

async function attributesOf(QueueUrl: string, names: ('QueueArn' | `ApproximateNumberOfMessages${string}`)[]) {
  const AttributeNames = names as 'QueueArn'[];
  const { Attributes = {} } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return names.map((name) => Attributes[name as 'QueueArn']);
}

/** Visible and in flight. */
const onQueue = async (QueueUrl: string): Promise<number> =>
  (await attributesOf(QueueUrl, ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible']))
    .map(Number)
    .reduce((sum, count) => sum + count, 0);

async function send(...bodies: readonly string[]): Promise<void> {
  for (let first = 0; first < bodies.length; first += 10) {
    const Entries = bodies.slice(first, first + 10).map((MessageBody, index) => ({ Id: String(index), MessageBody }));
    await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

type Given = Partial<EventSourceOptions>;
type Handler = EventSourceOptions['handler'];

const done: SQSBatchResponse = { batchItemFailures: [] };

function start(handler: Handler, given: Given = {}): EventSource & { reports: BatchReport[] } {
  const reports: BatchReport[] = [];
  const source = startEventSource({
    client,
    queueUrl,
    handler,
    functionTimeoutMs: 5000,
    drainCheckMs: 50,
    onBatch: (report) => void reports.push(report),
    ...given,
  });
  started.push(source);
  return Object.assign(source, { reports });
}

const failing = (event: SQSEvent, ...bodies: readonly string[]): SQSBatchResponse => ({
  batchItemFailures: event.Records.filter(({ body }) => bodies.includes(body)).map(({ messageId }) => ({
    itemIdentifier: messageId,
  })),
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

describe('the event and the context', () => {
  it('are those Lambda hands to a function', async () => {
    const sent = await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: 'job',
        MessageAttributes: {
          status: { DataType: 'String', StringValue: 'accepted' },
          digest: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2, 255]) },
        },
      }),
    );
    const seen: { event: SQSEvent; remainingMs: number }[] = [];
    const source = start(
      async (event, context) => {
        seen.push({ event, remainingMs: context.getRemainingTimeInMillis() });
        return done;
      },
      { functionTimeoutMs: 30_000 },
    );
    await source.untilDrained();

    const [queueArn = ''] = await attributesOf(queueUrl, ['QueueArn']);
    expect(seen[0]?.event.Records).toEqual([
      {
        messageId: sent.MessageId,
        receiptHandle: expect.stringMatching(/./),
        body: 'job',
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: expect.stringMatching(/^\d{13}$/),
          SenderId: '000000000000',
          ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
        },
        messageAttributes: {
          status: { stringValue: 'accepted', stringListValues: [], binaryListValues: [], dataType: 'String' },
          digest: { binaryValue: 'AQL/', stringListValues: [], binaryListValues: [], dataType: 'Binary' },
        },
        md5OfBody: sent.MD5OfMessageBody,
        md5OfMessageAttributes: sent.MD5OfMessageAttributes,
        eventSource: 'aws:sqs',
        eventSourceARN: queueArn,
        awsRegion: 'eu-central-1',
      },
    ]);
    expect(seen[0]?.remainingMs).toBeGreaterThan(29_000);
  });
});

describe('what is deleted', () => {
  it.each<[string, BatchReport['verdict']['kind'], Handler]>([
    ['throws', 'threw', () => Promise.reject(new Error('surprise'))],
    [
      'throws before it returns a promise',
      'threw',
      () => {
        throw new Error('surprise');
      },
    ],
    ['takes too long', 'timed-out', () => sleep(600, done)],
    ['gives no answer', 'threw', async () => undefined as unknown as SQSBatchResponse],
    ['misspells the answer', 'threw', async () => ({ batchItemFailure: [] }) as unknown as SQSBatchResponse],
  ])('given a function that %s, then nothing', async (_title, kind, handler) => {
    await send('a', 'b');
    const source = start(handler, { functionTimeoutMs: 300 });
    await until(() => source.reports.length === 1);
    await source.stop();
    expect(source.reports[0]).toMatchObject({ verdict: { kind }, records: 2, deleted: 0 });
    expect(await onQueue(queueUrl)).toBe(2);
  });

  it('given a function that uses up its event, then still the records that were received', async () => {
    await send('a', 'b');
    const source = start(async (event) => {
      event.Records.splice(0);
      return done;
    });
    await source.untilDrained();
    expect(source.counts()).toMatchObject({ deleted: 2 });
  });

  it('given a success that comes after the time-out, then nothing even so', async () => {
    await send('late');
    let finished = 0;
    const source = start(
      async () => {
        await sleep(250);
        finished += 1;
        return done;
      },
      { functionTimeoutMs: 100 },
    );
    await until(() => finished === 1);
    await source.stop();
    await sleep(50);
    expect(await onQueue(queueUrl)).toBe(1);
  });
});

describe('a delete that fails', () => {
  it('is tried again: the whole call, or the entries it refused', async () => {
    let calls = 0;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context['commandName'] !== 'DeleteMessageBatchCommand') return next(args);
        calls += 1;
        if (calls === 1) throw new Error('connection lost');
        if (calls > 2) return next(args);
        const refused = [{ Id: '1', Code: 'InternalError', SenderFault: false }];
        return {
          response: {},
          output: { $metadata: {}, Failed: refused, Successful: [] } as DeleteMessageBatchCommandOutput,
        };
      },
      { step: 'initialize' },
    );
    await send('a', 'b');
    let troubles = 0;
    const source = start(async () => done, { onPollingError: () => (troubles += 1) });
    await until(() => source.reports.length === 1);
    expect(calls).toBe(3);
    expect(source.reports[0]).toMatchObject({ deleted: 2 });
    expect(troubles).toBe(2);
  });

  longIt('again and again is given up and counted; the record is delivered once more', async () => {
    let refusals = 0;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context['commandName'] !== 'DeleteMessageBatchCommand' || refusals === 5) return next(args);
        refusals += 1;
        throw new Error('denied');
      },
      { step: 'initialize' },
    );
    await send('a');
    const source = start(async () => done, { maximumConcurrency: 1 });
    await source.untilDrained();
    expect(source.reports).toMatchObject([
      { verdict: { kind: 'answered' }, records: 1, deleted: 0 },
      { verdict: { kind: 'answered' }, records: 1, deleted: 1 },
    ]);
  });
});

describe('batches', () => {
  it('run up to maximumConcurrency at once, and nothing more is received meanwhile', async () => {
    await send(...Array.from({ length: 35 }, (_, index) => String(index)));
    const gate = Promise.withResolvers<void>();
    let running = 0;
    const most: number[] = [];
    const source = start(
      async () => {
        running += 1;
        most.push(running);
        await gate.promise;
        running -= 1;
        return done;
      },
      { maximumConcurrency: 2 },
    );
    await until(() => source.counts().invocationsRunning === 2);
    await sleep(100);
    expect(source.counts().received).toBe(20);
    gate.resolve();
    await source.untilDrained();
    expect(Math.max(...most)).toBe(2);
    expect(source.counts()).toMatchObject({ deleted: 35, invocationsRunning: 0 });
  });
});

describe('stopping', () => {
  it('waits for the running invocation, deletes its successes and receives nothing more', async () => {
    await send('a', 'b');
    const gate = Promise.withResolvers<void>();
    const source = start(async (event) => {
      await gate.promise;
      return failing(event, 'b');
    });
    await until(() => source.counts().invocationsRunning === 1);
    const stopping = source.stop();
    await send('c');
    gate.resolve();
    await stopping;
    expect(source.counts()).toMatchObject({ received: 2, deleted: 1, invocationsRunning: 0 });
    expect(await onQueue(queueUrl)).toBe(2);
  });

  longIt('comes to who waits for it when nothing is left; delayed messages are waited for', async () => {
    await send('now');
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'later', DelaySeconds: 1 }));
    const source = start(async () => done);
    expect(await source.untilDrained()).toBe('drained');
    await source.stop();
    expect(source.counts()).toMatchObject({ deleted: 2, invocationsRunning: 0 });
    await send('after the end');
    await sleep(100);
    expect(source.counts().received).toBe(2);
  });
});

longIt('trouble with the queue is told, waited out with growing pauses and survived', async () => {
  const failedAt: number[] = [];
  client.middlewareStack.add(
    (next, context) => (args) =>
      context['commandName'] === 'ReceiveMessageCommand' && failedAt.length < 3
        ? Promise.reject(new Error('no route'))
        : next(args),
    { step: 'initialize' },
  );
  await send('a');
  const source = start(async () => done, { onPollingError: () => void failedAt.push(performance.now()) });
  await source.untilDrained();
  expect(source.counts()).toMatchObject({ deleted: 1 });
  expect(failedAt).toHaveLength(3);
  const [first = 0, second = 0, third = 0] = failedAt;
  expect(second - first).toBeGreaterThan(150);
  expect(third - second).toBeGreaterThan(350);
});
