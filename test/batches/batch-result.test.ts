// The batch result is a contract: its shape, to the last field.
import { expect, it } from 'vitest';
import { type Batch, newBatch } from '../../lib/batches/batch.ts';
import { batchResultOf } from '../../lib/batches/batch-result.ts';
import type { Tally, TallyEnd } from '../../lib/batches/tally.ts';
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
    {
      end: 'accepted',
      currency: 'EUR',
      count: 3,
      minorUnits: 9_007_199_254_740_993n,
      notFinal: 2,
      elsewhere: 1,
      inDoubt: 0,
    },
    { end: 'failed', count: 1, minorUnits: 0n, notFinal: 0, elsewhere: 0, inDoubt: 0 },
    { end: 'held', currency: 'JPY', count: 1, minorUnits: 500n, notFinal: 1, elsewhere: 0, inDoubt: 1 },
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
      {
        status: 'accepted',
        currency: 'EUR',
        amount: '90071992547409.93',
        count: 3,
        notFinal: 2,
        elsewhere: 1,
        inDoubt: 0,
      },
      { status: 'failed', count: 1, notFinal: 0, elsewhere: 0, inDoubt: 0 },
      { status: 'held', currency: 'JPY', amount: '500', count: 1, notFinal: 1, elsewhere: 0, inDoubt: 1 },
    ],
    registeredAt: '2026-11-21T10:00:00.000Z',
    occurredAt: '2026-11-21T10:01:00.000Z',
  });
});

it('is final when no row is under way or waits for a person, and names no merchant where there are several', () => {
  const { merchant: _, ...several } = batch;
  const result = batchResultOf(several, { ...closure, tally: closure.tally.slice(1, 2) });
  expect(result).toMatchObject({ status: 'closed', final: true });
  expect(result).not.toHaveProperty('merchant');
});

it.each<[what: string, tally: Tally, word: object]>([
  ['a row of which nobody knows', [line('held', { inDoubt: 1, notFinal: 1 })], { status: 'in-doubt', final: false }],
  ['a row that is sent again', [line('open', { notFinal: 1 })], { status: 'reopened', final: false }],
  ['a row in doubt again', [line('in-doubt', { inDoubt: 1, notFinal: 1 })], { status: 'in-doubt', final: false }],
])('is never called closed with %s', (_, tally, word) => {
  expect(batchResultOf(batch, { ...closure, revision: 7, tally })).toMatchObject({
    resultId: '~batch/2026-11-payroll/7',
    revision: 7,
    ...word,
  });
});

function line(end: TallyEnd, changes: Partial<Tally[number]> = {}): Tally[number] {
  return { end, currency: 'EUR', count: 1, minorUnits: 1042n, notFinal: 0, elsewhere: 0, inDoubt: 0, ...changes };
}
