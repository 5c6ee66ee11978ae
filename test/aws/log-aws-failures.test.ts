// What the log says of AWS, through the real clients and the ports of the function that ships.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readWorkerConfig } from '../../lib/aws/env-config.ts';
import { submitPorts } from '../../functions/submit.ts';
import { anOrder, begun } from '../support/orders.ts';

let server: Server;
let connections = 0;
let answer: { readonly status: number; readonly body: string };
let lines: Record<string, unknown>[];
let ports: ReturnType<typeof submitPorts>;

beforeEach(async () => {
  connections = 0;
  answer = { status: 200, body: '{}' };
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(answer.body);
    });
  }).on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv('AWS_ENDPOINT_URL', url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'fake');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'fake');
  lines = [];
  const config = readWorkerConfig({
    JOBS_QUEUE_URL: `${url}/jobs`,
    DEAD_LETTER_QUEUE_URL: `${url}/dead`,
    RESULTS_QUEUE_URL: `${url}/results`,
    CHECKS_QUEUE_URL: `${url}/checks`,
    CALLBACKS_QUEUE_URL: `${url}/callbacks`,
    REFERENCES_QUEUE_URL: `${url}/references`,
    LEDGER_TABLE_NAME: 'ledger',
    CARD_KEYS_TABLE_NAME: 'card-keys',
    BATCHES_TABLE_NAME: 'batches',
    CONTROLS_TABLE_NAME: 'controls',
    WAITING_TABLE_NAME: 'waiting',
    SECRET_PREFIX: 'payouts/',
  });
  ports = submitPorts(config, (line) => lines.push(JSON.parse(line)));
});

afterEach(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

const refusal = (name: string) => ({
  status: 400,
  body: JSON.stringify({ __type: `x#${name}`, message: 'secret text' }),
});

it('a right that is missing is told by the name of the call and of the refusal, and by no more', async () => {
  answer = refusal('AccessDeniedException');
  await expect(ports.orders.read('acme-eu#INV-1')).rejects.toThrow('secret text');
  const missing = { level: 'warn', event: 'aws-call-failed', errorName: 'AccessDeniedException' };
  expect(lines).toContainEqual({ time: expect.any(String), ...missing, awsCall: 'SecretsManager GetSecretValue' });
  expect(lines.every((line) => line['errorName'] === missing.errorName)).toBe(true);
  expect(JSON.stringify(lines)).not.toContain('secret text');
});

it('a refusal that is an answer is not told: a condition that does not hold, a secret that does not exist', async () => {
  answer = refusal('ConditionalCheckFailedException');
  await begun(ports.orders, anOrder()).catch(() => {});
  const awaited = lines.splice(0).map(({ awsCall }) => awsCall);
  expect(awaited).not.toContain('DynamoDB GetItem');
  expect(awaited).not.toContain('DynamoDB PutItem');
  answer = refusal('ResourceNotFoundException');
  await ports.credentials.of('unknown-eu');
  // That the table of safeguards is not there is no answer.
  expect(lines.map(({ awsCall }) => awsCall)).toContain('DynamoDB GetItem');
});
