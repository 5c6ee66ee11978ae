// What a restore writes into the ledger in DynamoDB, and the identity of the tables, on the embedded emulator.
import { randomUUID } from 'node:crypto';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { createDynamoDbRestoration, writtenOfItself } from '../../lib/restore/dynamodb-restoration.ts';
import { createDynamoDbRestoreAdmin } from '../../lib/restore/dynamodb-restore-admin.ts';
import { describedTables } from '../../lib/restore/dynamodb-known-tables.ts';
import { createMemoryTables } from '../support/memory-restoration.ts';
import { startMs } from '../support/time-and-chance.ts';
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
  // Who changes it reads it afresh each time, as each command of an operator does.
  const known = createMemoryTables({ nowMs }).comparison();
  const table = {
    ...createDynamoDbRestoreAdmin(options),
    role: () => createDynamoDbRestoration(options, known).role(),
  };
  return { table };
});

it('the restore of a table names that table, and its copy bears the same name', async () => {
  const tableName = await aTable();
  const table = { client: dynamoDb.client, tableName };
  expect(await writtenOfItself(table)).toBeUndefined();
  await createDynamoDbRestoreAdmin(table).stamp();
  expect(await writtenOfItself(table)).toEqual({});
  const saying = { by: 'anna', reason: 'lost', atMs: startMs };
  await createDynamoDbRestoreAdmin(table).begin({ toMs: startMs, sinceMs: startMs, tableId: 'an id' }, saying);
  expect(await writtenOfItself(table)).toEqual({ tableId: 'an id' });
});

it('a table has an id that it keeps, and that no other table of its name ever has', async () => {
  // given a table under each setting
  const name = await aTable();
  const config = {
    ledgerTableName: name,
    batchesTableName: name,
    controlsTableName: name,
    waitingTableName: name,
    cardKeysTableName: name,
  };
  const before = await describedTables(config, dynamoDb.client);
  expect(before.ledger).toEqual({ name, id: expect.any(String) });
  expect(await describedTables(config, dynamoDb.client)).toEqual(before);

  // when it is deleted, it is missing; when it is made anew, it has another id
  await dynamoDb.client.send(new DeleteTableCommand({ TableName: name }));
  await expect.poll(async () => (await describedTables(config, dynamoDb.client)).ledger).toEqual({ name });
  await dynamoDb.createTable(name);
  const after = await describedTables(config, dynamoDb.client);
  expect(after.ledger.id).toEqual(expect.any(String));
  expect(after.ledger.id).not.toBe(before.ledger.id);
});
