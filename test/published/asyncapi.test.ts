// The AsyncAPI document says what is really on the queues: the adapters send, and their messages are held to it.
import { readFileSync } from 'node:fs';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contracts } from '../../infra/contracts/contracts.ts';
import { createSqsJobsQueue, createSqsResults } from '../../lib/aws/sqs-queues.ts';
import { redrivenOf } from '../../lib/dead-letters/dead-letter.ts';
import { createSqsBatchResults } from '../../lib/batches/sqs-batch-queues.ts';
import { rejection, type Result, type ReadResult } from '../../lib/payout/message/result.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { attributesOf, newQueue, received, sqsClient } from '../support/sqs-queues.ts';
import { asyncApiCheck, asyncApiMessages, contractText } from './schemas.ts';

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

/** The attributes of the messages on the queue that the document does not allow, with why. */
async function undocumented(name: 'job' | 'result' | 'batchResult' | 'deadLetter') {
  const { headers, payload } = asyncApiMessages[name] ?? { headers: {}, payload: {} };
  const takesHeaders = asyncApiCheck({ ...headers, additionalProperties: false });
  const takesPayload = asyncApiCheck(payload);
  const messages = await received(client, queueUrl);
  expect(messages.length).toBeGreaterThan(0);
  return messages.flatMap((message) => {
    const body = name === 'deadLetter' ? message.Body : JSON.parse(message.Body ?? '');
    takesHeaders(attributesOf(message));
    takesPayload(body);
    return [...(takesHeaders.errors ?? []), ...(takesPayload.errors ?? [])];
  });
}

const asWritten = ({ context, ...result }: Omit<Result, 'context'> & Pick<ReadResult, 'context'>): Result => ({
  ...result,
  ...(context && { context: JSON.stringify(context) }),
});

describe('on the queue is what the document says', () => {
  it('of results, those without an order included', async () => {
    const bare = rejection({
      messageId: 'm-1',
      identity: {},
      failure: { code: 'INVALID_MESSAGE', message: 'x' },
      nowMs: 0,
    });
    await createSqsResults({ client, queueUrl }).send([...contracts.result.examples.map(asWritten), bare]);
    expect(await undocumented('result')).toEqual([]);
  });

  it('of the result of a batch', async () => {
    const results = createSqsBatchResults({ client, queueUrl });
    for (const example of contracts['batch-result'].examples) await results.tellBatch(example);
    expect(await undocumented('batchResult')).toEqual([]);
  });

  it('of dead letters that are brought back', async () => {
    const [job] = contracts.job.examples;
    const of = { messageId: 'm-1', handle: 'h-1', sentAtMs: 0, movedBySqs: false };
    const { body, attributes } = redrivenOf({ ...of, body: JSON.stringify(job), attributes: new Map() });
    const MessageAttributes = Object.fromEntries(
      [...attributes].map(([name, { dataType, text }]) => [name, { DataType: dataType, StringValue: text }]),
    );
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, MessageAttributes }));
    expect(await undocumented('job')).toEqual([]);
  });

  it('of dead letters', async () => {
    const queue = createSqsJobsQueue({ client, deadLetterQueueUrl: queueUrl });
    const reason = { code: 'INVALID_MESSAGE', message: 'message: is not JSON' } as const;
    await queue.sendDeadLetters([{ body: 'paid!', reason, originMessageId: 'm-1', redrives: 1, groupId: 'acme-eu' }]);
    expect(await undocumented('deadLetter')).toEqual([]);
  });
});

it('the queues bear the names that they are deployed under', () => {
  const template = readFileSync(new URL('../../infra/resources/queues.yml', import.meta.url), 'utf8');
  const deployed = new Set(
    [...template.matchAll(/QueueName: (\S+)/g)].map(([, name = '']) => name.replace('${sls:stage}', '{stage}')),
  );
  const named = [...contractText('asyncapi.json').matchAll(/"(?:name|address)": "(payouts-[^"]+)"/g)].map(
    ([, name]) => name,
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !deployed.has(name ?? ''))).toEqual([]);
});
