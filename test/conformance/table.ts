// Tables of their own on an emulator.
import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { batchesTableDefinition, plainTableDefinition, waitingTableDefinition } from '../../lib/local/ledger-table.ts';
import { createTable } from '../support/created-table.ts';

/** Letters and digits only: DynamoDB Local refuses any other key id. */
export const fakeCredentials = { accessKeyId: 'FAKEKEYID', secretAccessKey: 'fake' };

/** Where the tables are. */
interface Tables {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly cardKeysTableName: string;
  readonly batchesTableName: string;
  readonly controlsTableName: string;
  readonly waitingTableName: string;
}

/** Creates the five tables with new names. */
export async function createLedgerTable(endpoint: string): Promise<Tables> {
  const client = new DynamoDBClient({ region: 'eu-central-1', endpoint, credentials: fakeCredentials });
  const [tableName, batchesTableName] = [`ledger-${randomUUID()}`, `batches-${randomUUID()}`];
  const [cardKeysTableName, controlsTableName] = [`card-keys-${randomUUID()}`, `controls-${randomUUID()}`];
  await createTable(client, tableName);
  await createTable(client, batchesTableName, batchesTableDefinition);
  for (const TableName of [cardKeysTableName, controlsTableName])
    await createTable(client, TableName, plainTableDefinition);
  const waitingTableName = `waiting-${randomUUID()}`;
  await createTable(client, waitingTableName, waitingTableDefinition);
  const tables = { tableName, cardKeysTableName, batchesTableName, controlsTableName, waitingTableName };
  return { client, ...tables };
}
