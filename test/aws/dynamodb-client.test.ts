// The short way of the calls that every job makes: the same answers as the SDK's whole way, which takes over wherever the
// first try brings anything but a plain answer. Told against a server that says what each story needs.
import { type DynamoDBClientConfig, GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-client.ts';
import { listening } from '../support/raw-server.ts';

const TableName = 'ledger';
const key = { pk: { S: 'acme-eu/INV-1' } };
const get = () => new GetItemCommand({ TableName, Key: key });
const put = () => new PutItemCommand({ TableName, Item: key, ConditionExpression: 'attribute_not_exists(pk)' });

interface Asked {
  readonly operation: string;
  readonly body: unknown;
  /** The SDK says who it is; the short way does not. */
  readonly way: 'whole' | 'short';
  readonly keyId: string | undefined;
}

type Answer = readonly [status: number, body: string] | 'hang up' | 'silent';

const found: Answer = [200, JSON.stringify({ Item: { pk: { S: 'acme-eu/INV-1' }, st: { S: 'accepted' } } })];
const error = (status: number, name: string, more: object = {}): Answer => [
  status,
  JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: `${name} it is`, ...more }),
];

/** A DynamoDB that gives these answers one after the other, and a client that has made its first call. */
async function scripted(answers: Answer[], where: DynamoDBClientConfig = {}) {
  const asked: Asked[] = [];
  let begun = false;
  const server = createServer((request, response) => {
    void (async () => {
      const call = await askedOf(request);
      if (begun) asked.push(call);
      const answer = (begun && answers.shift()) || found;
      if (answer === 'hang up') return void request.socket.destroy();
      if (answer === 'silent') return;
      response.writeHead(answer[0], { 'content-type': 'application/x-amz-json-1.0' }).end(answer[1]);
    })();
  });
  const port = await listening(server);
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const limits = { awsConnectTimeoutMs: 5_000, awsRequestTimeoutMs: 200, awsCallTimeoutMs: 20_000, awsAttempts: 3 };
  const credentials = { accessKeyId: 'FAKEKEYID', secretAccessKey: 'fake' };
  const endpoint = `http://127.0.0.1:${port}`;
  const client = newDynamoDbClient({ limits }, { region: 'eu-central-1', endpoint, credentials, ...where });
  onTestFinished(() => client.destroy());
  await client.send(get());
  begun = true;
  return { client, asked, ways: () => asked.map(({ way }) => way) };
}

async function askedOf(request: IncomingMessage): Promise<Asked> {
  const { headers } = request;
  return {
    operation: String(headers['x-amz-target']),
    body: JSON.parse(await text(request)) as unknown,
    way: headers['amz-sdk-invocation-id'] === undefined ? 'short' : 'whole',
    keyId: /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1],
  };
}

it('asks the same and is answered the same as the whole way', async () => {
  const { client, asked } = await scripted([]);
  expect(await client.send(get())).toMatchObject({ Item: { pk: { S: 'acme-eu/INV-1' }, st: { S: 'accepted' } } });
  expect(asked).toEqual([
    { operation: 'DynamoDB_20120810.GetItem', body: { TableName, Key: key }, way: 'short', keyId: 'FAKEKEYID' },
  ]);
});

it('a condition that does not hold is an answer, with the item that stands', async () => {
  const refusal = error(400, 'ConditionalCheckFailedException', { Item: { pk: { S: 'acme-eu/INV-1' } } });
  const { client, ways } = await scripted([refusal]);
  await expect(client.send(put())).rejects.toMatchObject({
    name: 'ConditionalCheckFailedException',
    message: 'ConditionalCheckFailedException it is',
    Item: { pk: { S: 'acme-eu/INV-1' } },
  });
  expect(ways()).toEqual(['short']);
});

it.each<[what: string, answer: Answer]>([
  ['a throttle', error(400, 'ProvisionedThroughputExceededException')],
  ['an inner error', error(500, 'InternalServerError')],
  ['a page of some proxy', [502, '<html>Bad gateway</html>']],
  ['half an answer', [200, '{"Item":{"pk":']],
  ['a connection that is closed', 'hang up'],
  ['silence', 'silent'],
])('%s is no answer: the call goes the whole way, and is answered there', async (_, answer) => {
  const { client, ways } = await scripted([answer]);
  expect(await client.send(get())).toMatchObject({ Item: { st: { S: 'accepted' } } });
  expect(ways()).toEqual(['short', 'whole']);
});

it('a refusal is told by the name that the SDK gives it', async () => {
  const denied = error(400, 'AccessDeniedException');
  const { client, ways } = await scripted([denied, denied]);
  await expect(client.send(get())).rejects.toMatchObject({ name: 'AccessDeniedException' });
  expect(ways()).toEqual(['short', 'whole']);
});

it('makes no more requests than the limits let a call make', async () => {
  const broken = error(500, 'InternalServerError');
  const { client, ways } = await scripted([broken, broken, broken, broken]);
  await expect(client.send(get())).rejects.toMatchObject({ name: 'InternalServerError' });
  expect(ways()).toEqual(['short', 'whole', 'whole']);
});

it('signs with the credentials of now, where a role gets new ones', async () => {
  let turn = 0;
  // Expired when they come: the SDK asks for others before each call.
  const credentials = () =>
    Promise.resolve({ accessKeyId: `ROLE${(turn += 1)}`, secretAccessKey: 'fake', expiration: new Date(0) });
  const { client, asked } = await scripted([], { credentials });
  await client.send(get());
  await client.send(get());
  const [first, second] = asked.map(({ keyId }) => keyId);
  expect(first).not.toBe(second);
});

it('a command that bears an addition of its own goes the whole way, where the addition counts', async () => {
  const { client, ways } = await scripted([]);
  const command = new UpdateItemCommand({ TableName, Key: key });
  let seen = 0;
  command.middlewareStack.add(
    (next) => (args) => {
      seen += 1;
      return next(args);
    },
    { step: 'finalizeRequest' },
  );
  await client.send(command);
  expect({ seen, ways: ways() }).toEqual({ seen: 1, ways: ['whole'] });
});

it('ends when its caller no longer waits', async () => {
  const { client } = await scripted(['silent', 'silent', 'silent']);
  const stop = new AbortController();
  const call = client.send(get(), { abortSignal: stop.signal });
  stop.abort();
  await expect(call).rejects.toThrow('aborted');
});
