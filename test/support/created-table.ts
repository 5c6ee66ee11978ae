// A table on an emulator, ready to be written to: DynamoDB answers CreateTable before the table is there (API reference,
// CreateTable: "CREATING"), and refuses each write until it is.
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { ledgerTableDefinition } from '../../lib/local/ledger-table.ts';

/** Creates it, with the keys and the index of the ledger unless the options differ, and waits until it is active. */
export async function createTable(
  client: DynamoDBClient,
  TableName: string,
  definition: Omit<CreateTableCommandInput, 'TableName'> = ledgerTableDefinition,
): Promise<void> {
  await client.send(new CreateTableCommand({ TableName, ...definition }));
  await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.05, maxDelay: 1 }, { TableName });
}
