import type { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSqsJobsQueue } from '../../lib/aws/sqs-queues.ts';
import { cutBody, readJob } from '../../lib/payout/message/read-job.ts';
import type { JobsQueue } from '../../lib/payout/ports.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { attributesOf, newQueue, received, refuseEntries, sqsClient } from '../support/sqs-queues.ts';

let aws: EmbeddedAws;
let client: SQSClient;
let deadLetterQueueUrl: string;
let jobsQueue: JobsQueue;
/** What was asked of SQS, as the SDK was given it. */
let asked: { readonly command: string | undefined; readonly input: unknown }[];

beforeAll(async () => {
  aws = await startEmbeddedAws();
});

afterAll(() => aws.close());

beforeEach(async () => {
  client = sqsClient(aws);
  deadLetterQueueUrl = await newQueue(client);
  jobsQueue = createSqsJobsQueue({ client, deadLetterQueueUrl });
  asked = [];
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        asked.push({ command: commandName, input: args.input });
        return next(args);
      },
    { step: 'initialize' },
  );
});

const onDeadLetterQueue = () => received(client, deadLetterQueueUrl);
const bodies = (messages: readonly { readonly Body?: string | undefined }[]) =>
  messages.map(({ Body }) => Body).toSorted();

const aLetter = (message: string, body = 'job') => ({
  body,
  reason: { code: 'INVALID_MESSAGE' as const, message },
  originMessageId: 'message-1',
});

describe('a batch', () => {
  const ten = Array.from({ length: 10 }, (_, index) => aLetter('why', `job-${index}`));

  it('names by their place those that were not taken; the others are on the queue', async () => {
    refuseEntries(client, [2, 7]);
    expect(await jobsQueue.sendDeadLetters(ten)).toEqual(new Set([2, 7]));
    expect(bodies(await onDeadLetterQueue())).toEqual([
      'job-0',
      'job-1',
      'job-3',
      'job-4',
      'job-5',
      'job-6',
      'job-8',
      'job-9',
    ]);
  });
});

describe('a dead letter', () => {
  it('is the message as it came, with the reason beside it', async () => {
    const letter = { ...aLetter('version is not 1, the only version of this contract'), groupId: 'acme-eu' };
    expect(await jobsQueue.sendDeadLetters([letter])).toEqual(new Set());
    const [message, ...others] = await onDeadLetterQueue();
    expect(others).toEqual([]);
    expect(message?.Body).toBe('job');
    expect(message && attributesOf(message)).toEqual({
      reasonCode: 'INVALID_MESSAGE',
      reason: 'version is not 1, the only version of this contract',
      originalMessageId: 'message-1',
    });
    expect(asked[0]?.input).toMatchObject({ Entries: [{ MessageGroupId: 'acme-eu' }] });
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
    const taken = await jobsQueue.sendDeadLetters([aLetter('why'), aLetter(`odd: ${odd}`, kept.body)]);
    // then
    expect(taken).toEqual(new Set());
    const message = (await onDeadLetterQueue()).find(({ Body }) => Body !== 'job');
    expect(readJob(message?.Body ?? '')).toEqual(read);
    expect(message && attributesOf(message)['reason']).toBe('odd: a\\ufffeb\\uffffc\\u0000d\\u0008e\ufffdf');
  });

  it('keeps the beginning of a long reason, and no half of a character that was cut', async () => {
    await jobsQueue.sendDeadLetters([aLetter(`!${'\u{1f4b6}'.repeat(1_000)}`)]);
    const [message] = await onDeadLetterQueue();
    expect(message && attributesOf(message)['reason']).toBe(`!${'\u{1f4b6}'.repeat(511)}\ufffd`);
  });
});
