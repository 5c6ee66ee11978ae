// The table of card keys on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other at that address. And keys that older
// senders left in the orders' table.
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, GetItemCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbCardKeyStore } from '../../lib/card-data/dynamodb-card-key-store.ts';
import { createDynamoDbLeftCardKeys } from '../../lib/card-data/dynamodb-left-card-keys.ts';
import { createSingleUseCode, ledgerWithCardKeys } from '../../lib/card-data/open-card-data.ts';
import { createDynamoDbLedger } from '../../lib/aws/dynamodb-ledger.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { plainTableDefinition, ledgerTableDefinition } from '../../lib/local/ledger-table.ts';
import { type LedgerEntry, moved } from '../../lib/payout/ledger.ts';
import { earlierCardKeys } from '../support/earlier-card-keys.ts';
import { aTransferJob, jobOf } from '../support/jobs.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';
import { describeCardKeys } from './card-keys-contract.ts';

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
  await client.send(new CreateTableCommand({ TableName: ordersTable, ...ledgerTableDefinition }));
  await client.send(new CreateTableCommand({ TableName: keysTable, ...plainTableDefinition }));
  for (const TableName of [ordersTable, keysTable])
    await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.1, maxDelay: 1 }, { TableName });
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

describe('a key that a sender of before left at the order\u2019s place in the orders\u2019 table', () => {
  const earlier = () => earlierCardKeys({ client, tableName: ordersTable });
  const opens = async ({ key: at }: LedgerEntry, handed?: ReturnType<typeof key>) => {
    const openCode = async (_: string, { id }: { readonly id: string }) => (id === 'key-1' ? '737' : undefined);
    const [merchant = '', orderId = ''] = at.split('/');
    const job = jobOf(aTransferJob({ merchant, orderId }));
    const opened = await createSingleUseCode({ openCode }, store()).open(
      { ...job, sealedCode: { field: 'cvv2', keyId: 'key-1', sealed: '' } },
      handed,
    );
    return opened?.params['cvv2'];
  };

  it('is destroyed by the claim, which is handed it, and needs no other', async () => {
    const entry = anEntry({ operation: 'transfer' });
    await earlier().deposit(entry, key('key-1'));
    expect(await ledger().read(entry.key)).toBeUndefined();
    const claim = await ledger().claim(entry);
    expect(claim).toStrictEqual({ kind: 'claimed', cardKey: key('key-1') });
    expect(JSON.stringify(await itemOf(ordersTable, entry.key))).not.toContain(key('key-1').secret);
    expect(await opens(entry, claim.kind === 'claimed' ? claim.cardKey : undefined)).toBe('737');
  });

  it('does not stand in the way of a sender of now, whose key is in its own table', async () => {
    const entry = anEntry({ operation: 'transfer' });
    await store().deposit(entry, key('key-1'));
    await earlier().deposit(entry, key('key-0'));
    const claim = await ledger().claim(entry);
    expect(await opens(entry, claim.kind === 'claimed' ? claim.cardKey : undefined)).toBe('737');
    expect(await opens(entry)).toBeUndefined();
  });

  it('is handed to the claim that takes over an order which waits for new card data, from either table', async () => {
    const failure = { code: 'NEW_CARD_DATA_NEEDED', message: 'seal the card data anew' } as const;
    const both = ledgerWithCardKeys(ledger(), store());
    for (const place of ['earlier', 'now'] as const) {
      const entry = anEntry({ operation: 'transfer' });
      await ledger().claim(entry);
      const held = moved(entry, { state: 'held', final: false, reason: failure.code, nowMs: startMs + 20, failure });
      await ledger().advance(entry, held);
      expect(await both.read(entry.key)).toStrictEqual({ kind: 'found', entry: held });
      if (place === 'earlier') await earlier().layBeside(held, key('key-1'));
      else await store().deposit(held, key('key-1'));
      const waiting = await both.read(entry.key);
      expect(waiting).toStrictEqual({ kind: 'found', entry: { ...held, cardKeyId: 'key-1' } });
      const anew = moved(held, { state: 'submitting', final: false, reason: 'claimed', nowMs: startMs + 30 });
      const write = await both.advance(held, { ...anew, owner: 'worker-2' });
      expect(await opens(entry, 'cardKey' in write ? write.cardKey : undefined)).toBe('737');
    }
  });

  it('is destroyed by any other move too, and handed to nobody', async () => {
    const entry = anEntry({ operation: 'transfer' });
    await earlier().deposit(entry, key('key-1'));
    const cancelled = { ...entry, state: 'cancelled' as const, final: true };
    expect(await ledger().claim(cancelled)).toStrictEqual({ kind: 'claimed' });
    expect(JSON.stringify(await itemOf(ordersTable, entry.key))).not.toContain(key('key-1').secret);
  });
});
