// What stands in the bundles in the place of the SDK: it asks as the SDK asks, believes what the SDK believes, and has the
// SDK do whatever it was not plainly answered.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as dynamodbSdk from '@aws-sdk/client-dynamodb';
import * as secretsSdk from '@aws-sdk/client-secrets-manager';
import * as sqsSdk from '@aws-sdk/client-sqs';
import { HttpRequest } from '@smithy/core/protocols';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bounded, clientSettings } from '../../lib/aws/aws-calls.ts';
import { shortAddress, shortServices, signedShortRequest } from '../../lib/aws/http-aws-calls.ts';
import { clientOnDemand, commandOnDemand, errorOnDemand, type Sdk } from '../../lib/aws/sdk-on-demand.ts';
import { type Manner, startRawServer } from '../support/raw-server.ts';

const limits = { awsConnectTimeoutMs: 1_000, awsRequestTimeoutMs: 1_000, awsCallTimeoutMs: 8_000, awsAttempts: 3 };
const environment = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'FAKE', AWS_SECRET_ACCESS_KEY: 'fake-secret' };
const sdks: Readonly<Record<string, object>> = {
  DynamoDBClient: dynamodbSdk,
  SecretsManagerClient: secretsSdk,
  SQSClient: sqsSdk,
};

let loads = 0;
let lines: object[] = [];

beforeEach(() => {
  loads = 0;
  lines = [];
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  for (const name of ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SQS', 'AWS_ENDPOINT_URL_SECRETS_MANAGER'])
    vi.stubEnv(name, '');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A client whose first trouble loads the SDK. */
function aClient(name: string, awsAttempts = limits.awsAttempts, others: Partial<typeof limits> = {}) {
  const load = async () => {
    loads += 1;
    return sdks[name] as Sdk;
  };
  const log = { write: (_: string, event: string, fields: object) => void lines.push({ event, ...fields }) };
  const its = { ...limits, awsAttempts, ...others };
  return bounded(new (clientOnDemand(name, load))(clientSettings(its)), { limits: its, log });
}

const GetItem = commandOnDemand('GetItemCommand');
const PutItem = commandOnDemand('PutItemCommand');
const Query = commandOnDemand('QueryCommand');
const SendMessageBatch = commandOnDemand('SendMessageBatchCommand');
const GetSecretValue = commandOnDemand('GetSecretValueCommand');
const ConditionalCheckFailed = errorOnDemand('ConditionalCheckFailedException');
const get = () => new GetItem({ TableName: 'ledger', Key: { pk: { S: 'acme-eu/INV-1' } } });
const put = () => new PutItem({ TableName: 'ledger', Item: { pk: { S: 'acme-eu/INV-1' } } });
const hello = { Id: '0', MessageBody: 'hello' };
const send = () => new SendMessageBatch({ QueueUrl: `${process.env['AWS_ENDPOINT_URL']}/0/results`, Entries: [hello] });

const says = (status: number, body: object) => {
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 ${status} Said\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: ${text.length}`;
  return `${head}\r\n\r\n${text}`;
};

/** An endpoint that says this to each request in turn, over however many connections; the last for ever. '' cuts. */
async function anEndpoint(...turns: readonly string[]) {
  let heard = 0;
  const manner: Manner = (socket) =>
    socket.on('data', (chunk: Buffer) => {
      if (!chunk.toString('latin1').includes('POST /')) return;
      const said = turns[Math.min(heard, turns.length - 1)] ?? '';
      heard += 1;
      if (said === '') socket.destroy();
      else socket.write(said);
    });
  const server = await startRawServer('http', manner);
  vi.stubEnv('AWS_ENDPOINT_URL', new URL(server.url).origin);
  return server;
}

/** One call of each service, by the SDK itself. */
const sdkCalls: Readonly<Record<string, (it: object) => Promise<unknown>>> = {
  DynamoDBClient: (it) => new dynamodbSdk.DynamoDBClient(it).send(new dynamodbSdk.ListTablesCommand({})),
  SQSClient: (it) => new sqsSdk.SQSClient(it).send(new sqsSdk.ListQueuesCommand({})),
  SecretsManagerClient: (it) => new secretsSdk.SecretsManagerClient(it).send(new secretsSdk.ListSecretsCommand({})),
};

describe('a request', () => {
  const nowMs = Date.UTC(2026, 10, 23, 5, 6, 7);

  it.each(Object.keys(shortServices))('of %s is signed as the SDK signs it', async (name) => {
    const service = shortServices[name];
    const address = service && shortAddress(service, environment);
    if (!service || !address) throw new Error('no such service');
    const input = { Name: 'Générale \u{1f4b6}' };
    const tokens = {
      ...environment,
      AWS_SESSION_TOKEN: 'a-token',
      _X_AMZN_TRACE_ID: 'Root=1',
      AWS_LAMBDA_FUNCTION_NAME: 'f',
    };
    const { headers, body } = signedShortRequest(service, address, 'GetItem', input, tokens, nowMs) ?? { headers: {} };
    const credentials = { accessKeyId: 'FAKE', secretAccessKey: 'fake-secret', sessionToken: 'a-token' };
    const { config } = new dynamodbSdk.DynamoDBClient({ region: 'eu-central-1', credentials });
    const {
      host = '',
      'content-type': contentType = '',
      'x-amz-target': target = '',
    } = headers as Record<string, string>;
    const request = new HttpRequest({
      method: 'POST',
      protocol: 'https:',
      hostname: address.hostname,
      path: '/',
      headers: { host, 'content-type': contentType, 'x-amz-target': target },
      body,
    });
    const signing = { signingRegion: 'eu-central-1', signingService: service.host, signingDate: new Date(nowMs) };
    const signer = await config.signer({ name: 'sigv4', signingName: service.host, ...signing, properties: {} });
    const signed = await signer.sign(request, signing);
    expect(headers).toMatchObject({ authorization: signed.headers['authorization'], 'x-amzn-trace-id': 'Root=1' });
  });

  it.each(Object.keys(shortServices))('of %s goes where the SDK sends it', async (name) => {
    for (const AWS_REGION of ['eu-central-1', 'us-east-1', 'ap-southeast-2', 'il-central-1']) {
      for (const said of [{}, { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' }]) {
        vi.stubEnv('AWS_REGION', AWS_REGION);
        vi.stubEnv('AWS_ENDPOINT_URL', said.AWS_ENDPOINT_URL);
        const asked: string[] = [];
        const requestHandler = {
          handle: async ({ protocol, hostname, port, path }: HttpRequest) => {
            asked.push(new URL(`${protocol}//${hostname}:${port ?? ''}${path}`).href);
            throw new Error('asked');
          },
        };
        await sdkCalls[name]?.({ requestHandler, maxAttempts: 1 }).catch(() => {});
        const service = shortServices[name];
        expect([service && shortAddress(service, { AWS_REGION, ...said })?.href]).toEqual(asked);
      }
    }
  });

  it.each([
    { AWS_REGION: 'cn-north-1' },
    { AWS_REGION: 'us-gov-west-1' },
    { AWS_REGION: '' },
    { AWS_USE_FIPS_ENDPOINT: 'true' },
    { AWS_PROFILE: 'other' },
    { AWS_SHARED_CREDENTIALS_FILE: '/var/task/credentials' },
    { AWS_ENABLE_ENDPOINT_DISCOVERY: 'true' },
    { AWS_ENDPOINT_URL: 'http://127.0.0.1:1/below' },
    { AWS_ENDPOINT_URL: 'http://[::1]:1' },
  ])('is left to the SDK where %o', (said) => {
    for (const service of Object.values(shortServices))
      expect(shortAddress(service, { ...environment, ...said })).toBeUndefined();
  });
});

describe('a call', () => {
  it('is answered without the SDK, by one connection after the other call', async () => {
    const server = await anEndpoint(says(200, { Item: { pk: { S: 'acme-eu/INV-1' } } }));
    const client = aClient('DynamoDBClient');
    expect(await client.send(get())).toMatchObject({ Item: { pk: { S: 'acme-eu/INV-1' } } });
    expect(await client.send(get())).toMatchObject({ Item: { pk: { S: 'acme-eu/INV-1' } } });
    expect([server.received.length, server.requests(), loads]).toEqual([1, 2, 0]);
  });

  it('whose condition does not hold is refused with the item that stands, once, and not logged', async () => {
    const refused = {
      __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
      message: 'no',
      Item: { n: { N: '1' } },
    };
    const server = await anEndpoint(says(400, refused));
    const error: unknown = await aClient('DynamoDBClient')
      .send(put())
      .catch((it: unknown) => it);
    expect(error).toBeInstanceOf(ConditionalCheckFailed);
    expect(error).toMatchObject({ Item: { n: { N: '1' } } });
    expect([server.requests(), loads, lines]).toEqual([1, 0, []]);
  });

  it.each([
    ['that is throttled', says(400, { __type: 'x#ProvisionedThroughputExceededException', message: 'slow' })],
    ['that meets a fault', says(500, { __type: 'x#InternalServerError' })],
    ['that is answered by what is no JSON', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n<html'],
    ['that is answered in half', 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\nconnection: close\r\n\r\n{"Item":'],
    ['whose connection is cut', ''],
  ])('%s is made again by the SDK, as are all that follow', async (_, trouble) => {
    const server = await anEndpoint(trouble, says(200, { Item: {} }));
    const client = aClient('DynamoDBClient');
    expect(await client.send(get())).toMatchObject({ Item: {} });
    expect(await client.send(get())).toMatchObject({ Item: {} });
    expect([server.requests(), loads]).toEqual([3, 1]);
  });

  it('finds a kept connection closed, and goes by another', async () => {
    const server = await anEndpoint(says(200, {}), '', says(200, { Item: {} }));
    const client = aClient('DynamoDBClient');
    await client.send(get());
    expect(await client.send(get())).toMatchObject({ Item: {} });
    expect([server.received.length, server.requests(), loads]).toEqual([2, 3, 0]);
  });

  it('whose answer stops halfway over a kept connection is not taken for one that never went out', async () => {
    const half = 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"Item":';
    const server = await anEndpoint(says(200, {}), half, says(200, { Item: {} }));
    const client = aClient('DynamoDBClient', 3, { awsRequestTimeoutMs: 150 });
    await client.send(get());
    expect(await client.send(get())).toMatchObject({ Item: {} });
    expect([server.requests(), loads]).toEqual([3, 1]);
  });

  it('that its caller has given up is not made again by another connection', async () => {
    const held: Socket[] = [];
    const server = await startRawServer('http', (socket) => {
      let heard = 0;
      socket.on('data', () => ((heard += 1) > 1 ? held.push(socket) : socket.write(says(200, {}))));
    });
    vi.stubEnv('AWS_ENDPOINT_URL', new URL(server.url).origin);
    const client = aClient('DynamoDBClient', 3, { awsCallTimeoutMs: 200 });
    await client.send(get());
    await expect(client.send(put())).rejects.toThrow('no whole answer within 200 ms');
    for (const socket of held) socket.destroy();
    await server.allClosed();
    await sleep(50);
    expect([held.length, server.requests(), loads]).toEqual([1, 2, 0]);
  });

  it.each(['null', '[]', '"as you like"', ''])(
    'that is answered with %s knows nothing, and asks again',
    async (body) => {
      // Taken for an answer, it would say that there is no such order: whoever reads that pays.
      const nothing = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      await anEndpoint(nothing, says(200, { Item: { pk: { S: 'acme-eu/INV-1' } } }));
      expect(await aClient('DynamoDBClient').send(get())).toMatchObject({ Item: { pk: { S: 'acme-eu/INV-1' } } });
      expect(loads).toBe(1);
    },
  );

  it('to whose client something was added goes the way on which that counts', async () => {
    await anEndpoint(says(200, {}));
    const client = aClient('DynamoDBClient');
    let seen = 0;
    const counting = (next: (args: object) => Promise<object>) => async (args: object) => {
      seen += 1;
      return next(args);
    };
    (client.middlewareStack as { add(...it: unknown[]): void }).add(counting, { step: 'build' });
    await client.send(get());
    expect([seen, loads]).toEqual([1, 1]);
  });

  it('is signed with the credentials of now', async () => {
    const server = await anEndpoint(says(200, {}));
    const client = aClient('DynamoDBClient');
    for (const keyId of ['EARLIER', 'LATER']) {
      vi.stubEnv('AWS_ACCESS_KEY_ID', keyId);
      await client.send(get());
    }
    const keyIds = [...server.received.join('').matchAll(/Credential=(\w+)\//g)].map(([, keyId]) => keyId);
    expect([keyIds, loads]).toEqual([['EARLIER', 'LATER'], 0]);
  });

  it.each(['a name\r\nx-amz-acl: public', 'ключ'])('sends no header that %j would write', async (token) => {
    const server = await anEndpoint(says(200, {}));
    vi.stubEnv('AWS_SESSION_TOKEN', token);
    await aClient('DynamoDBClient')
      .send(get())
      .catch(() => {});
    expect(server.received.join('')).not.toMatch(/\r\nx-amz-acl:/i);
  });

  it('in trouble for good ends with the name of the trouble, after the tries of the limits and the one before them', async () => {
    const server = await anEndpoint(says(500, { __type: 'x#InternalServerError' }));
    await expect(aClient('DynamoDBClient').send(put())).rejects.toMatchObject({ name: 'InternalServerError' });
    expect(server.requests()).toBe(1 + limits.awsAttempts);
  });

  it('is told by its clock that is wrong, and the SDK mends that', async () => {
    const hour = 3_600_000;
    const date = new Date(Date.now() + hour).toUTCString();
    const skewed = says(400, { __type: 'x#RequestTimeTooSkewed', message: 'too early' });
    const server = await anEndpoint(
      ...[skewed, skewed].map((it) => it.replace('\r\n', `\r\ndate: ${date}\r\n`)),
      says(200, {}),
    );
    await aClient('DynamoDBClient').send(put());
    const times = [...server.received.join('').matchAll(/x-amz-date: (\w+)/g)].map(([, at = '']) => at.slice(0, 11));
    expect([times.length, new Set(times).size, loads]).toEqual([3, 2, 1]);
  });

  it('that only the SDK can make is made by it', async () => {
    await anEndpoint(says(200, { Items: [], Count: 0 }));
    const client = aClient('DynamoDBClient');
    expect(await client.send(new Query({ TableName: 'ledger' }))).toMatchObject({ Count: 0 });
    expect(loads).toBe(1);
  });

  it('that may be sent once alone keeps that, by the SDK', async () => {
    const server = await anEndpoint('');
    const command = put();
    let sent = 0;
    command.middlewareStack.add(
      (next) => async (args) => {
        if ((sent += 1) > 1) throw new Error('not twice');
        return next(args);
      },
      { step: 'finalizeRequest' },
    );
    await expect(aClient('DynamoDBClient').send(command)).rejects.toThrow('not twice');
    expect([server.requests(), loads]).toEqual([1, 1]);
  });

  it('without credentials in the environment fails as the SDK has it', async () => {
    await anEndpoint(says(200, {}));
    vi.stubEnv('AWS_ACCESS_KEY_ID', '');
    await expect(aClient('DynamoDBClient').send(get())).rejects.toThrow(/credentials/i);
    expect(loads).toBe(1);
  });
});

describe('a message', () => {
  const taken = (md5: string) =>
    says(200, { Successful: [{ Id: '0', MessageId: 'm', MD5OfMessageBody: md5 }], Failed: [] });

  it('is sent without the SDK', async () => {
    await anEndpoint(taken('5d41402abc4b2a76b9719d911017c592'));
    expect(await aClient('SQSClient').send(send())).toMatchObject({ Failed: [] });
    expect(loads).toBe(0);
  });

  it('goes to the address of its queue, as the SDK sends it, whatever else is said', async () => {
    const server = await anEndpoint(taken('5d41402abc4b2a76b9719d911017c592'));
    const message = send();
    vi.stubEnv('AWS_ENDPOINT_URL', '');
    vi.stubEnv('AWS_ENDPOINT_URL_SQS', 'http://127.0.0.1:1');
    const settings = { ...clientSettings({ ...limits, awsAttempts: 1 }) };
    await new sqsSdk.SQSClient(settings).send(new sqsSdk.SendMessageBatchCommand(message.input as never));
    expect(await aClient('SQSClient', 1).send(message)).toMatchObject({ Failed: [] });
    expect([server.requests(), loads]).toEqual([2, 0]);
  });

  it('that was taken beside one that was not is answered as it stands', async () => {
    const Failed = [{ Id: '1', Code: 'InternalError', SenderFault: false }];
    const Successful = [{ Id: '0', MessageId: 'm', MD5OfMessageBody: '5d41402abc4b2a76b9719d911017c592' }];
    await anEndpoint(says(200, { Successful, Failed }));
    const Entries = [hello, { Id: '1', MessageBody: 'again' }];
    const both = new SendMessageBatch({ ...send().input, Entries });
    expect(await aClient('SQSClient').send(both)).toMatchObject({ Successful, Failed });
    expect(loads).toBe(0);
  });

  it('that was heard wrong is an error, and is not sent again', async () => {
    const server = await anEndpoint(taken('0'));
    await expect(aClient('SQSClient').send(send())).rejects.toThrow('Invalid MD5');
    expect(server.requests()).toBe(1);
  });

  it.each([
    ['its connection is cut', '', 'socket hang up'],
    ['the service has a fault', says(500, { __type: 'x#InternalFailure' }), 'answered 500'],
  ])('of a client without second tries is sent once where %s, and the log says so', async (_, trouble, why) => {
    const server = await anEndpoint(trouble);
    await expect(aClient('SQSClient', 1).send(send())).rejects.toThrow(why);
    expect(server.requests()).toBe(1);
    expect(lines).toMatchObject([{ event: 'aws-call-failed', awsCall: 'SQS SendMessageBatch' }]);
  });

  it('of a client without second tries is sent once too where a kept connection is cut', async () => {
    const server = await anEndpoint(taken('5d41402abc4b2a76b9719d911017c592'), '');
    const client = aClient('SQSClient', 1);
    await client.send(send());
    await expect(client.send(send())).rejects.toThrow('socket hang up');
    expect(server.requests()).toBe(2);
  });
});

it('a secret that is not there is an answer; one that is comes whole', async () => {
  await anEndpoint(
    says(400, { __type: 'ResourceNotFoundException' }),
    says(200, { SecretString: '{}', VersionId: 'v' }),
  );
  const client = aClient('SecretsManagerClient');
  const ask = () => client.send(new GetSecretValue({ SecretId: 'payouts/acme-eu' }));
  await expect(ask()).rejects.toBeInstanceOf(errorOnDemand('ResourceNotFoundException'));
  expect(await ask()).toMatchObject({ SecretString: '{}', VersionId: 'v' });
  expect([loads, lines]).toEqual([0, []]);
});
