// AWS at no cost: one loopback server that takes every call and says at once that it is done. What a handler then costs
// is its own work and its clients', with no emulator in the way. It keeps nothing.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { safeguardsText } from '../../../lib/batches/safeguards.ts';
import { loginOf } from '../../../lib/gateway/signed-request.ts';
import { listen, type Manner } from './listen.ts';

type Call = Readonly<Record<string, unknown>>;
type Entry = { readonly Id: string; readonly MessageBody: string };

const md5 = (body: string): string => createHash('md5').update(body).digest('hex');

/** The answers by operation, as far as the handlers and their peers call; anything else fails the benchmark. */
const answers: Readonly<Record<string, (call: Call, secretOf: (id: string) => string) => object>> = {
  PutItem: () => ({}),
  UpdateItem: () => ({}),
  GetItem: safeguardsOf,
  BatchGetItem: () => ({ Responses: {}, UnprocessedKeys: {} }),
  SendMessage: ({ MessageBody }) => ({ MessageId: 'm', MD5OfMessageBody: md5(String(MessageBody)) }),
  SendMessageBatch: ({ Entries }) => ({
    Successful: (Entries as Entry[]).map(({ Id, MessageBody }) => ({
      Id,
      MessageId: Id,
      MD5OfMessageBody: md5(MessageBody),
    })),
    Failed: [],
  }),
  DescribeTable: ({ TableName }) => ({ Table: { TableId: `id of ${String(TableName)}`, TableStatus: 'ACTIVE' } }),
  VerifyMac: ({ KeyId, MacAlgorithm }) => ({ KeyId, MacAlgorithm, MacValid: true }),
  GetSecretValue: ({ SecretId }, secretOf) => ({
    Name: SecretId,
    VersionId: '1',
    SecretString: secretOf(String(SecretId)),
  }),
};

/** What an approver has written of every merchant: its login, no second person, no cap. Else it keeps nothing. */
function safeguardsOf({ TableName, Key }: Call, secretOf: (id: string) => string): object {
  const { S: key } = (Key as { pk?: { S: string } }).pk ?? { S: '' };
  const [, merchant] = /^~safeguards\/(.*)$/.exec(key) ?? [];
  if (merchant === undefined) return {};
  const logins = [loginOf(JSON.parse(secretOf(`contract/${merchant}`)))];
  const by = 'arn:aws:iam::000000000000:user/bench';
  const its = { twoPersonRelease: false, caps: {}, logins, serial: 1, by, atMs: 1 };
  return { Item: { record: { S: safeguardsText(String(TableName), merchant, its) }, mac: { S: 'A'.repeat(43) } } };
}

const tablesRecord = JSON.stringify({
  is: 'tables of the worker',
  version: 1,
  ids: {
    ledger: 'id of bench-ledger',
    batches: 'id of bench-batches',
    controls: 'id of bench-controls',
    waiting: 'id of bench-waiting',
    'card-keys': 'id of bench-keys',
  },
  by: 'bench',
  atMs: 1,
});
const workerSecret = { fingerprintKeyId: 'bench', fingerprintKeys: { bench: '07'.repeat(32) } };

/** The secrets of the benchmarks, by their names: every merchant's gateway is this one. */
export function secretsFor(gatewayUrl: string): (id: string) => string {
  const profile = { signatureMethod: { payout: 'HMAC-SHA1' } };
  const contract = { login: 'bench-login', baseUrl: gatewayUrl, profile };
  const keys = { 'bench-login': { controlKey: 'fake-control-key' } };
  const others: Readonly<Record<string, object>> = {
    _worker: workerSecret,
    _ledger: { record: { text: tablesRecord, mac: 'A'.repeat(43) } },
    _callback: { bench: ['fake-control-key'] },
  };
  return (id) => JSON.stringify(others[id.slice(id.lastIndexOf('/') + 1)] ?? (id.includes('/keys/') ? keys : contract));
}

/** The answer to one call; undefined for calls that no benchmark makes. */
export function awsAnswer(operation: string, body: string, secretOf: (id: string) => string): string | undefined {
  const answer = answers[operation];
  return answer && JSON.stringify(answer(JSON.parse(body) as Call, secretOf));
}

/** Starts the server; returns its address. Without a latency it answers at once. */
export function startInstantAws(
  secretOf: (id: string) => string,
  { latencyMs = 0, ...manner }: Manner,
): Promise<string> {
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const answer = awsAnswer(operation, await text(request), secretOf);
    if (latencyMs > 0) await sleep(latencyMs);
    response.writeHead(answer ? 200 : 501, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(answer ?? JSON.stringify({ __type: 'NotImplemented', message: operation }));
  };
  return listen((request, response) => void take(request, response), manner);
}
