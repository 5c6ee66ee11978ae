// EVERY CALL ENDS (promise 8): each client of AWS, each kind of call, at an endpoint that does what a dying service
// or network does. The limits are short here; that a call ended at all, and in time, is what counts.
import { setTimeout as sleep } from 'node:timers/promises';
import { GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import {
  type AttributeValue,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { GenerateMacCommand, SignCommand, VerifyMacCommand } from '@aws-sdk/client-kms';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AwsClientOptions } from '../../lib/aws/aws-calls.ts';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-table.ts';
import { newKmsClient } from '../../lib/aws/kms-client.ts';
import { newSecretsManagerClient } from '../../lib/aws/secrets-manager-credentials.ts';
import { newStsClient } from '../../lib/batches/sts-identity.ts';
import { newCloudFormationClient } from '../../lib/doctor/watching-clients.ts';
import { newLambdaClient } from '../../lib/aws/lambda-functions.ts';
import { longPolling } from '../../lib/payout/limits.ts';
import { type Manner, startRawServer } from '../support/raw-server.ts';
import { newSqsClient } from '../../lib/aws/sqs-queues.ts';

const limits = { awsConnectTimeoutMs: 100, awsRequestTimeoutMs: 100, awsCallTimeoutMs: 350, awsAttempts: 3 };
/** Generous: this machine may be busy with other things. A call that hangs takes for ever. */
const surelyEndedMs = 10 * limits.awsCallTimeoutMs;

const TableName = 'ledger';
const QueueUrl = 'http://sqs.test/000000000000/jobs';
const key: Record<string, AttributeValue> = { pk: { S: 'acme-eu/INV-1' } };
const mac = { MacAlgorithm: 'HMAC_SHA_256', Message: new Uint8Array(8) } as const;
const entry = { Id: '0', ReceiptHandle: 'handle', VisibilityTimeout: 0, MessageBody: '{}' };

type Call = (options: AwsClientOptions) => Promise<unknown>;

/** Every kind of call that the worker and its tools make. */
const calls: Readonly<Record<string, Call>> = {
  'DynamoDB GetItem': (its) => newDynamoDbClient(its).send(new GetItemCommand({ TableName, Key: key })),
  'DynamoDB PutItem': (its) => newDynamoDbClient(its).send(new PutItemCommand({ TableName, Item: key })),
  'DynamoDB UpdateItem': (its) => newDynamoDbClient(its).send(new UpdateItemCommand({ TableName, Key: key })),
  'DynamoDB Query': (its) => newDynamoDbClient(its).send(new QueryCommand({ TableName })),
  'DynamoDB Scan': (its) => newDynamoDbClient(its).send(new ScanCommand({ TableName })),
  'SQS SendMessageBatch': (its) => sqs(its).send(new SendMessageBatchCommand({ QueueUrl, Entries: [entry] })),
  'SQS ChangeMessageVisibilityBatch': (its) =>
    sqs(its).send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries: [entry] })),
  'SQS DeleteMessageBatch': (its) => sqs(its).send(new DeleteMessageBatchCommand({ QueueUrl, Entries: [entry] })),
  'SQS ReceiveMessage': (its) => sqs(its).send(new ReceiveMessageCommand({ QueueUrl })),
  'SQS GetQueueAttributes': (its) => sqs(its).send(new GetQueueAttributesCommand({ QueueUrl })),
  'Secrets Manager GetSecretValue': (its) =>
    newSecretsManagerClient(its).send(new GetSecretValueCommand({ SecretId: 'payouts/acme-eu' })),
  'Secrets Manager PutSecretValue': (its) =>
    newSecretsManagerClient(its).send(new PutSecretValueCommand({ SecretId: 'payouts/acme-eu', SecretString: '{}' })),
  'KMS Sign': (its) =>
    newKmsClient(its).send(
      new SignCommand({ KeyId: 'k', Message: new Uint8Array(32), SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256' }),
    ),
  'KMS GenerateMac': (its) => newKmsClient(its).send(new GenerateMacCommand({ ...mac, KeyId: 'k' })),
  'KMS VerifyMac': (its) =>
    newKmsClient(its).send(new VerifyMacCommand({ ...mac, KeyId: 'k', Mac: new Uint8Array(32) })),
  'STS GetCallerIdentity': (its) => newStsClient(its).send(new GetCallerIdentityCommand({})),
  'CloudFormation GetTemplate': (its) =>
    newCloudFormationClient(its).send(new GetTemplateCommand({ StackName: 'payouts' })),
  'Lambda GetFunctionConfiguration': (its) =>
    newLambdaClient(its).send(new GetFunctionConfigurationCommand({ FunctionName: 'submit' })),
};

// The queue's URL names no host that there is; the endpoint of the environment is asked instead.
const sqs = (its: AwsClientOptions) => newSqsClient(its, { useQueueUrlAsEndpoint: false });

const head = (length: number) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: ${length}`;

/** What an endpoint does with a call, and how the call must end. */
const manners: Readonly<Record<string, Manner>> = {
  'takes the connection and never answers': () => {},
  'answers when the call is long over': async (socket, request) => {
    await request;
    await sleep(2 * limits.awsCallTimeoutMs);
    socket.write(`${head(2)}\r\n\r\n{}`);
  },
  'sends half an answer and falls silent': async (socket, request) => {
    await request;
    socket.write(`${head(1_000)}\r\n\r\n{"half":`);
  },
  'sends its answer a byte at a time, without end': async (socket, request) => {
    await request;
    socket.write(`${head(1_000_000)}\r\n\r\n`);
    while (!socket.destroyed) {
      socket.write(' ');
      await sleep(20);
    }
  },
  'sends the head of its answer a byte at a time': async (socket, request) => {
    await request;
    for (let at = 0; !socket.destroyed; at += 1) {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: '[at] ?? 'a');
      await sleep(20);
    }
  },
  'hangs up in the middle': async (socket, request) => {
    await request;
    socket.end(`${head(1_000)}\r\n\r\n{"half":`);
  },
  'cuts the connection': (socket) => socket.destroy(),
  'asks to be called again in an hour': async (socket, request) => {
    await request;
    const tooMany = 'HTTP/1.1 503 Slow Down\r\nretry-after: 3600\r\nx-amz-retry-after: 3600000\r\ncontent-length: 2';
    socket.end(`${tooMany}\r\nconnection: close\r\n\r\n{}`);
  },
};

/** Points every client of the standard environment at this endpoint. */
function pointAt(url: string): void {
  vi.stubEnv('AWS_ENDPOINT_URL', new URL(url).origin);
}

/** How each call ended, and whether it did so in time. */
async function endsOf(some: Readonly<Record<string, Call>>, options: AwsClientOptions) {
  const ends = Object.entries(some).map(async ([name, call]) => {
    const startedMs = performance.now();
    const ended = call(options).then(
      () => 'believed',
      (error: unknown) => (error instanceof Error ? 'failed' : 'odd'),
    );
    const end = await Promise.race([ended, sleep(surelyEndedMs, 'hangs', { ref: false })]);
    return [name, performance.now() - startedMs < surelyEndedMs ? end : 'hangs'];
  });
  return Object.fromEntries(await Promise.all(ends)) as Record<string, string>;
}

const allFailed = Object.fromEntries(Object.keys(calls).map((name) => [name, 'failed']));

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'fake');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'fake');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('every call of every client ends, where the endpoint', () => {
  it.each(Object.entries(manners))('%s', async (_, manner) => {
    pointAt((await startRawServer('http', manner)).url);
    expect(await endsOf(calls, { limits })).toEqual(allFailed);
  });
});

it('a call ends although its credentials never come', async () => {
  const credentials = () => new Promise<never>(() => {});
  const call: Call = (its) => newDynamoDbClient(its, { credentials }).send(new GetItemCommand({ TableName, Key: key }));
  expect(await endsOf({ call }, { limits })).toEqual({ call: 'failed' });
});

it('a silent endpoint is asked a second time within the call: one lost packet is no failure', async () => {
  let connections = 0;
  const server = await startRawServer('http', async (socket, request) => {
    connections += 1;
    await request;
    if (connections > 1) socket.end(`${head(2)}\r\nconnection: close\r\n\r\n{}`);
  });
  pointAt(server.url);
  const roomy = { ...limits, awsCallTimeoutMs: 30_000 };
  expect(await newDynamoDbClient({ limits: roomy }).send(new GetItemCommand({ TableName, Key: key }))).toMatchObject({
    $metadata: { attempts: 2 },
  });
});

describe('long polling', () => {
  it('is cut short by its caller', async () => {
    pointAt((await startRawServer('http', () => {})).url);
    const stop = new AbortController();
    const client = sqs({ limits: longPolling(limits) });
    const receiving = client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
      abortSignal: stop.signal,
    });
    stop.abort();
    await expect(receiving).rejects.toThrow('aborted');
  });
});
