// The worker's own queue, on the embedded queues, through the real client.
import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SendMessageBatchCommandInput, SendMessageCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSqsOwnQueue, createSqsReferences } from '../../lib/aws/sqs-queues.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { type OwnTask, readOwnTask } from '../../lib/payout/inquire/own-queue.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { anAttempt, anOrder } from '../support/orders.ts';
import { newQueue, received, sqsClient } from '../support/sqs-queues.ts';

const taken = anAttempt({ answer: { kind: 'taken', atMs: 1 }, ids: ['9000123'] });
const verdict = { reason: 'expired', code: 'EXPIRED', message: 'too late' } as const;
const contentOf = ({ content }: Order) => (content ? { content } : {});

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

const bodies = async () => (await received(client, queueUrl)).map(({ Body = '' }) => Body);
const words = async () => (await bodies()).map((it) => readOwnTask(it));
/** The message groups of what this client sends; the embedded queues take a group and do not give it back. */
function groupsOfSends(of: SQSClient): readonly (string | undefined)[] {
  const groups: (string | undefined)[] = [];
  of.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === SendMessageCommand.name)
          groups.push((args.input as SendMessageCommandInput).MessageGroupId);
        if (commandName === SendMessageBatchCommand.name)
          for (const { MessageGroupId } of (args.input as SendMessageBatchCommandInput).Entries ?? [])
            groups.push(MessageGroupId);
        return next(args);
      },
    { step: 'initialize' },
  );
  return groups;
}

const checkOf = (key: string) => ({ kind: 'check', key, leaseMs: 5 }) as const;
const one = (key: string, delaySeconds = 0) => ({ message: checkOf(key), delaySeconds });

describe("a word on the worker's own queue", () => {
  it.each<[what: string, word: OwnTask]>([
    ['a check', { kind: 'check', key: 'acme-eu/INV "№ 7"', leaseMs: 5 }],
    ['an answer', { kind: 'answer', key: 'acme-eu/INV-1', attempt: taken, ...contentOf(anOrder()) }],
    ['an answer that ends its order', { kind: 'answer', key: 'acme-eu/INV-1', attempt: taken, verdict }],
  ])('arrives as it was sent: %s', async (_, message) => {
    const queue = createSqsOwnQueue({ client, queueUrl });
    expect(await queue.send([{ message, delaySeconds: 0 }])).toEqual(new Set());
    expect(await words()).toEqual([message]);
  });

  it('arrives after its delay', async () => {
    const queue = createSqsOwnQueue({ client, queueUrl });
    await queue.send([one('acme-eu/INV-1', 1), one('acme-eu/INV-2')]);
    expect(await words()).toEqual([checkOf('acme-eu/INV-2')]);
    await expect.poll(words, { timeout: 5_000 }).toEqual([checkOf('acme-eu/INV-1')]);
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
