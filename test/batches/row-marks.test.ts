// A letter for each row: what is remembered of it is enough for every figure of the tally, and tells which rows must be read
// again.
import { describe, expect, it } from 'vitest';
import { type RowRecord, rowStatusOf } from '../../lib/batches/batch-row.ts';
import { type Batch, type BatchRow, newBatch } from '../../lib/batches/batch.ts';
import { markOf, mayHaveMoved, nextLookMs, restlessnessOf, tallyOfMarks, unread } from '../../lib/batches/row-marks.ts';
import type { OrderView } from '../../lib/payout/order/projection.ts';
import { aView } from '../support/orders.ts';

const batchId = 'payroll';
const eur: BatchRow = { digest: 'd', orderKey: 'acme-eu/INV-1', money: { currency: 'EUR', minorUnits: 1042n } };
const jpy: BatchRow = { digest: 'd', orderKey: 'acme-eu/J', money: { currency: 'JPY', minorUnits: 5n } };
const check: BatchRow = { digest: 'd', orderKey: 'acme-eu/C' };
const refusal: RowRecord = { note: { kind: 'refused', failure: { code: 'INVALID_MESSAGE', message: '' } } };
const unsent = { code: 'HELD_CARD_DATA', message: 'its CVV is gone' } as const;

const order = (changes: Partial<OrderView>, row = eur): RowRecord => {
  const { money: _, ...entry } = aView({ batchId, ...changes });
  return { entry: row.money ? { ...entry, money: row.money } : entry };
};
const mark = (record: RowRecord, row = eur) => markOf(rowStatusOf(row, batchId, record));
const elsewhere = (state: OrderView['state']): RowRecord => ({
  ...order({ state, batchId: 'earlier', final: false }, jpy),
  note: { kind: 'elsewhere' },
});

it('the tally counts ends, money, and what is not final, elsewhere or in doubt', () => {
  const rows: readonly (readonly [BatchRow, RowRecord])[] = [
    [eur, order({ state: 'approved', final: true })],
    [eur, order({ state: 'held' })],
    [eur, order({ state: 'approved', final: true })],
    [eur, order({ state: 'cancelled', final: true })],
    [eur, order({ state: 'held', failure: unsent })],
    [jpy, elsewhere('held')],
    [check, refusal],
    [eur, order({ state: 'in-doubt' })],
    [eur, order({ state: 'retryable' })],
    [eur, {}],
    [check, order({ operation: 'pan-eligibility', state: 'accepted', final: true }, check)],
    [check, order({ operation: 'pan-eligibility', state: 'held' }, check)],
    [check, order({ operation: 'pan-eligibility', state: 'in-doubt' }, check)],
  ];
  const marks = rows.map(([row, record]) => mark(record, row)).join('');
  expect(marks).toHaveLength(rows.length);
  const counts = { notFinal: 0, elsewhere: 0, inDoubt: 0 };
  expect(
    tallyOfMarks(
      rows.map(([row]) => row),
      marks,
    ),
  ).toStrictEqual([
    { end: 'approved', currency: 'EUR', count: 2, minorUnits: 2084n, ...counts },
    { end: 'checked', count: 1, minorUnits: 0n, ...counts },
    { end: 'failed', count: 1, minorUnits: 0n, ...counts },
    { end: 'cancelled', currency: 'EUR', count: 1, minorUnits: 1042n, ...counts },
    { end: 'held', count: 1, minorUnits: 0n, ...counts, notFinal: 1 },
    { end: 'held', currency: 'EUR', count: 2, minorUnits: 2084n, ...counts, notFinal: 2, inDoubt: 1 },
    { end: 'held', currency: 'JPY', count: 1, minorUnits: 5n, notFinal: 1, elsewhere: 1, inDoubt: 1 },
    { end: 'in-doubt', currency: 'EUR', count: 1, minorUnits: 1042n, ...counts, notFinal: 1, inDoubt: 1 },
    { end: 'open', count: 1, minorUnits: 0n, ...counts, notFinal: 1 },
    { end: 'open', currency: 'EUR', count: 2, minorUnits: 2084n, ...counts, notFinal: 2 },
  ]);
});

describe('a row', () => {
  it.each<[what: string, record: RowRecord, again: boolean]>([
    ['of which nothing is known', {}, true],
    ['in doubt', order({ state: 'in-doubt' }), true],
    ['that the gateway is still asked about', order({ state: 'accepted', final: false }), true],
    ['that was refused, and whose message may be redriven', refusal, true],
    ['that is held: its release is announced', order({ state: 'held' }), false],
    ['that waits for card data', order({ state: 'held', failure: unsent }), false],
    ['accepted, where nothing follows', order({ state: 'accepted', final: true }), false],
    ['approved', order({ state: 'approved', final: true }), false],
    ['that has failed: its redrive is announced', order({ state: 'failed', final: true }), false],
  ])('%s', (_, record, again) => {
    expect(mayHaveMoved(mark(record))).toBe(again);
  });
});

it('a part is as restless as the most restless of its rows', () => {
  const approved = mark(order({ state: 'approved', final: true }));
  const underWay = mark(order({ state: 'accepted', final: false }));
  expect(restlessnessOf(approved)).toBe('none');
  expect(restlessnessOf(`${approved}${mark(refusal)}`)).toBe('refused');
  expect(restlessnessOf(`${underWay}${mark(refusal)}${approved}`)).toBe('under-way');
  expect(restlessnessOf(`${mark(refusal)}${underWay}`)).toBe('under-way');
  expect(restlessnessOf(`${underWay}${unread}`)).toBe('open');
});

// When the sweeper looks at a batch again: its rows' reads stay few, whatever its age.

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const content = { batchId: 'b', fileHash: 'ab', contentHash: '12', rows: 1, totals: {}, by: 'ada', nowMs: 0 };
const uploaded: Batch = { ...newBatch(content), state: 'uploaded', uploadedAtMs: 0 };
const told: Batch = { ...uploaded, state: 'closed', closure: { revision: 1, atMs: 9 * day, firstAtMs: 0, tally: [] } };

it.each([
  ['with open rows, each minute at first', uploaded, 'open', minute, 50_000],
  ['with open rows, after a tenth of its age', uploaded, 'open', hour, 6 * minute],
  ['with open rows, every quarter of an hour in the end', uploaded, 'open', 10 * day, 890_000],
  ['that was told, with open rows, as if it were new', told, 'open', 9 * day + minute, 50_000],
  ['with rows under way, after five minutes at first', told, 'under-way', minute, 290_000],
  ['with rows under way, after a quarter of its age', told, 'under-way', 2 * hour, 30 * minute],
  ['with rows under way, each day in the end', told, 'under-way', 200 * day, day],
  ['with refused rows, as long as a dead letter lives', told, 'refused', 14 * day, day],
  ['with rows that were refused late, as long as their dead letters live', told, 'refused', (9 + 14) * day, day],
] as const)('%s', (_, batch, why, ageMs, inMs) => {
  expect(nextLookMs(batch, why, ageMs)).toBe(ageMs + inMs);
});
