import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as fc from 'fast-check';
import { failureCodeNames } from '../../lib/payout/failures.ts';
import { describe, expect, it } from 'vitest';
import { constantAttributes, entryOf, type Item, movingAttributes } from '../../lib/aws/order-item.ts';
import { type OrderView, moves, orderKey, type OrderState } from '../../lib/payout/ledger.ts';
import { operationNames } from '../../lib/gateway/operations.ts';
import { anEntry, theLargestEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';

function itemOf(entry: OrderView): Item {
  const attributes = { ...constantAttributes(entry), ...movingAttributes(entry) };
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Item;
}

/** DynamoDB's rule: names and values in UTF-8, a number a byte and one for each two digits, a boolean one byte. */
function bytesOf(item: Item): number {
  const valueBytes = ({ S, N }: AttributeValue) => {
    if (S !== undefined) return Buffer.byteLength(S);
    return N === undefined ? 1 : Math.ceil(N.replace('-', '').length / 2) + 1;
  };
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

describe('the item of an entry', () => {
  it('stays under 1 KB with every field of one attempt at its limit, so that each write costs one unit', () => {
    expect(bytesOf(itemOf(theLargestEntry()))).toBe(1017);
  });

  it('of many attempts that were never proven unprocessed costs a second unit, and no third', () => {
    const ids = { account: 'a'.repeat(12), gatewayOrderId: '9'.repeat(40), gatewayAlias: '8'.repeat(40) };
    const many = { ...ids, unproven: true, earlierAttempts: Array.from({ length: 8 }, () => ids) } as const;
    const earlierMessages = Array.from({ length: 8 }, () => 'm'.repeat(12));
    expect(bytesOf(itemOf({ ...theLargestEntry(), ...many, sentAtMs: startMs, earlierMessages }))).toBeLessThan(2048);
  });

  it('gives back the largest entry as it was', () => {
    const entry = theLargestEntry();
    expect(entry.history).toHaveLength(4);
    expect(entryOf(itemOf(entry))).toStrictEqual({ kind: 'found', entry });
  });

  it.each<Partial<OrderView>>([
    { gatewayAmount: '10.43 EUR' },
    { reversal: { type: 'reversal', status: 'approved', atMs: startMs } },
    { reversal: { type: 'partial-reversal', status: 'processing', amount: '3.00', atMs: startMs } },
    { overdue: true },
  ])('gives back what the gateway said besides its end, and stays under 1 KB on the usual way: %j', (words) => {
    const entry = aView({ state: 'accepted', batchId: 'b'.repeat(40), gatewayOrderId: '9'.repeat(40), ...words });
    expect(entryOf(itemOf(entry))).toStrictEqual({ kind: 'found', entry });
    expect(bytesOf(itemOf(entry))).toBeLessThan(1024);
  });

  it('has the layout that is already stored out there: change it only together with its version', () => {
    const entry = aView({
      orderId: 'INV-1',
      batchId: '2026-11',
      context: '{"invoice": 123.0}',
      state: 'declined',
      revision: 2,
      final: true,
      gatewayOrderId: '9000123',
      failure: { code: 'GATEWAY_REFUSED', message: 'Card number is invalid', gatewayCode: '8', httpStatus: 200 },
      updatedAtMs: 1_795_255_201_500,
      history: [
        { state: 'submitting', atMs: 1_795_255_200_000, attempts: 1, reason: 'claimed' },
        { state: 'declined', atMs: 1_795_255_201_500, attempts: 1, reason: 'GATEWAY_REFUSED' },
      ],
      unpublished: true,
    });
    expect(itemOf(entry)).toStrictEqual({
      pk: { S: 'acme-eu/INV-1' },
      v: { N: '1' },
      op: { S: 'payout' },
      ep: { S: '39915' },
      fp: { S: 'k1.fingerprint' },
      ca: { N: '1795255200000' },
      am: { N: '1042' },
      cu: { S: 'EUR' },
      ba: { S: '2026-11' },
      cx: { S: '{"invoice": 123.0}' },
      st: { S: 'declined' },
      rv: { N: '2' },
      fi: { BOOL: true },
      ow: { S: 'worker-1' },
      ms: { S: 'message-1' },
      le: { N: '1795255300000' },
      tr: { N: '1' },
      ua: { N: '1795255201500' },
      hi: { S: '0:0:1:claimed 6:15o:1:GATEWAY_REFUSED' },
      ga: { S: '9000123' },
      fa: { S: 'GATEWAY_REFUSED\n200\n8\nCard number is invalid' },
      un: { BOOL: true },
      wk: { S: 'u0' },
      wa: { N: '1795255321500' },
    });
  });

  it('keeps each state its number in the history: new ones are added at the end', () => {
    expect(Object.keys(moves)).toStrictEqual([
      'submitting',
      'retryable',
      'in-doubt',
      'held',
      'accepted',
      'approved',
      'declined',
      'failed',
      'cancelled',
    ]);
  });

  it('gives back any entry as it was', () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        expect(entryOf(itemOf(entry))).toStrictEqual({ kind: 'found', entry });
      }),
    );
  });
});

it('no order expires: no write of one names a time to live', () => {
  for (const state of ['submitting', 'accepted', 'approved', 'declined', 'failed'] as const)
    expect(movingAttributes(aView({ state, final: true }))).not.toHaveProperty('expiresAt');
});

describe('an item that this version cannot read whole', () => {
  it.each<[what: string, attribute: string, value: AttributeValue | undefined]>([
    ['of a higher layout version', 'v', { N: '3' }],
    ['in an unknown state', 'st', { S: 'inquiring' }],
    ['of an unknown operation', 'op', { S: 'refund' }],
    ['without an owner', 'ow', undefined],
    ['without a revision', 'rv', undefined],
    ['whose revision is text', 'rv', { S: '1' }],
    ['whose amount is a fraction', 'am', { N: '10.42' }],
    ['whose context is not JSON', 'cx', { S: '{' }],
    ['of an unknown failure', 'fa', { S: 'LUNAR_ECLIPSE\n\n\nit is dark' }],
    ['whose context is no object', 'cx', { S: '[]' }],
  ])('%s is unreadable, and the reason names the attribute', (_, attribute, value) => {
    const { [attribute]: _removed, ...rest } = itemOf(aView({ context: '{}' }));
    const item = value ? { ...rest, [attribute]: value } : rest;
    expect(entryOf(item)).toStrictEqual({
      kind: 'unreadable',
      reason: `this version can't read the item's ${attribute}`,
    });
  });
});

const plain = { noNullPrototype: true } as const;
const word = fc.stringMatching(/^[A-Za-z0-9._-]{1,48}$/);
const state = fc.constantFrom(...(Object.keys(moves) as OrderState[]));
const timeMs = fc.integer({ min: 0, max: 8_640_000_000_000 });
const count = fc.integer({ min: 0, max: 1_000_000 });
const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const line = fc.record({ state, atMs: timeMs, attempts: count, reason: word }, plain);
const always = fc.record({
  operation: fc.constantFrom(...operationNames),
  merchant: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  orderId: fc.stringMatching(/^[\u0020-\u007e]{1,128}$/),
  endpointId: word,
  fingerprint: word,
  state,
  revision: count,
  final: fc.boolean(),
  owner: word,
  messageId: word,
  leaseUntilMs: timeMs,
  attempts: count,
  createdAtMs: timeMs,
  updatedAtMs: timeMs,
  history: fc.array(line, { minLength: 1, maxLength: 6 }),
});
const sometimes = {
  money: fc.record({ currency: fc.constantFrom('EUR', 'JPY'), minorUnits: fc.bigInt(1n, 10n ** 37n) }, plain),
  batchId: word,
  context: fc
    .dictionary(fc.oneof(word, fc.constantFrom('constructor', 'prototype')), scalar, plain)
    .map((it) => JSON.stringify(it, null, 1)),
  gatewayOrderId: word,
  gatewayAlias: word,
  account: fc.stringMatching(/^(test:)?[A-Za-z0-9_-]{12}$/),
  unproven: fc.constant(true as const),
  earlierAttempts: fc.array(
    fc.record({ account: word, gatewayOrderId: word, gatewayAlias: word }, { requiredKeys: [], ...plain }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  sentAtMs: timeMs,
  earlierMessages: fc.array(word, { minLength: 1, maxLength: 8 }),
  failure: fc.record(
    {
      code: fc.constantFrom(...failureCodeNames),
      message: fc.string({ unit: 'binary' }),
      gatewayCode: fc.stringMatching(/^[^\n]{1,16}$/),
      httpStatus: fc.integer({ min: 100, max: 599 }),
    },
    { requiredKeys: ['code', 'message'], ...plain },
  ),
  unpublished: fc.constant(true as const),
};
const anyEntry: fc.Arbitrary<OrderView> = fc
  .tuple(always, fc.record(sometimes, { requiredKeys: [] }))
  .map(([entry, more]) => ({ ...entry, ...more, key: orderKey(entry) }));
