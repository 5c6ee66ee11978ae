// What lib/dead-letters/dead-letter.ts promises, as stories against whatever speaks SQS at an address.
import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSqsDeadLetters } from '../../lib/dead-letters/sqs-dead-letters.ts';
import { createSqsJobsQueue } from '../../lib/aws/sqs-queues.ts';
import { redrivenOf, type DeadLetters, type DeadMessage } from '../../lib/dead-letters/dead-letter.ts';
import type { JobsQueue } from '../../lib/payout/ports.ts';
import { queueDepth } from '../../lib/aws/sqs-event-source.ts';
import { takeMessages } from '../../lib/local/queue-reader.ts';

/** Where an SQS differs from AWS's in what the suite uses. */
interface Peculiarities {
  /** Says of a message that SQS moved which queue it came from. Default true. */
  readonly saysSource?: boolean;
  /** Gives the message group back. Default true. */
  readonly givesGroup?: boolean;
}

const textsOf = ({ MessageAttributes = {} }: Message) =>
  Object.fromEntries(Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]));

/** Runs the suite on the SQS endpoint at the address. */
export function describeDeadLetters(
  name: string,
  startSqs: () => string | Promise<string>,
  { saysSource = true, givesGroup = true }: Peculiarities = {},
): void {
  describe(`the dead-letter queue on ${name}`, () => {
    let client: SQSClient;
    let urls: { jobs: string; rows: string; dead: string };
    let deadLetters: DeadLetters;
    let jobsQueue: JobsQueue;

    beforeAll(async () => {
      const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
      client = new SQSClient({ region: 'eu-central-1', endpoint: await startSqs(), credentials, maxAttempts: 1 });
    });

    afterAll(() => client.destroy());

    beforeEach(async () => {
      const dead = await createQueue({});
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: dead, AttributeNames: ['QueueArn'] }),
      );
      const policy = { deadLetterTargetArn: Attributes?.['QueueArn'], maxReceiveCount: 1 };
      const source = { RedrivePolicy: JSON.stringify(policy), VisibilityTimeout: '0' };
      urls = { dead, jobs: await createQueue(source), rows: await createQueue(source) };
      const queues = { client, jobsQueueUrl: urls.jobs, batchJobsQueueUrl: urls.rows, deadLetterQueueUrl: urls.dead };
      deadLetters = createSqsDeadLetters(queues);
      jobsQueue = createSqsJobsQueue(queues);
    });

    async function createQueue(Attributes: Record<string, string>): Promise<string> {
      return (await client.send(new CreateQueueCommand({ QueueName: randomUUID(), Attributes }))).QueueUrl ?? '';
    }

    async function lay(count: number): Promise<void> {
      const reason = { code: 'NOT_SENT', message: 'connect ECONNREFUSED' } as const;
      for (let at = 0; at < count; at += 10) {
        const some = Array.from({ length: Math.min(10, count - at) }, (_, index) => `job-${at + index}`);
        await jobsQueue.sendDeadLetters(
          some.map((body) => ({ body, reason, originMessageId: `origin-${body}`, groupId: 'acme-eu' })),
        );
      }
    }

    async function takeAll(wanted: number): Promise<DeadMessage[]> {
      const all: DeadMessage[] = [];
      for (let empty = 0; all.length < wanted && empty < 3;) {
        const taken = await deadLetters.take();
        all.push(...taken);
        if (taken.length === 0) empty += 1;
      }
      return all;
    }

    it('is read as the worker laid it there, and hides what was taken', async () => {
      const beforeMs = Date.now();
      await lay(1);
      const [letter, ...others] = await takeAll(1);
      expect(others).toEqual([]);
      expect(letter).toMatchObject({ body: 'job-0', movedBySqs: false });
      expect(Object.fromEntries(letter?.attributes ?? [])).toEqual({
        reasonCode: { dataType: 'String', text: 'NOT_SENT' },
        reason: { dataType: 'String', text: 'connect ECONNREFUSED' },
        originalMessageId: { dataType: 'String', text: 'origin-job-0' },
      });
      expect(letter?.groupId).toBe(givesGroup ? 'acme-eu' : undefined);
      expect(Math.abs((letter?.sentAtMs ?? 0) - beforeMs)).toBeLessThan(10_000);
      expect(await deadLetters.take()).toEqual([]);
      expect(await deadLetters.depth()).toBe(1);
    });

    it('says what SQS itself moved there, under the id that it always had', async () => {
      const sent = await client.send(
        new SendMessageCommand({
          QueueUrl: urls.jobs,
          MessageBody: 'copied',
          MessageAttributes: { originMessageId: { DataType: 'String', StringValue: 'origin-1' } },
        }),
      );
      for (let receive = 0; receive < 3; receive += 1) {
        await client.send(new ReceiveMessageCommand({ QueueUrl: urls.jobs, WaitTimeSeconds: 1 }));
      }
      const [letter] = await takeAll(1);
      expect(letter).toMatchObject({ messageId: sent.MessageId, body: 'copied', movedBySqs: saysSource });
      expect(letter?.attributes.get('originMessageId')?.text).toBe('origin-1');
    });

    it('shows again what is given back, more than ten at once, and one that is gone hinders none', async () => {
      await lay(13);
      const letters = await takeAll(13);
      expect(letters).toHaveLength(13);
      const [first] = letters;
      expect(await deadLetters.remove(letters.slice(0, 1))).toEqual(new Set());
      await deadLetters.giveBack(letters);
      expect((await takeAll(12)).map(({ body }) => body).toSorted()).toEqual(
        letters
          .map(({ body }) => body)
          .filter((body) => body !== first?.body)
          .toSorted(),
      );
    });

    it('keeps a letter until it is removed, when its new message is on the jobs queue', async () => {
      await lay(1);
      const letters = await takeAll(1);
      expect(await deadLetters.send(letters.map((it) => redrivenOf(it)))).toEqual(new Set());
      expect([await deadLetters.depth(), await queueDepth(client, urls.jobs)]).toEqual([1, 1]);
      expect(await deadLetters.remove(letters)).toEqual(new Set());
      expect(await deadLetters.depth()).toBe(0);
      const [message = {}] = await takeMessages(client, urls.jobs, 1);
      expect(message.Body).toBe('job-0');
      expect(message.MessageId).not.toBe(letters[0]?.messageId);
      expect(textsOf(message)).toEqual({ redrives: '1', firstSentAtMs: String(letters[0]?.sentAtMs) });
    });

    it('sends attributes of every kind as they came', async () => {
      const attributes = new Map([
        ['bytes', { dataType: 'Binary', bytes: new Uint8Array([0, 255]) }],
        ['number', { dataType: 'Number', text: '7' }],
      ]);
      await deadLetters.send([{ body: 'job', attributes }]);
      const [message] = await takeMessages(client, urls.jobs, 1);
      expect(message?.MessageAttributes).toMatchObject({
        bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 255]) },
        number: { DataType: 'Number', StringValue: '7' },
      });
    });

    it('sends a row of a batch back to the queue of rows, and any other to the jobs queue', async () => {
      const none = new Map();
      const untaken = await deadLetters.send([
        { body: 'row-1', attributes: none, batchId: 'payday' },
        { body: 'urgent', attributes: none },
        { body: 'row-2', attributes: none, batchId: 'payday' },
      ]);
      expect(untaken).toEqual(new Set());
      expect((await takeMessages(client, urls.jobs, 1)).map(({ Body }) => Body)).toEqual(['urgent']);
      expect((await takeMessages(client, urls.rows, 1)).map(({ Body }) => Body).toSorted()).toEqual(['row-1', 'row-2']);
    });

    it('keeps apart what one queue took and another did not, by its place', async () => {
      const half = createSqsDeadLetters({
        client,
        jobsQueueUrl: urls.jobs,
        batchJobsQueueUrl: `${urls.rows}-nowhere`,
        deadLetterQueueUrl: urls.dead,
      });
      const messages = ['payday', undefined, 'payday'].map((batchId, place) => ({
        body: `job-${place}`,
        attributes: new Map(),
        ...(batchId !== undefined && { batchId }),
      }));
      expect(await half.send(messages)).toEqual(new Set([0, 2]));
      expect((await takeMessages(client, urls.jobs, 1)).map(({ Body }) => Body)).toEqual(['job-1']);
    });
  });
}
