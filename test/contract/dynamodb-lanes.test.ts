// The lanes in DynamoDB on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other emulator at that address.
import { randomUUID } from 'node:crypto';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbLanes } from '../../lib/aws/dynamodb-lanes.ts';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { newLane } from '../../lib/payout/lane.ts';
import { anOrder } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { describeLanes } from './lanes-contract.ts';
import { createTable } from '../support/created-table.ts';

const otherEndpoint = process.env['DYNAMODB_ENDPOINT'];
const tableName = `lanes-${randomUUID()}`;
let embedded: EmbeddedAws | undefined;
let client: DynamoDBClient;

beforeAll(async () => {
  if (otherEndpoint === undefined) embedded = await startEmbeddedAws();
  const endpoint = otherEndpoint ?? embedded?.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';
  const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
  client = new DynamoDBClient({ region: 'eu-central-1', endpoint, credentials });
  await createTable(client, tableName);
});

afterAll(async () => {
  client.destroy();
  await embedded?.close();
});

const lanes = () => createDynamoDbLanes({ client, tableName, sleep: async () => {} });
const state = { ...newLane({}, startMs), version: 1 };

describeLanes('DynamoDB', lanes);

it.each(['~lanes', '~lane/acme/1144'])('an order that stood under %s would not be touched', async (key) => {
  const table = `orders-${randomUUID()}`;
  await createTable(client, table);
  const orders = createDynamoDbOrders({ client, tableName: table });
  await orders.put({ ...anOrder(), key });
  const before = await orders.read(key);
  const write = createDynamoDbLanes({ client, tableName: table, sleep: async () => {} });
  await expect(write.write({ merchant: 'acme', endpointId: '1144' }, state)).rejects.toThrow(Error);
  expect(await orders.read(key)).toEqual(before);
});

it('a lane that newer code wrote can not be read, and is not written over', async () => {
  const pk = { S: '~lane/newer/1' };
  const item = { pk, version: { N: '1' }, format: { N: '2' }, lane: { S: '{}' } };
  await client.send(new PutItemCommand({ TableName: tableName, Item: item }));
  const newer = { merchant: 'newer', endpointId: '1' };
  await expect(lanes().read(newer)).rejects.toThrow('another version');
  await expect(lanes().write(newer, state)).rejects.toThrow('another version');
});
