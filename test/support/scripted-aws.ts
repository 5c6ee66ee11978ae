// AWS as a function reaches it over its sockets, by a script: the calls of each table, queue and secret, and the answers that a
// test gives. Nothing is kept from one call to the next.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { vi } from 'vitest';
import type { Gateway } from '../../lib/gateway/ports.ts';
import { readWorkerConfig, type WorkerConfig } from '../../lib/aws/env-config.ts';

type Body = Readonly<Record<string, unknown>>;

/** The answer of AWS; undefined: an empty answer. */
type Answer = { readonly status: number; readonly body: Body } | undefined;

/** The services. */
export interface ScriptedAws {
  readonly config: WorkerConfig;
  /** Calls so far, oldest first, as in "GetItem ledger ~ledger": the call, its target, and the key or the partition where it has one. */
  readonly asked: string[];
  /** The same of the calls by which a process compares the tables with their record. Unless a test answers them, they are the known ones. */
  readonly comparing: string[];
  /** Answers by the beginning of the call. */
  readonly answers: Map<string, Answer>;
  /** How far the clock of AWS is ahead of the machine's. */
  aheadMs: number;
  close(): Promise<void>;
}

/** Starts them; the environment names them until it is restored. */
export async function startScriptedAws(settings: Readonly<Record<string, string>> = {}): Promise<ScriptedAws> {
  const asked: string[] = [];
  const comparing: string[] = [];
  const answers = new Map<string, Answer>();
  const clock = { aheadMs: 0 };
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const call = `${String(request.headers['x-amz-target']).split('.').at(-1)} ${whomOf(body as Body)}`;
      const compared = comparisonOf(call, body as Body);
      (compared ? comparing : asked).push(call);
      const found = [...answers].find(([beginning]) => call.startsWith(beginning))?.[1] ??
        compared ?? {
          status: 200,
          body: takenBy(body as Body),
        };
      response
        .writeHead(found.status, {
          'content-type': 'application/x-amz-json-1.0',
          date: new Date(Date.now() + clock.aheadMs).toUTCString(),
        })
        .end(JSON.stringify(found.body));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv('AWS_ENDPOINT_URL', url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'fake');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'fake');
  const queue = (name: string) => `${url}/000000000000/${name}`;
  const config = readWorkerConfig({
    JOBS_QUEUE_URL: queue('jobs'),
    BATCH_JOBS_QUEUE_URL: queue('batch-jobs'),
    DEAD_LETTER_QUEUE_URL: queue('dead-letters'),
    RESULTS_QUEUE_URL: queue('results'),
    CHECKS_QUEUE_URL: queue('checks'),
    REFERENCES_QUEUE_URL: queue('references'),
    LEDGER_TABLE_NAME: 'ledger',
    CARD_KEYS_TABLE_NAME: 'card-keys',
    BATCHES_TABLE_NAME: 'batches',
    CONTROLS_TABLE_NAME: 'controls',
    WAITING_TABLE_NAME: 'waiting',
    SECRET_PREFIX: 'payouts/',
    APPROVAL_KEY_ID: 'approvals',
    WAITING_KEY_ID: 'waiting',
    ...settings,
  });
  return Object.assign(clock, {
    config,
    asked,
    comparing,
    answers,
    async close() {
      vi.unstubAllEnvs();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** SQS answers each message with the digest of its body, which its client checks. */
function takenBy({ MessageBody: it, Entries }: Body): Body {
  const taken = (body: string) => ({
    MessageId: 'm-1',
    MD5OfMessageBody: createHash('md5').update(body).digest('hex'),
  });
  if (typeof it === 'string') return taken(it);
  if (!Array.isArray(Entries)) return {};
  const entries = Entries as readonly { readonly Id: string; readonly MessageBody?: string }[];
  return { Successful: entries.map(({ Id, MessageBody = '' }) => ({ Id, ...taken(MessageBody) })), Failed: [] };
}

const tablesRecord = JSON.stringify({
  is: 'tables of the worker',
  version: 1,
  ids: Object.fromEntries(
    ['ledger', 'batches', 'controls', 'waiting', 'card-keys'].map((name) => [name, `id of ${name}`]),
  ),
  by: 'grace',
  atMs: 1,
});

/** The answer by which the tables are the known ones; undefined for any other call. */
function comparisonOf(call: string, { TableName, Message }: Body): Answer {
  if (call.startsWith('DescribeTable '))
    return { status: 200, body: { Table: { TableId: `id of ${String(TableName)}`, TableStatus: 'ACTIVE' } } };
  if (call === 'GetSecretValue payouts/_ledger')
    return {
      status: 200,
      body: { SecretString: JSON.stringify({ record: { text: tablesRecord, mac: 'A'.repeat(43) } }) },
    };
  if (call.startsWith('VerifyMac ') && Buffer.from(String(Message), 'base64').toString() === tablesRecord)
    return { status: 200, body: { MacValid: true } };
  return undefined;
}

/** The target of a call. */
function whomOf(body: Body): string {
  const { TableName, IndexName, QueueUrl, SecretId, KeyId, Key, Item } = body as Readonly<Record<string, string>>;
  const values = Object.values(
    (body['ExpressionAttributeValues'] ?? {}) as Readonly<Record<string, { readonly S?: string }>>,
  );
  const partition = IndexName === undefined ? undefined : values.find(({ S }) => S !== undefined)?.S;
  const key = ((Key ?? Item) as unknown as { readonly pk?: { readonly S?: string } } | undefined)?.pk?.S;
  const name =
    TableName ??
    String(QueueUrl ?? SecretId ?? KeyId ?? '')
      .split('/000000000000/')
      .at(-1);
  return [name, IndexName, partition, key].filter((it) => it !== undefined && it !== '').join(' ');
}

/** The ledger was deleted, and another one made under its name. */
export const remakeLedger = (aws: ScriptedAws): unknown =>
  aws.answers.set('DescribeTable ledger', { status: 200, body: { Table: { TableId: 'another id' } } });

/** A gateway that knows nothing of any order, and counts its connections. */
export async function startQuietGateway() {
  let connections = 0;
  const server = createServer((request, response) => void request.resume().on('end', () => response.end('type=quiet')));
  server.on('connection', () => void (connections += 1));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    connections: () => connections,
    /** Two requests, one after the other. */
    async twice(gateway: Gateway, path: string): Promise<void> {
      const url = `http://127.0.0.1:${port}/paynet/api/v4/${path}`;
      for (let number = 0; number < 2; number += 1)
        await gateway.post({ url, headers: {}, body: 'a=b', notAfterMs: Infinity });
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
