// Jobs of a producer onto a real queue of the emulator, whatever the weather at SQS.
import {
  DeleteQueueCommand,
  SendMessageBatchCommand,
  type SendMessageBatchCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { parseJob } from '../../lib/payout/message/job.ts';
import { readJob } from '../../lib/payout/message/read-job.ts';
import type { SealOptions } from '../../lib/client/jose-seal-job.ts';
import { cardJwks } from '../support/card-keys.ts';
import { aTransferJob, withoutParams } from '../support/jobs.ts';
import type { JobMessage, JobOf } from '../../lib/client/job-message.ts';
import { sendJobs } from '../../lib/client/sqs-send-jobs.ts';
import { newQueue, received, sqsClient } from '../support/sqs-queues.ts';

let aws: EmbeddedAws;
let client: SQSClient;
let queueUrl: string;
let pausesMs: number[];

beforeAll(async () => {
  aws = await startEmbeddedAws();
});

afterAll(() => aws.close());

beforeEach(async () => {
  client = sqsClient(aws);
  queueUrl = await newQueue(client);
  pausesMs = [];
});

const sleep = async (ms: number) => void pausesMs.push(ms);

const aJob = (orderId: string, changes: Partial<JobOf<'payout'>> = {}): JobMessage => ({
  version: 1,
  operation: 'payout',
  merchant: 'acme-eu',
  endpointId: '39915',
  orderId,
  params: { amount: '10.42', currency: 'EUR', account_number: 'DE89370400440532013000' },
  ...changes,
});

const jobs = (count: number) => Array.from({ length: count }, (_, index) => aJob(`INV-${index}`));

/** The order ids on the queue. */
async function orderIdsOnQueue(): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const messages = await received(client, queueUrl);
    if (messages.length === 0) return found.toSorted();
    found.push(...messages.map(({ Body = '' }) => JSON.parse(Body).orderId));
  }
}

/** What SQS does with the entries of one call: throws, or refuses those that `refuses` picks. */
interface Mood {
  readonly throws?: string;
  readonly refuses?: (orderId: string) => boolean;
  readonly senderFault?: boolean;
}

/** SQS in these moods, one a call, and then in none; tells what each call asked for. */
function sqsIn(...moods: readonly Mood[]): SendMessageBatchCommandInput[] {
  const calls: SendMessageBatchCommandInput[] = [];
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== SendMessageBatchCommand.name) return next(args);
        const input = args.input as SendMessageBatchCommandInput;
        const { throws, refuses = () => false, senderFault = false } = moods[calls.length] ?? {};
        calls.push(input);
        if (throws !== undefined) throw Object.assign(new Error('fake weather'), { name: throws });
        const refused = input.Entries?.filter((it) => refuses(JSON.parse(it.MessageBody ?? '').orderId)) ?? [];
        const Entries = input.Entries?.filter((it) => !refused.includes(it)) ?? [];
        const Failed = refused.map(({ Id }) => ({ Id, Code: 'FakeWeather', SenderFault: senderFault }));
        if (Entries.length === 0) return { output: { $metadata: {}, Failed }, response: {} };
        const result = await next({ ...args, input: { ...input, Entries } });
        return { ...result, output: { ...result.output, Failed } };
      },
    { step: 'initialize', priority: 'low' },
  );
  return calls;
}

describe('jobs that SQS takes', () => {
  it('go ten a call, each in the message group of its merchant, and are told with their message ids', async () => {
    const calls = sqsIn();
    const report = await sendJobs(client, queueUrl, [...jobs(20), aJob('US-1', { merchant: ' globex-us ' })]);
    expect(report.notSent).toEqual([]);
    expect(report.sent.map(({ index, orderId }) => [index, orderId]).at(-1)).toEqual([20, 'US-1']);
    expect(report.sent.every(({ messageId }) => /^[0-9a-f-]{36}$/.test(messageId))).toBe(true);
    expect(calls.map(({ Entries }) => Entries?.map((it) => it.MessageGroupId))).toEqual([
      Array.from({ length: 10 }, () => 'acme-eu'),
      Array.from({ length: 10 }, () => 'acme-eu'),
      ['globex-us'],
    ]);
    expect(await orderIdsOnQueue()).toEqual([...jobs(20).map(({ orderId }) => orderId), 'US-1'].toSorted());
  });

  it('go to the queue of rows where they are of a batch, and keep their places in the report', async () => {
    const rowsUrl = await newQueue(client);
    const row = (orderId: string) => aJob(orderId, { batchId: 'payday' });
    const mixed = [row('ROW-1'), aJob('URGENT'), row('ROW-2')];
    const report = await sendJobs(client, { jobs: queueUrl, batchJobs: rowsUrl }, mixed);
    expect(report.sent.map(({ index, orderId }) => [index, orderId])).toEqual([
      [0, 'ROW-1'],
      [1, 'URGENT'],
      [2, 'ROW-2'],
    ]);
    expect(await orderIdsOnQueue()).toEqual(['URGENT']);
    expect((await received(client, rowsUrl)).map(({ Body = '' }) => JSON.parse(Body).orderId).toSorted()).toEqual([
      'ROW-1',
      'ROW-2',
    ]);
  });

  it.each([
    ['one queue alone', (jobsUrl: string) => jobsUrl],
    ['no queue of rows', (jobsUrl: string) => ({ jobs: jobsUrl })],
    ['an empty setting for it', (jobsUrl: string) => ({ jobs: jobsUrl, batchJobs: '' })],
  ])('go all to the jobs queue where their sender names %s', async (_, queues) => {
    await sendJobs(client, queues(queueUrl), [aJob('ROW-1', { batchId: 'payday' }), aJob('URGENT')]);
    expect(await orderIdsOnQueue()).toEqual(['ROW-1', 'URGENT']);
  });

  it('are sent although the other queue is not there', async () => {
    const queues = { jobs: queueUrl, batchJobs: `${queueUrl}-nowhere` };
    const mixed = [aJob('ROW-1', { batchId: 'payday' }), aJob('URGENT')];
    const report = await sendJobs(client, queues, mixed, { attempts: 1, sleep });
    expect(report.sent.map(({ orderId }) => orderId)).toEqual(['URGENT']);
    expect(report.notSent).toMatchObject([
      { orderId: 'ROW-1', reason: { kind: 'refused', code: 'QueueDoesNotExist' } },
    ]);
  });

  it('arrive as the worker reads them, with what JSON can hold and SQS can not', async () => {
    const job = aJob('INV-1', { context: { note: 'a\uffffb\ufffec' } });
    await sendJobs(client, queueUrl, [job]);
    const [message] = await received(client, queueUrl);
    const parsed = parseJob(message?.Body ?? '');
    expect(parsed.kind === 'job' && JSON.parse(parsed.job.context ?? '')).toEqual(job.context);
    expect(message?.Body).not.toMatch(/[\ufffe\uffff]/);
  });
});

describe('a job that the worker would refuse', () => {
  it('is not sent; its faults are told, and the others go', async () => {
    const faulty = aJob('BAD', { params: { amount: '10.421', currency: 'EUR' } });
    const report = await sendJobs(client, queueUrl, [aJob('INV-1'), faulty, aJob('INV-2')]);
    expect(report.notSent).toEqual([
      {
        index: 1,
        orderId: 'BAD',
        reason: { kind: 'faulty', faults: [{ field: 'params.amount', fault: 'has 3 decimals; EUR takes at most 2' }] },
      },
    ]);
    expect(report.sent.map(({ index }) => index)).toEqual([0, 2]);
    expect(await orderIdsOnQueue()).toEqual(['INV-1', 'INV-2']);
  });
});

describe('card data', () => {
  const transfer = withoutParams(aTransferJob(), 'cvv2') as unknown as JobMessage;

  it('is sealed on the way under the keys that are given', async () => {
    const { sent } = await sendJobs(client, queueUrl, [transfer, aJob('INV-1')], { seal: { jwks: cardJwks } });
    expect(sent).toHaveLength(2);
    const bodies = (await received(client, queueUrl)).map(({ Body = '' }) => Body);
    expect(bodies.map((body) => readJob(body).kind)).toEqual(['job', 'job']);
    expect(bodies.join()).not.toMatch(/4111|5555|JANE/);
  });

  it.each<[what: string, seal: { readonly seal?: SealOptions }, job: JobMessage, fault: string]>([
    ['without keys', {}, transfer, 'credit_card_number, card_printed_name, expire_month'],
    [
      'in a text',
      { seal: { jwks: cardJwks } },
      aJob('INV-1', { params: { amount: '1', currency: 'EUR', order_desc: '4111111111111111' } }),
      'order_desc',
    ],
    [
      'with a CVV whose key has no place',
      { seal: { jwks: cardJwks } },
      aTransferJob() as unknown as JobMessage,
      'a CVV needs a store for its key',
    ],
  ])('%s is not sent, and the fault names the field and no value', async (_, seal, job, fault) => {
    const report = await sendJobs(client, queueUrl, [job, aJob('INV-2')], seal);
    expect(report.notSent).toMatchObject([
      { index: 0, reason: { kind: 'faulty', faults: [{ fault: expect.stringContaining(fault) }] } },
    ]);
    expect(JSON.stringify(report.notSent)).not.toMatch(/4111|5555|737|JANE/);
    expect(await orderIdsOnQueue()).toEqual(['INV-2']);
  });
});

describe('whatever a program without types has given', () => {
  it.each([
    ['nothing', null],
    ['a text', 'INV-1'],
    ['an order id that is no text', { ...aJob('INV-1'), orderId: { toString: 1 } }],
    ['an object without a prototype as the order id', { ...aJob('INV-1'), orderId: Object.create(null) as unknown }],
    ['what can not be written as JSON', { ...aJob('INV-1'), context: { amount: 1n } }],
  ])('%s: is told as faulty, never thrown', async (_what, job) => {
    const report = await sendJobs(client, queueUrl, [job as never, aJob('INV-2')]);
    expect(report.notSent).toMatchObject([{ index: 0, reason: { kind: 'faulty' } }]);
    expect(report.sent.map(({ orderId }) => orderId)).toEqual(['INV-2']);
  });

  it('an IBAN with wrong check digits: is told as `payouts submit` tells it, and not sent', async () => {
    const params = { amount: '10.42', currency: 'EUR', account_number: 'DE88370400440532013000' };
    const report = await sendJobs(client, queueUrl, [aJob('INV-1', { params })]);
    const fault = 'is an IBAN whose check digits are wrong; take it from the payee again';
    expect(report.notSent).toMatchObject([
      { reason: { kind: 'faulty', faults: [{ field: 'params.account_number', fault }] } },
    ]);
    expect(await orderIdsOnQueue()).toEqual([]);
  });
});

describe('what SQS does not take', () => {
  it('for want of a connection is told by the name of that', async () => {
    const nowhere = new SQSClient({
      endpoint: 'http://127.0.0.1:9',
      region: 'eu-west-1',
      maxAttempts: 1,
      credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
    });
    const report = await sendJobs(nowhere, 'http://127.0.0.1:9/jobs', jobs(1), { attempts: 1, sleep });
    expect(report.notSent).toMatchObject([{ reason: { kind: 'refused', code: 'ECONNREFUSED' } }]);
  });

  it('in part is sent again, that part alone, after growing pauses', async () => {
    const odd = (orderId: string) => /[13579]$/.test(orderId);
    const calls = sqsIn({ refuses: odd }, { refuses: (it) => it === 'INV-7' });
    const report = await sendJobs(client, queueUrl, jobs(10), { sleep });
    expect(report.notSent).toEqual([]);
    expect(calls.map(({ Entries }) => Entries?.length)).toEqual([10, 5, 1]);
    expect(pausesMs).toEqual([200, 400]);
    expect(await orderIdsOnQueue()).toEqual(jobs(10).map(({ orderId }) => orderId));
  });

  it('ever is told with its code, and the next ten are tried all the same', async () => {
    const stubborn: Mood = { refuses: (it) => it === 'INV-3' };
    sqsIn(stubborn, stubborn, stubborn);
    const report = await sendJobs(client, queueUrl, jobs(12), { attempts: 3, sleep });
    expect(report.notSent).toEqual([{ index: 3, orderId: 'INV-3', reason: { kind: 'refused', code: 'FakeWeather' } }]);
    expect(report.sent.length).toBe(11);
  });

  it('by our own fault is told at once: the same again would be refused again', async () => {
    const calls = sqsIn({ refuses: (it) => it === 'INV-0', senderFault: true });
    const report = await sendJobs(client, queueUrl, jobs(2), { sleep });
    expect(report.notSent.map(({ orderId, reason }) => [orderId, reason.kind])).toEqual([['INV-0', 'refused']]);
    expect(calls.length).toBe(1);
    expect(pausesMs).toEqual([]);
  });

  it('because a call failed is sent again whole', async () => {
    sqsIn({ throws: 'TimeoutError' });
    const report = await sendJobs(client, queueUrl, jobs(3), { sleep });
    expect(report.notSent).toEqual([]);
    expect(await orderIdsOnQueue()).toEqual(['INV-0', 'INV-1', 'INV-2']);
  });

  it('because every call fails is told, and the rest is not tried', async () => {
    await client.send(new DeleteQueueCommand({ QueueUrl: queueUrl }));
    const calls = sqsIn();
    const report = await sendJobs(client, queueUrl, jobs(25), { attempts: 2, sleep });
    expect(report.sent).toEqual([]);
    expect(report.notSent.map(({ index }) => index)).toEqual(jobs(25).map((_, index) => index));
    expect(new Set(report.notSent.map(({ reason }) => JSON.stringify(reason)))).toEqual(
      new Set(['{"kind":"refused","code":"QueueDoesNotExist"}']),
    );
    expect(calls.length).toBe(2);
  });
});

it('no jobs are no call', async () => {
  const calls = sqsIn();
  expect(await sendJobs(client, queueUrl, [])).toEqual({ sent: [], notSent: [] });
  expect(calls).toEqual([]);
});
