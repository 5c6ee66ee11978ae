// Which rows may be asked for once more, and under which id: never one that may still be paid.
import { describe, expect, it } from 'vitest';
import { rowStatusOf, type RowRecord } from '../../lib/batches/batch-row.ts';
import type { BatchRow } from '../../lib/batches/batch.ts';
import { nextOrderId, reopeningOf, type Retried, retryIds, retryVerdict } from '../../lib/batches/retry-rows.ts';
import { type OrderView, viewOf } from '../../lib/payout/order/projection.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { anOrderThatStands } from '../support/order-that-stands.ts';
import { anAttempt, aView, withFacts } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const batchId = 'payroll';
const row: BatchRow = { digest: 'd', orderKey: 'acme-eu/A', money: { currency: 'EUR', minorUnits: 1042n } };
const order = (changes: Partial<OrderView>): RowRecord => ({ entry: aView({ batchId, orderId: 'A', ...changes }) });
const verdict = (record: RowRecord, ofCancelled = false) =>
  retryVerdict(rowStatusOf(row, batchId, record), ofCancelled);
const invalid = { code: 'INVALID_MESSAGE', message: 'no amount' } as const;

it.each<[OrderView['state'], string]>([
  ['submitting', 'not-proven'],
  ['retryable', 'not-proven'],
  ['in-doubt', 'not-proven'],
  ['held', 'not-proven'],
  ['accepted', 'not-proven'],
  ['approved', 'not-proven'],
  ['declined', 'unpaid'],
  ['failed', 'unpaid'],
  ['cancelled', 'not-proven'],
])('a row whose order is %s is %s', (state, kind) => {
  expect(verdict(order({ state, final: true }))).toMatchObject({ kind });
});

it('a row without an order is unpaid where it was refused, and nothing is known where it was not begun', () => {
  expect(verdict({ note: { kind: 'refused', failure: invalid } })).toEqual({ kind: 'unpaid', why: invalid });
  expect(verdict({})).toEqual({ kind: 'not-proven', state: 'waiting' });
  expect(verdict({ unreadable: true })).toMatchObject({ kind: 'not-proven' });
});

it('what was called off is asked for again only where that is said', () => {
  expect(verdict(order({ state: 'cancelled' }), true)).toMatchObject({ kind: 'unpaid' });
});

it('a row whose order another batch asked for is that batch’s to retry', () => {
  const record = { ...order({ state: 'declined', batchId: 'earlier' }), note: { kind: 'elsewhere' } as const };
  expect(verdict(record)).toEqual({ kind: 'elsewhere' });
});

it('a row of which two contents were sent under one id is not proven unpaid, though the order is', () => {
  const failure = { code: 'ORDER_ID_REUSED', message: 'used' } as const;
  const record: RowRecord = { ...order({ state: 'declined' }), note: { kind: 'refused', failure } };
  expect(verdict(record)).toMatchObject({ kind: 'not-proven' });
});

it.each([
  ['INV-1', 'INV-1-R1'],
  ['INV-1-R1', 'INV-1-R2'],
  ['INV-1-R9', 'INV-1-R10'],
  ['INV-R', 'INV-R-R1'],
  ['-R1', '-R1-R1'],
])('after %s comes %s', (orderId, next) => {
  expect(nextOrderId(orderId)).toBe(next);
});

const ledgerOf = (states: Readonly<Record<string, OrderView['state']>>) => ({
  knownOrders: {
    read: async (keys: readonly string[]) => {
      expect(keys.length).toBeLessThanOrEqual(100);
      return new Map(
        keys.flatMap((key) => {
          const state = states[key];
          return state ? [[key, { order: anOrderThatStands({ state }) }] as const] : [];
        }),
      );
    },
  },
});

it('an id is the next that the ledger does not know; a retry that may be paid leaves none', async () => {
  const long = `acme-eu/${'x'.repeat(200)}`;
  const ids = await retryIds(['acme-eu/A', 'acme-eu/B', 'acme-eu/C', 'acme-us/A', long], {
    ...ledgerOf({
      'acme-eu/B-R1': 'declined',
      'acme-eu/B-R2': 'failed',
      'acme-eu/C-R1': 'declined',
      'acme-eu/C-R2': 'accepted',
    }),
  });
  expect(Object.fromEntries(ids)).toEqual({
    'acme-eu/A': { kind: 'free', orderId: 'A-R1' },
    'acme-eu/B': { kind: 'free', orderId: 'B-R3' },
    'acme-eu/C': { kind: 'retried', orderId: 'C-R2', state: 'accepted' },
    'acme-us/A': { kind: 'free', orderId: 'A-R1' },
    [long]: { kind: 'too-long', orderId: expect.stringMatching(/^x+-R1$/) },
  });
});

it.each<OrderView['state']>(['submitting', 'retryable', 'in-doubt', 'held', 'accepted', 'approved'])(
  'a retry that is %s is never sent a second time under another id',
  async (state) => {
    const ids = await retryIds(['acme-eu/A'], ledgerOf({ 'acme-eu/A-R1': state }));
    expect(ids.get('acme-eu/A')).toEqual({ kind: 'retried', orderId: 'A-R1', state });
  },
);

it('a retry whose name opened nothing is no row to be retried: what its order came to is its first batch’s to say', () => {
  const failure = { code: 'END_UNKNOWN', message: 'no such end' } as const;
  expect(verdict({ note: { kind: 'refused', failure } })).toEqual({ kind: 'elsewhere' });
});

describe('an unpaid row is opened', () => {
  const declined = anOrderThatStands({ batchId, orderId: 'A', state: 'declined', final: true });
  const job = jobOf(aPayoutJob({ orderId: 'A' }));
  const status = rowStatusOf(row, batchId, { entry: viewOf(declined) });
  const open = (changes: Partial<Retried>) =>
    reopeningOf({ status, job, known: { order: declined }, nowMs: startMs, ...changes });
  const { endId } = viewOf(declined);

  it('by the name of the end that was seen', () => {
    expect(open({})).toEqual({ kind: 'named', resends: endId });
    expect(endId).toBeDefined();
  });

  it('by its id alone where no order of it has begun', () => {
    const refusedRow = rowStatusOf(row, batchId, { note: { kind: 'refused', failure: invalid } });
    expect(open({ status: refusedRow, known: undefined })).toEqual({ kind: 'plain' });
  });

  it.each<[what: string, changes: Partial<Retried>, why: string]>([
    ['is gone from what was read', { known: undefined }, 'has changed'],
    ['can’t be read', { known: { unreadable: true } }, 'newer version'],
    [
      'has another end by now',
      {
        status: {
          ...status,
          entry: { ...viewOf(declined), endId: 'end-of-yesterday' },
        },
      },
      'has changed',
    ],
    [
      'is another payment’s',
      { status: rowStatusOf(row, batchId, { note: { kind: 'refused', failure: invalid } }) },
      'used for another payment',
    ],
    ['is past its time', { job: { ...job, expiresAtMs: startMs } }, 'expiresAt has passed'],
  ])('and not where its order %s', (_, changes, why) => {
    expect(open(changes)).toEqual({ kind: 'kept', why: expect.stringContaining(why) });
  });

  it('and not where it was paid since, nor after as many tries as an order may have', () => {
    const [first] = Object.values(declined.facts.attempts);
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`a-${at}`, { ...anAttempt(), ...first, id: `a-${at}`, number: at + 1 }]),
    );
    const tired = withFacts(declined, { attempts: many });
    const entry = viewOf(tired);
    expect(open({ status: rowStatusOf(row, batchId, { entry }), known: { order: tired } }).kind).toBe('kept');
    const paid = anOrderThatStands({ batchId, orderId: 'A', state: 'approved' });
    expect(open({ known: { order: paid } })).toMatchObject({ kind: 'kept', why: expect.stringContaining('changed') });
  });
});
