// How long orders take, in DynamoDB on the embedded emulator.
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, GetItemCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbEndTimes } from '../../lib/aws/dynamodb-end-times.ts';
import { endsSeen } from '../../lib/payout/accepted-rhythm.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { ledgerTableDefinition } from '../../lib/local/ledger-table.ts';
import { createManualClock } from '../support/time-and-chance.ts';
import { describeEndTimes } from './end-times-contract.ts';

const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
let embedded: EmbeddedAws;
let client: DynamoDBClient;

beforeAll(async () => {
  embedded = await startEmbeddedAws();
  const endpoint = embedded.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';
  client = new DynamoDBClient({ region: 'eu-central-1', endpoint, credentials });
});

afterAll(async () => {
  client.destroy();
  await embedded.close();
});

async function aStore(over = client) {
  const tableName = `ends-${randomUUID()}`;
  await client.send(new CreateTableCommand({ TableName: tableName, ...ledgerTableDefinition }));
  await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.05, maxDelay: 1 }, { TableName: tableName });
  const clock = createManualClock();
  const endTimes = createDynamoDbEndTimes({ client: over, tableName, nowMs: clock.nowMs });
  return { endTimes, clock, tableName, later: () => clock.advance(60_000) };
}

describeEndTimes('DynamoDB', () => aStore());

const end = { bucket: 7, calledBack: false };

it('what is known is written once a second by a process, and fades: 400 ends count half', async () => {
  const { endTimes, clock, later } = await aStore();
  for (let at = 0; at < 32; at += 1) await endTimes.saw('acme-eu', '1', end);
  // when a hundred end in one second
  for (let at = 0; at < 100; at += 1) await endTimes.saw('acme-eu', '1', end);
  later();
  const ends = await endTimes.of('acme-eu', '1');
  expect(ends && endsSeen(ends)).toBeLessThan(36);

  for (let at = 0; at < 400; at += 1) {
    clock.advance(1_000);
    await endTimes.saw('acme-eu', '1', { bucket: 9, calledBack: true });
  }
  later();
  const after = await endTimes.of('acme-eu', '1');
  expect(after && endsSeen(after)).toBeLessThan(300);
  expect(after?.counts[9]).toBeGreaterThan(5 * (after?.counts[7] ?? 0));
});

it('never stands in the way: without an answer there is nothing known', async () => {
  const nowhere = new DynamoDBClient({ region: 'x', endpoint: 'http://127.0.0.1:1', credentials, maxAttempts: 1 });
  const { endTimes } = await aStore(nowhere);
  await endTimes.saw('acme-eu', '1', end);
  expect(await endTimes.of('acme-eu', '1')).toBeUndefined();
  nowhere.destroy();
});

it('is forgotten where nothing ends for 90 days', async () => {
  const { endTimes, clock, tableName } = await aStore();
  await endTimes.saw('acme-eu', '1', end);
  const Key = { pk: { S: '~learnt/acme-eu/1' } };
  const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key }));
  expect(Number(Item?.['expiresAt']?.N)).toBe(Math.ceil(clock.nowMs() / 1000) + 90 * 86_400);
});
