// AWS inside this process: up on loopback, silent, and unharmed by clients that go away.
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDynamoDbWaiting } from '../../lib/aws/dynamodb-waiting.ts';
import { rowsWaiting } from '../../lib/local/queue-reader.ts';
import { startEmbeddedAws, type EmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { aParkedJob } from '../contract/waiting-contract.ts';

let aws: EmbeddedAws;
let sqs: SQSClient;
let dynamodb: DynamoDBClient;

beforeAll(async () => {
  aws = await startEmbeddedAws({ maxReceiveCount: 2, visibilityTimeoutSeconds: 1 });
  // The clients learn of the environment as the worker does: from the variables alone.
  for (const [name, value] of Object.entries(aws.environment)) vi.stubEnv(name, value);
  sqs = new SQSClient();
  dynamodb = new DynamoDBClient();
});

afterAll(async () => {
  for (const client of [sqs, dynamodb]) client.destroy();
  await aws.close();
  vi.unstubAllEnvs();
});

describe('the embedded environment', () => {
  it('is up on loopback addresses, with credentials that are clearly not real', async () => {
    const urls = Object.entries(aws.environment).filter(([name]) => name.startsWith('AWS_ENDPOINT_URL'));
    expect(urls.map(([name]) => name).sort()).toStrictEqual([
      'AWS_ENDPOINT_URL_DYNAMODB',
      'AWS_ENDPOINT_URL_KMS',
      'AWS_ENDPOINT_URL_SECRETS_MANAGER',
      'AWS_ENDPOINT_URL_SQS',
      'AWS_ENDPOINT_URL_STS',
    ]);
    for (const [, url] of urls) expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(aws.environment['AWS_ACCESS_KEY_ID']).toMatch(/fake/i);
    const queues = Object.values(aws.queueUrls).toSorted();
    expect((await sqs.send(new ListQueuesCommand())).QueueUrls?.toSorted()).toStrictEqual(queues);
  });

  it('counts what waits for anything but a person: what is kept of a held order ends no wait', async () => {
    const jobs = createDynamoDbWaiting({ client: dynamodb, tableName: aws.waitingTableName });
    await jobs.put(aParkedJob({ because: 'pace' }));
    expect(await rowsWaiting(dynamodb, aws.waitingTableName)).toBe(1);
    await jobs.put(aParkedJob({ key: 'acme-eu/HELD', because: 'undecided' }));
    expect(await rowsWaiting(dynamodb, aws.waitingTableName)).toBe(1);
  });

  it('does not keep a message for a long poll whose client has gone', async () => {
    const QueueUrl = aws.queueUrls.results;
    const gone = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
      abortSignal: AbortSignal.timeout(100),
    });
    await expect(gone).rejects.toMatchObject({ name: 'AbortError' });
    await setTimeout(50);
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'result' }));
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }));
    expect(Messages?.map(({ Body }) => Body)).toStrictEqual(['result']);
  });

  it('closes at once under an open long poll, and says nothing on the terminal from start to end', async () => {
    const said = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
    const another = await startEmbeddedAws();
    const client = new SQSClient({ maxAttempts: 1, endpoint: another.environment['AWS_ENDPOINT_URL_SQS'] ?? '' });
    const poll = client.send(new ReceiveMessageCommand({ QueueUrl: another.queueUrls.jobs, WaitTimeSeconds: 20 }));
    const ended = poll.then(
      () => 'answered',
      () => 'cut',
    );
    const startedAt = performance.now();
    await another.close();
    expect(['answered', 'cut']).toContain(await ended);
    // Far less than the poll would have waited.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    client.destroy();
    for (const write of said) expect(write).not.toHaveBeenCalled();
  });

  it('closes under a read of a table, on a machine that is slow with it', async () => {
    const another = await startEmbeddedAws();
    const client = new DynamoDBClient({
      maxAttempts: 1,
      endpoint: another.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
    });
    const slow = vi.spyOn(globalThis, 'setImmediate').mockImplementation(((then: () => void, ...its: []) => {
      return globalThis.setTimeout(then, 50, ...its);
    }) as unknown as typeof setImmediate);
    const read = client.send(new ScanCommand({ TableName: another.ledgerTableName })).catch(() => 'cut');
    await setTimeout(20);
    await another.close();
    expect(await read).toBe('cut');
    // A failure of the emulator after its end fails in this process, and with it this run.
    await setTimeout(100);
    slow.mockRestore();
    client.destroy();
  });
});
