// A ledger table of its own on an emulator.
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { ledgerTableDefinition } from '../../lib/local/ledger-table.ts';

/** Letters and digits only: DynamoDB Local refuses any other key id. */
export const fakeCredentials = { accessKeyId: 'FAKEKEYID', secretAccessKey: 'fake' };

/** Creates a table with a new name. */
export async function createLedgerTable(endpoint: string): Promise<{ client: DynamoDBClient; tableName: string }> {
  const client = new DynamoDBClient({ region: 'eu-central-1', endpoint, credentials: fakeCredentials });
  const tableName = `ledger-${randomUUID()}`;
  await client.send(new CreateTableCommand({ TableName: tableName, ...ledgerTableDefinition }));
  await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.1, maxDelay: 1 }, { TableName: tableName });
  return { client, tableName };
}
