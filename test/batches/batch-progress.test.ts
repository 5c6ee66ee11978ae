// How far a batch has come, counted row by row.
import { describe, expect, it } from 'vitest';
import { type BatchRow, newBatch } from '../../lib/batches/batch.ts';
import { createProgressCounter } from '../../lib/batches/batch-progress.ts';
import { type RowRecord, rowStatusOf } from '../../lib/batches/batch-row.ts';
import type { OrderView } from '../../lib/payout/order/projection.ts';
import { aView } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const batchId = 'payroll';
const nowMs = startMs + 600_000;
const aRow = (orderId: string): BatchRow => ({
  orderKey: `acme-eu/${orderId}`,
  digest: 'd',
  money: { currency: 'EUR', minorUnits: 1042n },
});
const order = (orderId: string, changes: Partial<OrderView>): RowRecord => ({
  entry: aView({ batchId, orderId, ...changes }),
});

describe('the progress of a batch', () => {
  it('counts rows and money by state and currency, in the order in which they are shown', () => {
    const counter = createProgressCounter(nowMs);
    const count = (row: BatchRow, record: RowRecord) => counter.add(row, rowStatusOf(row, batchId, record));
    const yen: BatchRow = { digest: 'd', orderKey: 'acme-eu/J', money: { currency: 'JPY', minorUnits: 5n } };
    const others = order('X', { batchId: 'earlier', state: 'approved', final: false });
    const refused: RowRecord = { note: { kind: 'refused', failure: { code: 'INVALID_MESSAGE', message: '' } } };
    count(aRow('A'), order('A', { state: 'approved', final: true }));
    count({ digest: 'd', orderKey: 'acme-eu/C' }, {});
    count(yen, { ...others, note: { kind: 'elsewhere' } });
    count(aRow('B'), order('B', { state: 'in-doubt' }));
    count(aRow('D'), refused);
    count(aRow('E'), order('E', { state: 'approved', final: true }));
    count(aRow('F'), order('F', { state: 'held' }));
    count(aRow('G'), {});
    const content = { batchId, fileHash: 'ab', contentHash: '12', rows: 8, totals: {}, by: 'ada', nowMs: startMs };
    const progress = counter.taken(newBatch(content));
    expect(progress.lines).toStrictEqual([
      { state: 'waiting', count: 1, minorUnits: 0n, notFinal: 0, elsewhere: 0, inDoubt: 0 },
      { state: 'waiting', currency: 'EUR', count: 1, minorUnits: 1042n, notFinal: 0, elsewhere: 0, inDoubt: 0 },
      { state: 'in-doubt', currency: 'EUR', count: 1, minorUnits: 1042n, notFinal: 0, elsewhere: 0, inDoubt: 1 },
      { state: 'approved', currency: 'EUR', count: 2, minorUnits: 2084n, notFinal: 0, elsewhere: 0, inDoubt: 0 },
      { state: 'approved', currency: 'JPY', count: 1, minorUnits: 5n, notFinal: 1, elsewhere: 1, inDoubt: 0 },
      { state: 'failed', currency: 'EUR', count: 1, minorUnits: 1042n, notFinal: 0, elsewhere: 0, inDoubt: 0 },
      { state: 'held', currency: 'EUR', count: 1, minorUnits: 1042n, notFinal: 1, elsewhere: 0, inDoubt: 1 },
    ]);
    expect(progress).toMatchObject({ rows: 8, ended: 5 });
  });
});
