import type { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSqsResults } from '../../lib/aws/sqs-queues.ts';
import { batchResultExamples } from '../../infra/contracts/examples.ts';
import type { BatchResults } from '../../lib/batches/batch-ports.ts';
import { createSqsBatchResults } from '../../lib/batches/sqs-batch-queues.ts';
import type { Results } from '../../lib/payout/ports.ts';
import type { BatchResult } from '../../lib/batches/batch-result.ts';
import type { Result } from '../../lib/payout/message/result.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { attributesOf, newQueue, received, refuseEntries, sqsClient } from '../support/sqs-queues.ts';

let aws: EmbeddedAws;
let client: SQSClient;
let queueUrl: string;
let results: Results & BatchResults;

/** Results of orders and of batches, on one queue. */
const resultsOn = (url: string): Results & BatchResults => ({
  ...createSqsResults({ client, queueUrl: url }),
  ...createSqsBatchResults({ client, queueUrl: url }),
});

beforeAll(async () => {
  aws = await startEmbeddedAws();
});

afterAll(() => aws.close());

beforeEach(async () => {
  client = sqsClient(aws);
  queueUrl = await newQueue(client);
  results = resultsOn(queueUrl);
});

function aResult(changes: Partial<Result> = {}): Result {
  return {
    version: 1,
    resultId: 'acme-eu/INV-1/2',
    operation: 'payout',
    merchant: 'acme-eu',
    endpointId: '39915',
    orderId: 'INV-1',
    status: 'accepted',
    final: true,
    payoutId: '9000123',
    amount: '10.42',
    currency: 'EUR',
    attempts: 1,
    revision: 2,
    occurredAt: '2026-11-21T10:00:00.000Z',
    ...changes,
  };
}

const resultsOnQueue = async () => (await received(client, queueUrl)).map(({ Body }) => JSON.parse(Body ?? ''));
const ids = (found: readonly Result[]) => found.map(({ resultId }) => resultId).toSorted();

describe('a result', () => {
  it('keeps what JSON can hold and SQS cannot: it travels as escapes', async () => {
    const context = { note: 'a\uffffb\ufffec\u0000d\ud800e "quoted" \\uffff' };
    await results.send([aResult({ context: JSON.stringify(context) })]);
    const [message] = await received(client, queueUrl);
    // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
    expect(message?.Body).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
    expect(JSON.parse(message?.Body ?? '')).toEqual({ ...aResult(), context });
  });
});

describe('a batch result', () => {
  const closed = batchResultExamples[0] as BatchResult;

  it('arrives as it is, and its attributes tell it from the result of an order', async () => {
    await results.tellBatch(closed);
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
    await expect(results.tellBatch(closed)).rejects.toThrow('did not take the batch result');
    const nowhere = createSqsBatchResults({ client: sqsClient(aws), queueUrl: `${queueUrl}-gone` });
    await expect(nowhere.tellBatch(closed)).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
  });
});

describe('a batch of results', () => {
  const ten = Array.from({ length: 10 }, (_, index) => aResult({ resultId: `result-${index}` }));

  it('names by their place those that were not taken; the others are on the queue', async () => {
    refuseEntries(client, [0, 3, 9]);
    expect(await results.send(ten)).toEqual(new Set([0, 3, 9]));
    const taken = ten.filter((_, place) => ![0, 3, 9].includes(place));
    expect(ids(await resultsOnQueue())).toEqual(ids(taken));
  });
});
