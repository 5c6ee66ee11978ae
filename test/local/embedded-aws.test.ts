import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { DescribeTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startEmbeddedAws, type EmbeddedAws } from '../../lib/local/embedded-aws.ts';

let aws: EmbeddedAws;
let sqs: SQSClient;
let dynamodb: DynamoDBClient;
let secretsManager: SecretsManagerClient;

beforeAll(async () => {
  aws = await startEmbeddedAws({ maxReceiveCount: 2, visibilityTimeoutSeconds: 1 });
  // The clients learn of the environment as the worker does: from the variables alone.
  for (const [name, value] of Object.entries(aws.environment)) vi.stubEnv(name, value);
  sqs = new SQSClient();
  dynamodb = new DynamoDBClient();
  secretsManager = new SecretsManagerClient();
});

afterAll(async () => {
  for (const client of [sqs, dynamodb, secretsManager]) client.destroy();
  await aws.close();
  vi.unstubAllEnvs();
});

describe('the embedded environment', () => {
  it('is up on loopback addresses, with credentials nobody takes for real', () => {
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
  });

  it('has a jobs queue that redrives to its dead-letter queue, and a results queue', async () => {
    const all = { QueueUrl: aws.queueUrls.jobs, AttributeNames: ['All' as const] };
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand(all));
    expect(Attributes?.['VisibilityTimeout']).toBe('1');
    expect(JSON.parse(Attributes?.['RedrivePolicy'] ?? '')).toStrictEqual({
      deadLetterTargetArn: 'arn:aws:sqs:eu-central-1:000000000000:payouts-jobs-dead-letter',
      maxReceiveCount: 2,
    });
    expect((await sqs.send(new ListQueuesCommand())).QueueUrls?.toSorted()).toStrictEqual(
      Object.values(aws.queueUrls).toSorted(),
    );
  });

  it('moves a job to the dead-letter queue once it was received maxReceiveCount times', async () => {
    await sqs.send(new SendMessageCommand({ QueueUrl: aws.queueUrls.jobs, MessageBody: 'poison' }));
    const receive = async (QueueUrl: string, WaitTimeSeconds: number): Promise<readonly (string | undefined)[]> => {
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds }));
      return Messages.map(({ Body }) => Body);
    };
    expect(await receive(aws.queueUrls.jobs, 1)).toStrictEqual(['poison']);
    expect(await receive(aws.queueUrls.jobs, 2)).toStrictEqual(['poison']);
    expect(await receive(aws.queueUrls.jobs, 2)).toStrictEqual([]);
    expect(await receive(aws.queueUrls.jobsDeadLetter, 1)).toStrictEqual(['poison']);
  });

  it('answers GetQueueUrl with an address that can be reached', async () => {
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: 'payouts-results' }));
    expect(QueueUrl).toBe(aws.queueUrls.results);
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

  it('lets one of ten concurrent claims win', async () => {
    const claim = (owner: number) =>
      dynamodb.send(
        new PutItemCommand({
          TableName: aws.ledgerTableName,
          Item: { pk: { S: 'acme/1' }, owner: { N: String(owner) } },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      );
    const claims = await Promise.allSettled(Array.from({ length: 10 }, (_, owner) => claim(owner)));
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('outlives a ledger client that goes away in mid-request', async () => {
    const socket = connect(Number(new URL(aws.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '').port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST / HTTP/1.1\r\nHost: ledger\r\nContent-Length: 1000\r\n\r\n{"TableName"');
    await setTimeout(50);
    socket.destroy();
    await setTimeout(50);
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: aws.ledgerTableName }));
    expect(Table?.TableStatus).toBe('ACTIVE');
  });

  it('serves secrets put in by hand', async () => {
    aws.secrets.put('payouts/acme', { login: 'acme' });
    const { SecretString } = await secretsManager.send(new GetSecretValueCommand({ SecretId: 'payouts/acme' }));
    expect(SecretString).toBe('{"login":"acme"}');
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
});
