// A table's word of itself in DynamoDB, on the embedded emulator; and what happens while it does not answer.
import { randomUUID } from 'node:crypto';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { createDynamoDbRestoration } from '../../lib/restore/dynamodb-restoration.ts';
import { createDynamoDbRestoreAdmin } from '../../lib/restore/dynamodb-restore-admin.ts';
import { createManualClock, startMs } from '../support/time-and-chance.ts';
import { describeRestoration } from './restoration-contract.ts';
import { aDynamoDb } from './dynamodb.ts';

const dynamoDb = aDynamoDb();

async function aTable(): Promise<string> {
  const TableName = `ledger-${randomUUID()}`;
  await dynamoDb.createTable(TableName);
  return TableName;
}

describeRestoration('DynamoDB', async ({ nowMs }) => {
  const tableName = await aTable();
  const options = { client: dynamoDb.client, tableName, nowMs };
  // Whoever changes the word reads it afresh each time, as each command of an operator does.
  const table = {
    ...createDynamoDbRestoreAdmin(options),
    role: () => createDynamoDbRestoration(options).role(),
  };
  return { table, reader: createDynamoDbRestoration(options) };
});

it('a copy of a table gives itself away by the name that it bears', async () => {
  // given a ledger that has lived for a while, and its copy under another name
  const [original, copy] = [await aTable(), await aTable()];
  const { nowMs } = createManualClock();
  await createDynamoDbRestoreAdmin({ client: dynamoDb.client, tableName: original }).stamp();
  const { Item } = await dynamoDb.client.send(
    new GetItemCommand({ TableName: original, Key: { pk: { S: '~ledger' } } }),
  );
  await dynamoDb.client.send(new PutItemCommand({ TableName: copy, Item }));

  // then the copy is not the ledger, stamped or not
  await createDynamoDbRestoreAdmin({ client: dynamoDb.client, tableName: copy }).stamp();
  const its = createDynamoDbRestoration({ client: dynamoDb.client, tableName: copy, nowMs });
  expect(await its.role()).toEqual({ kind: 'foreign', of: original });
});

it('who does not answer is not taken for the ledger; the last word serves meanwhile', async () => {
  const tableName = await aTable();
  const clock = createManualClock();
  const broken = new DynamoDBClient({ ...dynamoDb.where(), maxAttempts: 1 });
  let state: 'up' | 'down' = 'down';
  broken.middlewareStack.add(
    (next) => async (args) => {
      if (state === 'down') throw new Error('DynamoDB is down');
      return next(args);
    },
    { step: 'finalizeRequest' },
  );
  const reader = createDynamoDbRestoration({ client: broken, tableName, nowMs: clock.nowMs });
  await expect(reader.role()).rejects.toThrow('DynamoDB is down');
  state = 'up';
  await createDynamoDbRestoreAdmin({ client: dynamoDb.client, tableName }).begin(
    { toMs: startMs, sinceMs: startMs },
    { by: 'anna', reason: 'lost', atMs: startMs },
  );
  const said = await reader.role();
  state = 'down';
  clock.advance(60_000);
  expect(await reader.role()).toEqual(said);
  broken.destroy();
});
