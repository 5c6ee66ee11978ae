// What a parked job costs: units of a kilobyte are written for it and for its place in the line, when it is put and when it goes.
import type { DynamoDBClient, PutItemCommandInput } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbWaiting } from '../../lib/aws/dynamodb-waiting.ts';
import { waitingTableDefinition } from '../../lib/local/ledger-table.ts';
import { bodyDigest, sealBody } from '../../lib/payout/wait/body-seal.ts';
import { jobBytes, placeBytes } from '../bench/price-model.ts';
import type { Item } from '../../lib/aws/dynamodb-table.ts';
import { bytesOf } from '../support/item-size.ts';
import { startMs } from '../support/time-and-chance.ts';

/** A row of a payday as a careful sender writes it. */
const body = JSON.stringify({
  version: 1,
  operation: 'payout',
  merchant: 'acme-eu',
  endpointId: '39915',
  orderId: 'INV-2026-000123',
  batchId: 'payday-2026-11',
  expiresAt: '2026-12-01T10:00:00Z',
  context: { invoice: 'b7b8e1f0-7d3a-4b1e-9d5f-0c1a2b3c4d5e', tenant: 'northwind', department: 'payroll' },
  params: {
    amount: '1042.17',
    currency: 'EUR',
    order_desc: 'Salary November 2026, employee 00123',
    account_number: 'DE89370400440532013000',
    account_name: 'Erika Mustermann',
    bank_name: 'Commerzbank Frankfurt',
    bank_bic: 'COBADEFFXXX',
    first_name: 'Erika',
    last_name: 'Mustermann',
    address1: 'Heidestrasse 17',
    city: 'Koeln',
    zip_code: '51147',
    country: 'DE',
    phone: '+4915112345678',
    email: 'erika.mustermann@example.com',
    ipaddress: '203.0.113.24',
    receiver_tin: '12345678901',
    purpose: 'SALA',
  },
});
/** As long as KMS makes it for a key of 256 bits. */
const wrapped = Buffer.alloc(184, 7).toString('base64url');

describe('a parked job of 700 bytes and more', () => {
  let item: Item;
  beforeAll(async () => {
    const written: Item[] = [];
    const client = {
      send: async ({ input }: { readonly input: PutItemCommandInput }) => {
        if (input.Item) written.push(input.Item);
        return { Items: [] };
      },
    } as unknown as DynamoDBClient;
    const key = 'acme-eu/INV-2026-000123';
    const dataKeys = {
      current: async () => ({ plain: Buffer.alloc(32), wrapped }),
      unwrap: async () => new Uint8Array(),
    };
    const random = { id: () => '01234567890123456789', chance: () => 0 };
    await createDynamoDbWaiting({ client, tableName: 'waiting' }).put({
      key,
      lane: { merchant: 'acme-eu', endpointId: '39915' },
      class: 'row',
      goAtMs: startMs,
      sinceMs: startMs,
      expiresAtMs: startMs,
      batchId: 'payday-2026-11',
      money: { currency: 'EUR', minorUnits: 104_217n },
      digest: bodyDigest(body),
      messageId: '95488f24-ae80-40b8-8584-1a705e155fb8',
      begun: 0,
      because: 'lane-closed',
      sealed: await sealBody(body, key, { dataKeys, random }),
    });
    item = written[0] ?? {};
  });

  it('is one unit, as the prices have it', () => {
    expect(body.length).toBeGreaterThan(700);
    expect(bytesOf(item)).toBeLessThanOrEqual(1024);
    expect(bytesOf(item)).toBe(jobBytes);
  });

  it('has a place in the line that bears what finds and counts it alone, as long as the prices have it', () => {
    const projected = waitingTableDefinition.GlobalSecondaryIndexes?.[0]?.Projection?.NonKeyAttributes ?? [];
    const place = Object.fromEntries(
      ['pk', 'sk', 'line', 'goAt', ...projected].flatMap((name) => (item[name] ? [[name, item[name]]] : [])),
    );
    expect(bytesOf(place)).toBe(placeBytes);
  });
});
