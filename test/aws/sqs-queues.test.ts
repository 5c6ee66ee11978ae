// The queues as the worker writes to them, on the embedded queues, through the real client: its own queue, dead letters, results.
import { SendMessageBatchCommand, type SendMessageBatchCommandInput, type SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { batchResultExamples, resultExamples } from '../../infra/contracts/examples.ts';
import {
  createSqsJobsQueue,
  createSqsOwnQueue,
  createSqsReferences,
  createSqsResults,
} from '../../lib/aws/sqs-queues.ts';
import type { BatchResult } from '../../lib/batches/batch-result.ts';
import { createSqsBatchResults } from '../../lib/batches/sqs-batch-queues.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { type OwnTask, readOwnTask } from '../../lib/payout/inquire/own-queue.ts';
import { cutBody, readJob } from '../../lib/payout/message/read-job.ts';
import type { Result } from '../../lib/payout/message/result.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { anAttempt, anOrder } from '../support/orders.ts';
import { attributesOf, newQueue, received, refuseEntries, sqsClient } from '../support/sqs-queues.ts';

let aws: EmbeddedAws;
let client: SQSClient;
let queueUrl: string;

beforeAll(async () => {
  aws = await startEmbeddedAws();
});

afterAll(() => aws.close());

beforeEach(async () => {
  client = sqsClient(aws);
  queueUrl = await newQueue(client);
});

const deadLetters = () => createSqsJobsQueue({ client, deadLetterQueueUrl: queueUrl });
const batchResults = () => createSqsBatchResults({ client, queueUrl });
const bodies = async () => (await received(client, queueUrl)).map(({ Body = '' }) => Body);

/** The message groups of what this client sends; the embedded queues take a group and do not give it back. */
function groupsOfSends(of: SQSClient): readonly (string | undefined)[] {
  const groups: (string | undefined)[] = [];
  of.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === SendMessageBatchCommand.name)
          for (const { MessageGroupId } of (args.input as SendMessageBatchCommandInput).Entries ?? [])
            groups.push(MessageGroupId);
        return next(args);
      },
    { step: 'initialize' },
  );
  return groups;
}

const taken = anAttempt({ answer: { kind: 'taken', atMs: 1 }, ids: ['9000123'] });
const verdict = { reason: 'expired', code: 'EXPIRED', message: 'too late' } as const;
const { content } = anOrder();

const one = (key: string) => ({ message: { kind: 'check', key, leaseMs: 5 } as const, delaySeconds: 0 });

describe("a word on the worker's own queue", () => {
  it.each<[what: string, word: OwnTask]>([
    ['a check', { kind: 'check', key: 'acme-eu/INV "№ 7"', leaseMs: 5 }],
    ['an answer', { kind: 'answer', key: 'acme-eu/INV-1', attempt: taken, content }],
    ['an answer that ends its order', { kind: 'answer', key: 'acme-eu/INV-1', attempt: taken, verdict }],
  ])('arrives as it was sent: %s', async (_, message) => {
    const queue = createSqsOwnQueue({ client, queueUrl });
    expect(await queue.send([{ message, delaySeconds: 0 }])).toEqual(new Set());
    expect((await bodies()).map(readOwnTask)).toEqual([message]);
  });

  it('is of the group of its merchant, so that the slow gateway of one leaves the next free invocation to another', async () => {
    const groups = groupsOfSends(client);
    await createSqsOwnQueue({ client, queueUrl }).send([one('acme-eu/INV-1'), one('globex/INV-1')]);
    expect(groups).toEqual(['acme-eu', 'globex']);

    const reference = (key: string) => ({
      reference: { key, digest: 'd', leaseMs: 1, class: 'urgent' as const, sinceMs: 1 },
      delaySeconds: 0,
    });
    await createSqsReferences({ client, queueUrl }).send([reference('acme-eu/INV-1'), reference('globex/INV-1')]);
    expect(groups).toEqual(['acme-eu', 'globex', 'acme-eu', 'globex']);
  });
});

const aLetter = (message: string, body = 'job') => ({
  body,
  reason: { code: 'INVALID_MESSAGE' as const, message },
  originMessageId: 'message-1',
});

it('a batch names by their place the messages that were not taken; the others are on the queue', async () => {
  refuseEntries(client, [2, 7]);
  const ten = Array.from({ length: 10 }, (_, index) => aLetter('why', `job-${index}`));
  expect(await deadLetters().sendDeadLetters(ten)).toEqual(new Set([2, 7]));
  expect((await bodies()).toSorted()).toEqual([0, 1, 3, 4, 5, 6, 8, 9].map((index) => `job-${index}`));
});

it('messages that SQS refuses as one call go in several', async () => {
  const large = Array.from({ length: 4 }, (_, index) => aLetter('why', String(index).repeat(400_000)));
  expect(await deadLetters().sendDeadLetters(large)).toEqual(new Set());
  expect((await bodies()).map((it) => it.charAt(0)).toSorted()).toEqual(['0', '1', '2', '3']);
});

describe('a dead letter', () => {
  it('is the message as it came, with the reason beside it', async () => {
    const letter = { ...aLetter('version is not 1, the only version of this contract'), groupId: 'acme-eu' };
    const groups = groupsOfSends(client);
    expect(await deadLetters().sendDeadLetters([letter])).toEqual(new Set());
    const [message, ...others] = await received(client, queueUrl);
    expect(others).toEqual([]);
    expect(message?.Body).toBe('job');
    expect(message && attributesOf(message)).toEqual({
      reasonCode: 'INVALID_MESSAGE',
      reason: 'version is not 1, the only version of this contract',
      originalMessageId: 'message-1',
    });
    expect(groups).toEqual(['acme-eu']);
  });

  /** What JSON can hold and SQS cannot (API reference, SendMessage). */
  const odd = 'a\ufffeb\uffffc\u0000d\u0008e\ud800f';

  it.each([
    ['a name that the contract does not have', JSON.stringify({ ...aPayoutJob(), note: odd })],
    ['a field', JSON.stringify({ ...aPayoutJob(), batchId: odd })],
    ['a text that is no JSON', 'not a job'],
  ])('of a refused message is taken beside others, whatever characters are in %s', async (_, sent) => {
    // given: its sender wrote the characters as the escapes of JSON
    const body = sent.replaceAll(/[\ufffe\uffff]/g, (it) => `\\u${it.charCodeAt(0).toString(16)}`);
    const read = readJob(body);
    const kept = cutBody(body, read);
    // when
    const taken = await deadLetters().sendDeadLetters([aLetter('why'), aLetter(`odd: ${odd}`, kept.body)]);
    // then
    expect(taken).toEqual(new Set());
    const message = (await received(client, queueUrl)).find(({ Body }) => Body !== 'job');
    expect(readJob(message?.Body ?? '')).toEqual(read);
    expect(message && attributesOf(message)['reason']).toBe('odd: a\\ufffeb\\uffffc\\u0000d\\u0008e\ufffdf');
  });

  it('keeps the beginning of a long reason, and no half of a character that was cut', async () => {
    await deadLetters().sendDeadLetters([aLetter(`!${'\u{1f4b6}'.repeat(1_000)}`)]);
    const [message] = await received(client, queueUrl);
    expect(message && attributesOf(message)['reason']).toBe(`!${'\u{1f4b6}'.repeat(511)}\ufffd`);
  });
});

describe('a result', () => {
  const result = resultExamples[0] as Result;

  it('keeps what JSON can hold and SQS cannot: it travels as escapes', async () => {
    const context = { note: 'a\uffffb\ufffec\u0000d\ud800e "quoted" \\uffff' };
    await createSqsResults({ client, queueUrl }).send([{ ...result, context: JSON.stringify(context) }]);
    const [message] = await received(client, queueUrl);
    // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
    expect(message?.Body).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
    expect(JSON.parse(message?.Body ?? '')).toEqual({ ...result, context });
  });
});

describe('a batch result', () => {
  const closed = batchResultExamples[0] as BatchResult;

  it('arrives as it is, and its attributes tell it from the result of an order', async () => {
    await batchResults().sendBatchResult(closed);
    const [message] = await received(client, queueUrl);
    expect(JSON.parse(message?.Body ?? '')).toEqual(closed);
    expect(message && attributesOf(message)).toEqual({
      status: 'closed',
      kind: 'batch-result',
      merchant: 'acme-eu',
      final: 'false',
    });
  });

  it('is not told when the queue does not take it', async () => {
    client.middlewareStack.add(
      () => async () => ({ response: {}, output: { $metadata: {}, Failed: [{ Id: '0', Code: 'InternalError' }] } }),
      { step: 'initialize' },
    );
    await expect(batchResults().sendBatchResult(closed)).rejects.toThrow('did not take the batch result');
    const nowhere = createSqsBatchResults({ client: sqsClient(aws), queueUrl: `${queueUrl}-gone` });
    await expect(nowhere.sendBatchResult(closed)).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
  });
});
