// Tables of their own on an emulator.
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { cardKeysTableDefinition, ledgerTableDefinition } from '../../lib/local/ledger-table.ts';

/** Letters and digits only: DynamoDB Local refuses any other key id. */
export const fakeCredentials = { accessKeyId: 'FAKEKEYID', secretAccessKey: 'fake' };

/** Where the tables are. */
interface Tables {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly cardKeysTableName: string;
}

/** Creates the ledger and a table of card keys with new names. */
export async function createLedgerTable(endpoint: string): Promise<Tables> {
  const client = new DynamoDBClient({ region: 'eu-central-1', endpoint, credentials: fakeCredentials });
  const tableName = `ledger-${randomUUID()}`;
  const cardKeysTableName = `card-keys-${randomUUID()}`;
  await client.send(new CreateTableCommand({ TableName: tableName, ...ledgerTableDefinition }));
  await client.send(new CreateTableCommand({ TableName: cardKeysTableName, ...cardKeysTableDefinition }));
  for (const TableName of [tableName, cardKeysTableName])
    await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.1, maxDelay: 1 }, { TableName });
  return { client, tableName, cardKeysTableName };
}
