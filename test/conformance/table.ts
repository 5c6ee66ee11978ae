// Tables of their own on an emulator.
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { plainTableDefinition, ledgerTableDefinition } from '../../lib/local/ledger-table.ts';

/** Letters and digits only: DynamoDB Local refuses any other key id. */
export const fakeCredentials = { accessKeyId: 'FAKEKEYID', secretAccessKey: 'fake' };

/** Where the tables are. */
interface Tables {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly cardKeysTableName: string;
  readonly batchesTableName: string;
  readonly controlsTableName: string;
}

/** Creates the four tables with new names. */
export async function createLedgerTable(endpoint: string): Promise<Tables> {
  const client = new DynamoDBClient({ region: 'eu-central-1', endpoint, credentials: fakeCredentials });
  const [tableName, batchesTableName] = [`ledger-${randomUUID()}`, `batches-${randomUUID()}`];
  const [cardKeysTableName, controlsTableName] = [`card-keys-${randomUUID()}`, `controls-${randomUUID()}`];
  for (const TableName of [tableName, batchesTableName])
    await client.send(new CreateTableCommand({ TableName, ...ledgerTableDefinition }));
  for (const TableName of [cardKeysTableName, controlsTableName])
    await client.send(new CreateTableCommand({ TableName, ...plainTableDefinition }));
  const tables = { tableName, cardKeysTableName, batchesTableName, controlsTableName };
  for (const TableName of Object.values(tables))
    await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.1, maxDelay: 1 }, { TableName });
  return { client, ...tables };
}
