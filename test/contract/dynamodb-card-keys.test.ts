// The table of card keys on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other at that address.
import { randomUUID } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbCardKeyStore } from '../../lib/card-data/dynamodb-card-key-store.ts';
import { createDynamoDbLeftCardKeys } from '../../lib/card-data/dynamodb-left-card-keys.ts';
import { createSingleUseCode, ledgerWithCardKeys } from '../../lib/card-data/open-card-data.ts';
import { createDynamoDbLedger } from '../../lib/aws/dynamodb-ledger.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { plainTableDefinition } from '../../lib/local/ledger-table.ts';
import { moved } from '../../lib/payout/ledger.ts';
import { aTransferJob, jobOf } from '../support/jobs.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';
import { describeCardKeys } from './card-keys-contract.ts';
import { createTable } from '../support/created-table.ts';

const otherEndpoint = process.env['DYNAMODB_ENDPOINT'];
const ordersTable = `orders-${randomUUID()}`;
const keysTable = `card-keys-${randomUUID()}`;
let embedded: EmbeddedAws | undefined;
let client: DynamoDBClient;

beforeAll(async () => {
  if (otherEndpoint === undefined) embedded = await startEmbeddedAws();
  const endpoint = otherEndpoint ?? embedded?.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';
  const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
  client = new DynamoDBClient({ region: 'eu-central-1', endpoint, credentials });
  await createTable(client, ordersTable);
  await createTable(client, keysTable, plainTableDefinition);
});

afterAll(async () => {
  client.destroy();
  await embedded?.close();
});

async function itemOf(TableName: string, key: string) {
  const it = { TableName, Key: { pk: { S: key } }, ConsistentRead: true };
  return (await client.send(new GetItemCommand(it))).Item;
}

const ledger = () => createDynamoDbLedger({ client, tableName: ordersTable });
const store = (nowMs = startMs) => createDynamoDbCardKeyStore({ client, tableName: keysTable, nowMs: () => nowMs });

describeCardKeys('DynamoDB', () => ({
  store: {
    ...store(),
    ...createDynamoDbLeftCardKeys(
      { client, tableName: keysTable },
      { client, tableName: ordersTable, sleep: async () => {} },
    ),
  },
  stands: async (entry) => void (await ledger().claim(entry)),
  rawTextOf: async (key) => JSON.stringify((await itemOf(keysTable, key)) ?? ''),
}));

const key = (id: string) => ({ id, secret: `${id}-`.padEnd(43, 'A') });

it('a key that nobody takes goes after fifteen days; one whose time is over makes room before that', async () => {
  const entry = anEntry();
  await store().deposit(entry, key('key-1'));
  const item = await itemOf(keysTable, entry.key);
  expect(item?.['expiresAt']).toEqual({ N: String(startMs / 1000 + 15 * 86_400) });
  const later = await store(startMs + 15 * 86_400_000 + 1_000).deposit(entry, key('key-2'));
  expect(later).toEqual({ kind: 'key', key: key('key-2') });
});

it('a key is handed to the claim that takes over an order which waits for new card data', async () => {
  const failure = { code: 'NEW_CARD_DATA_NEEDED', message: 'seal the card data anew' } as const;
  const both = ledgerWithCardKeys(ledger(), store());
  const entry = anEntry({ operation: 'transfer' });
  await ledger().claim(entry);
  const held = moved(entry, { state: 'held', final: false, reason: failure.code, nowMs: startMs + 20, failure });
  await ledger().advance(entry, held);
  expect(await both.read(entry.key)).toStrictEqual({ kind: 'found', entry: held });
  await store().deposit(held, key('key-1'));
  expect(await both.read(entry.key)).toStrictEqual({ kind: 'found', entry: { ...held, cardKeyId: 'key-1' } });
  const openCode = async (_: string, { id }: { readonly id: string }) => (id === 'key-1' ? '737' : undefined);
  const { merchant, orderId } = entry;
  const job = {
    ...jobOf(aTransferJob({ merchant, orderId })),
    sealedCode: { field: 'cvv2', keyId: 'key-1', sealed: '' },
  };
  const open = () => createSingleUseCode({ openCode }, store()).open(job);
  expect((await open())?.params['cvv2']).toBe('737');
  expect(await open()).toBeUndefined();
});
