// DynamoDB for the contracts: the embedded emulator, or with DYNAMODB_ENDPOINT set any other at that address.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { createTable } from '../support/created-table.ts';

type Definition = Parameters<typeof createTable>[2];

interface DynamoDb {
  readonly client: DynamoDBClient;
  /** The configuration of the client. */
  where(): DynamoDBClientConfig;
  newClient(): DynamoDBClient;
  /** Creates a table, with the keys and the index of the ledger unless it is defined otherwise. */
  createTable(name: string, definition?: Definition): Promise<void>;
}

/** Runs for the tests of one file, with these tables. */
export function aDynamoDb(...tables: readonly (string | [name: string, definition: Definition])[]): DynamoDb {
  let embedded: EmbeddedAws | undefined;
  let client: DynamoDBClient;
  const where = () => ({
    region: 'eu-central-1',
    endpoint: process.env['DYNAMODB_ENDPOINT'] ?? embedded?.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
    credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
  });
  const newClient = () => new DynamoDBClient(where());

  beforeAll(async () => {
    if (process.env['DYNAMODB_ENDPOINT'] === undefined) embedded = await startEmbeddedAws();
    client = newClient();
    for (const [name, definition] of tables.map((it) => (typeof it === 'string' ? ([it] as const) : it)))
      await createTable(client, name, definition);
  });
  afterAll(async () => {
    client.destroy();
    await embedded?.close();
  });

  return {
    get client() {
      return client;
    },
    where,
    newClient,
    createTable: (name, definition) => createTable(client, name, definition),
  };
}
