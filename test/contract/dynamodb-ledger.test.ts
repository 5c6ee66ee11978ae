// The DynamoDB ledger on the embedded emulator; with DYNAMODB_ENDPOINT set, on any other emulator at that address.
import { randomUUID } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-client.ts';
import { createDynamoDbLedger } from '../../lib/aws/dynamodb-ledger.ts';
import { entryOf, type Item } from '../../lib/aws/ledger-item.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import type { Ledger } from '../../lib/payout/ports.ts';
import { type LedgerEntry, moved } from '../../lib/payout/ledger.ts';
import { startEmbeddedAws, type EmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { anEntry, theLargestEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';
import { describeLedger } from './ledger-contract.ts';
import { createTable } from '../support/created-table.ts';

const otherEndpoint = process.env['DYNAMODB_ENDPOINT'];
const tableName = `ledger-${randomUUID()}`;
const shippedTableName = `${tableName}-shipped`;
let embedded: EmbeddedAws | undefined;
let endpoint: string;
let client: DynamoDBClient;
let shipped: DynamoDBClient;
let ledger: Ledger;

const where = () => ({
  region: 'eu-central-1',
  endpoint,
  credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
});
const newClient = (): DynamoDBClient => new DynamoDBClient(where());
const ledgerOver = (client: DynamoDBClient): Ledger => createDynamoDbLedger({ client, tableName });
const shippedLedger = () => createDynamoDbLedger({ client: shipped, tableName: shippedTableName });

beforeAll(async () => {
  if (otherEndpoint === undefined) embedded = await startEmbeddedAws();
  endpoint = otherEndpoint ?? embedded?.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';
  client = newClient();
  shipped = newDynamoDbClient({ limits: defaultLimits }, where());
  ledger = ledgerOver(client);
  for (const name of [tableName, shippedTableName]) await createTable(client, name);
});

afterAll(async () => {
  client.destroy();
  shipped.destroy();
  await embedded?.close();
});

describeLedger('DynamoDB', () => ledger);

// With the deadlines that functions have; without the SDK, as in their bundles: dynamodb-ledger-on-demand.test.ts.
describeLedger('DynamoDB, over the client that functions use', shippedLedger);

const keyOf = ({ key }: LedgerEntry) => ({ TableName: tableName, Key: { pk: { S: key } } });

async function itemOf(entry: LedgerEntry): Promise<Item | undefined> {
  return (await client.send(new GetItemCommand({ ...keyOf(entry), ConsistentRead: true }))).Item;
}

/** Writes as newer code might: one attribute, past the ledger. */
async function writeAttribute(entry: LedgerEntry, name: string, value: Item[string]): Promise<void> {
  const names = { ExpressionAttributeNames: { '#name': name }, ExpressionAttributeValues: { ':value': value } };
  await client.send(new UpdateItemCommand({ ...keyOf(entry), UpdateExpression: 'SET #name = :value', ...names }));
}

async function claimed(entry = anEntry()): Promise<LedgerEntry> {
  expect(await ledger.claim(entry)).toStrictEqual({ kind: 'claimed' });
  return entry;
}

function accepted(entry: LedgerEntry): LedgerEntry {
  return moved(entry, { state: 'accepted', final: true, reason: 'accepted', nowMs: startMs + 1_500 });
}

describe('an item that newer code has touched', () => {
  it('keeps the attributes that this version does not know, through moves and marks', async () => {
    const entry = await claimed();
    await writeAttribute(entry, 'inquiries', { L: [{ N: '1' }, { S: 'not-found' }] });
    const next = accepted(entry);
    expect(await ledger.advance(entry, next)).toStrictEqual({ kind: 'advanced' });
    await ledger.markUnpublished(next, true);
    await ledger.markUnpublished(next, false);
    expect((await itemOf(entry))?.['inquiries']).toStrictEqual({ L: [{ N: '1' }, { S: 'not-found' }] });
    expect(await ledger.read(entry.key)).toStrictEqual({ kind: 'found', entry: next });
  });

  it.each<[what: string, attribute: string, value: Item[string]]>([
    ['in a state that this version does not know', 'st', { S: 'inquiring' }],
    ['in a higher version of the layout', 'v', { N: '3' }],
  ])('%s is unreadable to every verb and stays as it is', async (_, attribute, value) => {
    const entry = await claimed();
    await writeAttribute(entry, attribute, value);
    const before = await itemOf(entry);
    const unreadable = { kind: 'unreadable', reason: `this version can't read the item's ${attribute}` };
    expect(await ledger.read(entry.key)).toStrictEqual(unreadable);
    expect(await ledger.claim({ ...entry, owner: 'worker-2' })).toStrictEqual(unreadable);
    expect(await ledger.advance(entry, accepted(entry))).toStrictEqual(unreadable);
    await ledger.markUnpublished(entry, true);
    expect(await itemOf(entry)).toStrictEqual(before);
  });
});

describe('a write whose answer was lost on the way', () => {
  /** A client whose first answer never arrives: the SDK repeats the request by itself. */
  function forgetful(): DynamoDBClient {
    const client = newClient();
    let lost = false;
    client.middlewareStack.add(
      (next) => async (args) => {
        const output = await next(args);
        if (lost) return output;
        lost = true;
        throw Object.assign(new Error('the answer was lost'), { name: 'TimeoutError' });
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    return client;
  }

  it('finds its own claim', async () => {
    const client = forgetful();
    const entry = anEntry();
    expect(await ledgerOver(client).claim(entry)).toStrictEqual({ kind: 'found', entry });
    client.destroy();
  });

  it('finds its own move', async () => {
    const client = forgetful();
    const entry = await claimed();
    const next = accepted(entry);
    expect(await ledgerOver(client).advance(entry, next)).toStrictEqual({ kind: 'found', entry: next });
    client.destroy();
  });
});

describe('what DynamoDB is asked for', () => {
  it('is one unit a write of the table, even for the largest entry', async () => {
    const metered = newClient();
    const units: unknown[] = [];
    metered.middlewareStack.add(
      (next) => async (args) => {
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'INDEXES' } });
        const { ConsumedCapacity } = result.output as { ConsumedCapacity?: { Table?: { CapacityUnits?: number } } };
        units.push(ConsumedCapacity?.Table?.CapacityUnits);
        return result;
      },
      { step: 'initialize' },
    );
    const entry = theLargestEntry();
    const own = { ...entry, key: `${entry.key.slice(0, -9)}-capacity` };
    await ledgerOver(metered).claim(own);
    await ledgerOver(metered).advance(own, { ...own, revision: 1000 });
    expect(units).toStrictEqual([1, 1]);
    metered.destroy();
  });

  it('is no second read where the refusal brings the item along, as in AWS', async () => {
    const entry = await claimed();
    const item = (await itemOf(entry)) ?? {};
    const asInAws = newClient();
    const commands: (string | undefined)[] = [];
    asInAws.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          commands.push(commandName);
          return next(args).catch((error: unknown) => {
            if (error instanceof ConditionalCheckFailedException) error.Item = item;
            throw error;
          });
        },
      { step: 'initialize' },
    );
    expect(await ledgerOver(asInAws).claim({ ...entry, owner: 'worker-2' })).toStrictEqual(entryOf(item));
    const stale = { ...entry, owner: 'worker-2' };
    expect(await ledgerOver(asInAws).advance(stale, accepted(stale))).toStrictEqual(entryOf(item));
    expect(commands).toStrictEqual(['PutItemCommand', 'UpdateItemCommand']);
    asInAws.destroy();
  });

  it('fails for the caller to repeat when DynamoDB does not answer', async () => {
    const nowhere = new DynamoDBClient({
      region: 'eu-central-1',
      endpoint: 'http://127.0.0.1:1',
      credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
      maxAttempts: 1,
    });
    const entry = anEntry();
    await expect(ledgerOver(nowhere).claim(entry)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(ledgerOver(nowhere).advance(entry, accepted(entry))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(ledgerOver(nowhere).read(entry.key)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(ledgerOver(nowhere).markUnpublished(entry, true)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    nowhere.destroy();
  });
});
