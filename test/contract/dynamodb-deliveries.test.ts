// Notes of deliveries, in DynamoDB on the embedded emulator.
import { randomUUID } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbDeliveries } from '../../lib/aws/dynamodb-announcing.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { startMs } from '../support/time-and-chance.ts';
import { describeDeliveries } from './deliveries-contract.ts';
import { createTable } from '../support/created-table.ts';

let embedded: EmbeddedAws;
let client: DynamoDBClient;

beforeAll(async () => {
  embedded = await startEmbeddedAws();
  const endpoint = embedded.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';
  const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
  client = new DynamoDBClient({ region: 'eu-central-1', endpoint, credentials });
});

afterAll(async () => {
  client.destroy();
  await embedded.close();
});

async function aTable(): Promise<string> {
  const tableName = `deliveries-${randomUUID()}`;
  await createTable(client, tableName);
  return tableName;
}

const over = (tableName: string) => createDynamoDbDeliveries({ client, tableName, nowMs: () => startMs });

describeDeliveries('DynamoDB', async () => over(await aTable()));

it('a note is forgotten a day after SQS has forgotten its message', async () => {
  const tableName = await aTable();
  await over(tableName).begin('m-1', true);
  const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key: { pk: { S: '~delivery/m-1' } } }));
  expect(Number(Item?.['expiresAt']?.N)).toBe(Math.ceil(startMs / 1000) + 15 * 86_400);
});
