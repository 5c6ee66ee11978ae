// The batch result is a contract: its shape, to the last field.
import { expect, it } from 'vitest';
import { type Batch, newBatch } from '../../lib/batches/batch.ts';
import { batchResultOf } from '../../lib/batches/batch-result.ts';
import type { Tally } from '../../lib/batches/tally.ts';
import type { Standing } from '../../lib/payout/order/standing.ts';
import { startMs } from '../support/time-and-chance.ts';

const batch: Batch = newBatch({
  batchId: '2026-11-payroll',
  fileHash: 'ab'.repeat(32),
  contentHash: '12',
  rows: 5,
  totals: { JPY: { count: 1, minorUnits: 500n }, EUR: { count: 3, minorUnits: 9_007_199_254_740_993n } },
  merchant: 'acme-eu',
  by: 'ada',
  nowMs: startMs,
});
const closure = {
  revision: 1,
  atMs: startMs + 60_000,
  firstAtMs: startMs + 60_000,
  tally: [
    { standing: 'held', currency: 'JPY', count: 1, minorUnits: 500n, elsewhere: 0 },
    { standing: 'paid', currency: 'EUR', count: 3, minorUnits: 9_007_199_254_740_993n, elsewhere: 1 },
    { standing: 'failed', count: 1, minorUnits: 0n, elsewhere: 0 },
  ],
} as const;

it('says what became of every row, exactly', () => {
  expect(batchResultOf(batch, closure)).toStrictEqual({
    version: 1,
    kind: 'batch-result',
    resultId: '~batch/2026-11-payroll/1',
    batchId: '2026-11-payroll',
    revision: 1,
    status: 'in-doubt',
    final: false,
    merchant: 'acme-eu',
    fileHash: 'ab'.repeat(32),
    rows: 5,
    totals: [
      { currency: 'EUR', count: 3, amount: '90071992547409.93' },
      { currency: 'JPY', count: 1, amount: '500' },
    ],
    outcomes: [
      { standing: 'held', currency: 'JPY', amount: '500', count: 1, elsewhere: 0 },
      { standing: 'paid', currency: 'EUR', amount: '90071992547409.93', count: 3, elsewhere: 1 },
      { standing: 'failed', count: 1, elsewhere: 0 },
    ],
    registeredAt: '2026-11-21T10:00:00.000Z',
    occurredAt: '2026-11-21T10:01:00.000Z',
  });
});

it('is final when no row is under way or waits for a person, and names no merchant where there are several', () => {
  const { merchant: _, ...several } = batch;
  const result = batchResultOf(several, { ...closure, tally: closure.tally.slice(1) });
  expect(result).toMatchObject({ status: 'closed', final: true });
  expect(result.merchant).toBeUndefined();
});

it.each<[standing: Standing, word: object]>([
  ['held', { status: 'in-doubt', final: false }],
  ['held-unpaid', { status: 'closed', final: false }],
  ['waiting', { status: 'reopened', final: false }],
  ['confirming', { status: 'in-doubt', final: false }],
])('says so where a payout is %s', (standing, word) => {
  const tally: Tally = [{ standing, currency: 'EUR', count: 1, minorUnits: 1042n, elsewhere: 0 }];
  expect(batchResultOf(batch, { ...closure, revision: 7, tally })).toMatchObject({
    resultId: '~batch/2026-11-payroll/7',
    revision: 7,
    ...word,
  });
});
