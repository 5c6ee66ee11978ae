// Checks and depths on the embedded queues, through the real client.
import { ChangeMessageVisibilityCommand, GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSqsQueueDepths } from '../../lib/aws/sqs-queue-depths.ts';
import { createSqsChecksQueue } from '../../lib/aws/sqs-queues.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { newQueue, received, refuseEntries, sqsClient } from '../support/sqs-queues.ts';

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

const bodies = async () => (await received(client, queueUrl)).map(({ Body = '' }) => JSON.parse(Body) as object);
const one = (orderKey: string, delaySeconds = 0) => ({ check: { orderKey, inquiries: 3 }, delaySeconds });

describe('a check', () => {
  it('arrives as it was sent, with its version', async () => {
    const queue = createSqsChecksQueue({ client, queueUrl });
    const now = { check: { orderKey: 'acme-eu/INV "№ 7"', inquiries: 0, now: true as const }, delaySeconds: 0 };
    expect(await queue.send([now])).toStrictEqual(new Set());
    expect(await bodies()).toStrictEqual([{ version: 1, orderKey: 'acme-eu/INV "№ 7"', inquiries: 0, now: true }]);
  });

  it('arrives after its delay', async () => {
    const queue = createSqsChecksQueue({ client, queueUrl });
    await queue.send([one('acme-eu/INV-1', 1), one('acme-eu/INV-2')]);
    expect(await bodies()).toMatchObject([{ orderKey: 'acme-eu/INV-2', inquiries: 3 }]);
    await expect.poll(bodies, { timeout: 5_000 }).toMatchObject([{ orderKey: 'acme-eu/INV-1' }]);
  });

  it('that the queue did not take is named by its place', async () => {
    refuseEntries(client, [1]);
    const queue = createSqsChecksQueue({ client, queueUrl });
    expect(await queue.send([one('acme-eu/INV-1'), one('acme-eu/INV-2'), one('acme-eu/INV-3')])).toStrictEqual(
      new Set([1]),
    );
    const keys = (await bodies()).map((it) => ('orderKey' in it ? it.orderKey : undefined));
    expect(keys.toSorted()).toEqual(['acme-eu/INV-1', 'acme-eu/INV-3']);
  });

  it('fails to be sent where there is no queue', async () => {
    const queue = createSqsChecksQueue({ client, queueUrl: `${queueUrl}-none` });
    await expect(queue.send([one('acme-eu/INV-1')])).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
  });
});

describe('the embedded checks queue', () => {
  it('shows a check again after a minute, and keeps it however often it is received', async () => {
    const all = { QueueUrl: aws.queueUrls.checks, AttributeNames: ['All' as const] };
    const { Attributes } = await client.send(new GetQueueAttributesCommand(all));
    expect(Attributes).toMatchObject({ VisibilityTimeout: '60' });
    expect(Attributes).not.toHaveProperty('RedrivePolicy');
  });
});

describe('the depth of a queue', () => {
  const send = (QueueUrl: string, MessageBody: string) =>
    client.send(new SendMessageCommand({ QueueUrl, MessageBody }));

  it('counts what waits and what somebody works on, by the names given', async () => {
    const other = await newQueue(client);
    const depths = createSqsQueueDepths({ client, queueUrls: { checksDepth: queueUrl, deadLettersDepth: other } });
    expect(await depths.measure()).toStrictEqual({ checksDepth: 0, deadLettersDepth: 0 });
    await Promise.all([send(queueUrl, 'a'), send(queueUrl, 'b'), send(other, 'c')]);
    expect(await depths.measure()).toStrictEqual({ checksDepth: 2, deadLettersDepth: 1 });
    const [message] = await received(client, queueUrl);
    expect(await depths.measure()).toStrictEqual({ checksDepth: 2, deadLettersDepth: 1 });
    const { ReceiptHandle } = message ?? {};
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
    expect(await depths.measure()).toStrictEqual({ checksDepth: 2, deadLettersDepth: 1 });
  });

  it('fails where there is no queue', async () => {
    const depths = createSqsQueueDepths({ client, queueUrls: { checksDepth: `${queueUrl}-none` } });
    await expect(depths.measure()).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
  });
});
