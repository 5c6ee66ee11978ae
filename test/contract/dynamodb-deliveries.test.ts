// Notes of deliveries, in DynamoDB on the embedded emulator.
import { randomUUID } from 'node:crypto';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { createDynamoDbDeliveries } from '../../lib/aws/dynamodb-announcing.ts';
import { startMs } from '../support/time-and-chance.ts';
import { describeDeliveries } from './deliveries-contract.ts';
import { aDynamoDb } from './dynamodb.ts';

const dynamoDb = aDynamoDb();

async function aTable(): Promise<string> {
  const tableName = `deliveries-${randomUUID()}`;
  await dynamoDb.createTable(tableName);
  return tableName;
}

const over = (tableName: string) =>
  createDynamoDbDeliveries({ client: dynamoDb.client, tableName, nowMs: () => startMs });

describeDeliveries('DynamoDB', async () => over(await aTable()));

it('a note is forgotten a day after SQS has forgotten its message', async () => {
  const tableName = await aTable();
  await over(tableName).begin('m-1', true);
  const { Item } = await dynamoDb.client.send(
    new GetItemCommand({ TableName: tableName, Key: { pk: { S: '~delivery/m-1' } } }),
  );
  expect(Number(Item?.['expiresAt']?.N)).toBe(Math.ceil(startMs / 1000) + 15 * 86_400);
});
