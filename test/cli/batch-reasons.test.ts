// Which rows still come to an end by themselves, and which wait for a person: what ends a watch, and its exit code.
import { expect, it } from 'vitest';
import { type Batch, type BatchRow, newBatch } from '../../lib/batches/batch.ts';
import { type RowRecord, rowStatusOf } from '../../lib/batches/batch-row.ts';
import { createBatchReasons } from '../../lib/cli/batches/batch-reasons.ts';
import type { OrderView } from '../../lib/payout/order/view.ts';
import { aView } from '../support/orders.ts';

const batchId = 'payroll';
const row: BatchRow = { digest: 'd', orderKey: 'acme-eu/A', money: { currency: 'EUR', minorUnits: 1042n } };
const content = { batchId, fileHash: 'ab', contentHash: '12', rows: 1, totals: {}, by: 'ada', nowMs: 0 };
const batch: Batch = { ...newBatch(content), state: 'uploaded' };
const order = (changes: Partial<OrderView>): RowRecord => ({ entry: aView({ batchId, orderId: 'A', ...changes }) });

function verdictOf(record: RowRecord) {
  const reasons = createBatchReasons({ secretPrefix: 'payouts/' });
  reasons.add(row, rowStatusOf(row, batchId, record));
  const { settled, underWay } = reasons.taken(batch, { sums: 'balanced' });
  return { settled, underWay };
}

const refused = { code: 'GATEWAY_REFUSED', message: 'no such account' } as const;
const unsaid = { code: 'NO_ANSWER', message: 'no answer' } as const;

it.each<[what: string, record: RowRecord, settled: boolean, underWay: number]>([
  ['that no worker has begun', {}, false, 1],
  ['that is being sent', order({ state: 'submitting' }), false, 1],
  ['that was not sent and goes on', order({ state: 'retryable' }), false, 1],
  ['that the gateway is asked about', order({ state: 'in-doubt' }), false, 1],
  ['accepted, where the gateway will say more', order({ state: 'accepted', final: false }), false, 1],
  ['accepted, where the contract can tell no more', order({ state: 'accepted', final: true }), true, 0],
  ['accepted for too long', order({ state: 'accepted', final: false, overdue: true }), false, 0],
  ['paid', order({ state: 'approved', final: true }), true, 0],
  ['declined for its own reasons', order({ state: 'declined', final: true, failure: refused }), true, 0],
  ['held, so that a person decides', order({ state: 'held', failure: unsaid }), false, 0],
  ['failed', order({ state: 'failed', final: true, failure: unsaid }), false, 0],
  ['that newer code wrote', { unreadable: true }, false, 0],
])('a row %s', (_, record, settled, underWay) => {
  expect(verdictOf(record)).toEqual({ settled, underWay });
});
