// What the worker rests on at its queues, as stories against whatever speaks SQS at an address: the two ports that
// write to them (lib/payout/ports.ts) and the event source that `payouts worker` reads with.
import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  type QueueAttributeName,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  queueDepth,
  type EventSource,
  type EventSourceOptions,
  startEventSource,
} from '../../lib/aws/sqs-event-source.ts';
import { createSqsJobsQueue, createSqsReferences, createSqsResults } from '../../lib/aws/sqs-queues.ts';
import { readReference } from '../../lib/payout/wait/references.ts';
import type { JobsQueue, Results } from '../../lib/payout/ports.ts';
import type { Result } from '../../lib/payout/message/result.ts';
import { takeMessages } from '../../lib/local/queue-reader.ts';

const visibilitySeconds = 2;
const maxReceiveCount = 3;

/** Every plane and direction: an emoji, one of several joined, combining marks, right to left, the last characters of all. */
const text = 'Überweisung „№ 7“ 支付 🙂 👩\u200d👧 e\u0301 \u202bשלום\u202c مرحبا \ue000\ufffd\u{10000}\u{10ffff}';
/** What SQS takes in no message. */
const illegalTexts = ['\u0000', '\u0001', '\u000b', '\u001f', '\ufffe', '\uffff'];

const aResult = (orderId: string, note: string): Result => ({
  version: 1,
  resultId: `acme-eu/${orderId}/2`,
  operation: 'payout',
  merchant: 'acme-eu',
  endpointId: '39915',
  orderId,
  status: 'accepted',
  final: true,
  attempts: 1,
  revision: 2,
  occurredAt: '2026-11-21T10:00:00.000Z',
  context: JSON.stringify({ note }),
});

/** The context is the text of an object, and goes onto the queue as that. */
const asRead = ({ context = '{}', ...result }: Result) =>
  JSON.stringify({ ...result, context: JSON.parse(context) as unknown });

const aReference = (order: string, delaySeconds = 0) => ({
  reference: { key: `acme-eu/${order}`, digest: 'd', leaseMs: 1, class: 'urgent' as const, sinceMs: 1 },
  delaySeconds,
});
const ordersOf = (messages: readonly Message[]) =>
  messages.map(({ Body = '' }) => readReference(Body)?.key.slice('acme-eu/'.length) ?? 'unreadable').toSorted();

const textsOf = ({ MessageAttributes = {} }: Message) =>
  Object.fromEntries(Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]));
const bodiesOf = (messages: readonly Message[]) => messages.map(({ Body }) => Body).toSorted();
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `job-${index + 10}`);

/** Runs the suite on the SQS endpoint at the address. */
export function describeQueues(name: string, startSqs: () => string | Promise<string>): void {
  describe(`the queue promises on ${name}`, () => {
    let client: SQSClient;
    let urls: { jobs: string; deadLetters: string; results: string };
    let results: Results;
    let jobsQueue: JobsQueue;
    const sources: EventSource[] = [];

    beforeAll(async () => {
      const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
      client = new SQSClient({ region: 'eu-central-1', endpoint: await startSqs(), credentials, maxAttempts: 1 });
    });

    afterAll(() => client.destroy());

    beforeEach(async () => {
      const id = randomUUID();
      const [deadLetters, resultsUrl] = await Promise.all([createQueue(`${id}-dead`), createQueue(`${id}-results`)]);
      const deadLetterTargetArn = await attributeOf(deadLetters, 'QueueArn');
      const jobs = await createQueue(`${id}-jobs`, {
        VisibilityTimeout: String(visibilitySeconds),
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }),
      });
      urls = { jobs, deadLetters, results: resultsUrl };
      results = createSqsResults({ client, queueUrl: urls.results });
      jobsQueue = createSqsJobsQueue({ client, deadLetterQueueUrl: urls.deadLetters });
    });

    afterEach(async () => {
      await Promise.all(sources.splice(0).map((source) => source.stop()));
    });

    async function createQueue(QueueName: string, Attributes: Record<string, string> = {}): Promise<string> {
      return (await client.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? '';
    }

    async function attributeOf(QueueUrl: string, attribute: QueueAttributeName): Promise<string | undefined> {
      const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [attribute] });
      return (await client.send(command)).Attributes?.[attribute];
    }

    async function sendJobs(...bodies: readonly string[]): Promise<void> {
      for (let at = 0; at < bodies.length; at += 10) {
        const Entries = bodies.slice(at, at + 10).map((MessageBody, index) => ({ Id: String(index), MessageBody }));
        await client.send(new SendMessageBatchCommand({ QueueUrl: urls.jobs, Entries }));
      }
    }

    async function receiveJobs(wanted: number, visibleAgainSeconds = visibilitySeconds): Promise<Message[]> {
      const messages: Message[] = [];
      for (let emptyReceives = 0; messages.length < wanted && emptyReceives < 3;) {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl: urls.jobs,
            MaxNumberOfMessages: 10,
            VisibilityTimeout: visibleAgainSeconds,
            WaitTimeSeconds: 1,
            MessageSystemAttributeNames: ['All'],
            MessageAttributeNames: ['All'],
          }),
        );
        messages.push(...Messages);
        if (Messages.length === 0) emptyReceives += 1;
      }
      return messages;
    }

    describe('results', () => {
      it('arrive whole, ten a call, with what a consumer filters by beside them', async () => {
        const sent = Array.from({ length: 10 }, (_, index) => aResult(`INV-${index}`, text));
        expect(await results.send(sent)).toEqual(new Set());
        const messages = await takeMessages(client, urls.results, 1);
        expect(bodiesOf(messages)).toEqual(sent.map(asRead).toSorted());
        const attributes = { status: 'accepted', operation: 'payout', merchant: 'acme-eu', final: 'true' };
        expect(messages.map(textsOf)).toEqual(sent.map(() => attributes));
      });
    });

    describe('references', () => {
      const references = () => createSqsReferences({ client, queueUrl: urls.jobs });

      it('wait for their delay, each for its own, and are counted on the queue meanwhile', async () => {
        expect(await references().send([aReference('now'), aReference('later', 2)])).toEqual(new Set());
        const first = await receiveJobs(1);
        expect(ordersOf(first)).toEqual(['now']);
        await client.send(
          new DeleteMessageCommand({ QueueUrl: urls.jobs, ReceiptHandle: first[0]?.ReceiptHandle ?? '' }),
        );
        expect(await queueDepth(client, urls.jobs)).toBe(1);
        expect(ordersOf(await receiveJobs(1))).toEqual(['later']);
      });

      it('that were refused are told by their place; the others are on the queue', async () => {
        expect(await references().send([aReference('a'), aReference('b', 901), aReference('c')])).toEqual(new Set([1]));
        expect(ordersOf(await receiveJobs(2))).toEqual(['a', 'c']);
      });
    });

    describe('dead letters', () => {
      it('with text that SQS refuses arrive with its escapes', async () => {
        const reason = { code: 'INVALID_MESSAGE', message: 'odd' } as const;
        const letters = ['a', ...illegalTexts, text].map((body) => ({ body, reason, originMessageId: 'origin-1' }));
        expect(await jobsQueue.sendDeadLetters(letters)).toEqual(new Set());
        const escapes = ['\\u0000', '\\u0001', '\\u000b', '\\u001f', '\\ufffe', '\\uffff'];
        expect(bodiesOf(await takeMessages(client, urls.deadLetters, 2))).toEqual(['a', ...escapes, text].toSorted());
      });
    });

    describe('dead letters that are long', () => {
      it('arrive all of them: a call takes no more bytes than a message', async () => {
        const reason = { code: 'INVALID_MESSAGE', message: 'message is longer than 65536 bytes' } as const;
        const letters = numbered(4).map((name) => ({
          body: `${name} ${'x'.repeat(400_000)}`,
          reason,
          originMessageId: name,
        }));
        expect(await jobsQueue.sendDeadLetters(letters)).toEqual(new Set());
        const arrived = [];
        for (let looks = 0; arrived.length < 4 && looks < 8; looks += 1)
          arrived.push(...(await takeMessages(client, urls.deadLetters, 1)));
        expect(arrived.map((it) => textsOf(it)['originalMessageId']).toSorted()).toEqual(numbered(4));
      });
    });

    describe('the event source', () => {
      type Handler = EventSourceOptions['handler'];

      function start(handler: Handler, given: Partial<EventSourceOptions> = {}): EventSource {
        const source = startEventSource({
          client,
          queueUrl: urls.jobs,
          handler,
          functionTimeoutMs: 5_000,
          drainCheckMs: 100,
          ...given,
        });
        sources.push(source);
        return source;
      }

      const deliveriesOf = ({ Records }: SQSEvent) =>
        Records.map((it) => `${it.body}:${it.attributes.ApproximateReceiveCount}`);
      const failing = ({ Records }: SQSEvent, body: string) => ({
        batchItemFailures: Records.filter((it) => it.body === body).map((it) => ({ itemIdentifier: it.messageId })),
      });

      it('deletes what succeeded; what failed comes again, and after maxReceiveCount is a dead letter', async () => {
        await sendJobs('good', 'bad');
        const deliveries: string[] = [];
        const source = start(async (event) => {
          deliveries.push(...deliveriesOf(event));
          return failing(event, 'bad');
        });
        await source.untilDrained();
        expect(deliveries.toSorted()).toEqual(['bad:1', 'bad:2', 'bad:3', 'good:1']);
        expect(bodiesOf(await takeMessages(client, urls.deadLetters, 1))).toEqual(['bad']);
      });

      // Asked for at the same moment, SQS may hand one message to both: "at least once". Nothing of ours rests on more.
      it('takes a message at work away from receivers that ask meanwhile', async () => {
        await sendJobs('a', 'b');
        const worked: string[] = [];
        const takenTwice: string[] = [];
        const source = start(async ({ Records }) => {
          const atWork = Records.map(({ body }) => body);
          worked.push(...atWork);
          const others = new ReceiveMessageCommand({
            QueueUrl: urls.jobs,
            MaxNumberOfMessages: 10,
            VisibilityTimeout: 0,
            WaitTimeSeconds: 1,
          });
          const { Messages = [] } = await client.send(others);
          takenTwice.push(...Messages.map(({ Body = '' }) => Body).filter((it) => atWork.includes(it)));
          return { batchItemFailures: [] };
        });
        await source.untilDrained();
        expect(worked.toSorted()).toEqual(['a', 'b']);
        expect(takenTwice).toEqual([]);
      });
    });
  });
}
