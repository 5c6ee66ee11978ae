// Card keys in the ledger's table on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other at that address.
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, GetItemCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, it } from 'vitest';
import { createDynamoDbCardKeyStore } from '../../lib/card-data/dynamodb-card-key-store.ts';
import { createDynamoDbLedger } from '../../lib/aws/dynamodb-ledger.ts';
import { entryOf } from '../../lib/aws/ledger-item.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { ledgerTableDefinition } from '../../lib/local/ledger-table.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';
import { describeCardKeys } from './card-keys-contract.ts';

const otherEndpoint = process.env['DYNAMODB_ENDPOINT'];
const tableName = `card-keys-${randomUUID()}`;
let embedded: EmbeddedAws | undefined;
let client: DynamoDBClient;

afterAll(async () => {
  client.destroy();
  await embedded?.close();
});

async function itemOf(key: string) {
  const it = { TableName: tableName, Key: { pk: { S: key } }, ConsistentRead: true };
  return (await client.send(new GetItemCommand(it))).Item;
}

describeCardKeys('DynamoDB', async () => {
  if (otherEndpoint === undefined) embedded = await startEmbeddedAws();
  const endpoint = otherEndpoint ?? embedded?.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';
  const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
  client = new DynamoDBClient({ region: 'eu-central-1', endpoint, credentials });
  await client.send(new CreateTableCommand({ TableName: tableName, ...ledgerTableDefinition }));
  await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.1, maxDelay: 1 }, { TableName: tableName });
  return {
    ledger: createDynamoDbLedger({ client, tableName }),
    depot: createDynamoDbCardKeyStore({ client, tableName, nowMs: () => startMs }),
    rawTextOf: async (key) => JSON.stringify(await itemOf(key)),
  };
});

it('a key that nobody claims goes after fifteen days, and an older worker stops at it without a POST', async () => {
  const entry = anEntry();
  const depot = createDynamoDbCardKeyStore({ client, tableName, nowMs: () => startMs });
  await depot.deposit(entry, { id: 'key-1', secret: 'A'.repeat(43) });
  const item = (await itemOf(entry.key)) ?? {};
  expect(item['expiresAt']).toEqual({ N: String(startMs / 1000 + 15 * 86_400) });
  // What every worker reads of an item that it does not know: nothing, and it does not guess.
  expect(entryOf(item)).toMatchObject({ kind: 'unreadable' });
});
