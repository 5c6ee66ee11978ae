// The lanes in DynamoDB on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other emulator at that address.
import { randomUUID } from 'node:crypto';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { createDynamoDbLanes } from '../../lib/aws/dynamodb-lanes.ts';
import { newLane } from '../../lib/payout/pace/lane-state.ts';
import { describeLanes } from './lanes-contract.ts';
import { aDynamoDb } from './dynamodb.ts';

const tableName = `lanes-${randomUUID()}`;
const dynamoDb = aDynamoDb(tableName);

const lanes = () => createDynamoDbLanes({ client: dynamoDb.client, tableName, sleep: async () => {} });
const state = { ...newLane({}), version: 1 };

describeLanes('DynamoDB', lanes);

it('a sender who has named endpoints until the register is full keeps no other merchant from a lane', async () => {
  const table = `full-${randomUUID()}`;
  await dynamoDb.createTable(table);
  const merchant = 'a'.repeat(60);
  // An item holds 400 KB.
  const names = Array.from({ length: 4_000 }, (_, n) => `${merchant}/${String(n).padStart(22, '0')}`);
  await dynamoDb.client.send(
    new PutItemCommand({ TableName: table, Item: { pk: { S: '~lanes' }, lanes: { SS: names } } }),
  );
  const full = createDynamoDbLanes({ client: dynamoDb.client, tableName: table, sleep: async () => {} });
  const lane = { merchant: 'acme', endpointId: '1144' };
  expect(await full.write(lane, state)).toBe('written');
  expect(await full.read(lane)).toEqual(state);
  expect(await full.isNamed(lane)).toBe(false);
  const register = await dynamoDb.client.send(new GetItemCommand({ TableName: table, Key: { pk: { S: '~lanes' } } }));
  expect(register.Item?.['lanes']?.SS).toHaveLength(4_000);
});

it('a lane that newer code wrote can not be read, and is not written over', async () => {
  const pk = { S: '~lane/newer/1' };
  const item = { pk, version: { N: '1' }, format: { N: '2' }, lane: { S: '{}' } };
  await dynamoDb.client.send(new PutItemCommand({ TableName: tableName, Item: item }));
  const newer = { merchant: 'newer', endpointId: '1' };
  await expect(lanes().read(newer)).rejects.toThrow('another version');
  await expect(lanes().write(newer, state)).rejects.toThrow('another version');
});
