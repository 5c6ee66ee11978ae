// Every row of a batch and how it stands: in the order of the file, though many reads are under way at once.
import { describe, expect, it } from 'vitest';
import type { BatchProgress } from '../../lib/batches/batch-progress.ts';
import { readBatch, type ReadBatchPorts, reportLine, totalLines } from '../../lib/batches/batch-report.ts';
import { type RowRecord, rowStatusOf } from '../../lib/batches/batch-row.ts';
import { type BatchRow, newBatch } from '../../lib/batches/batch.ts';
import type { Failure } from '../../lib/payout/message/failures.ts';
import type { OrderView } from '../../lib/payout/order/projection.ts';
import { all } from '../support/bulk-rows.ts';
import { aView } from '../support/orders.ts';
import { aRecord } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aJobOf, batchId, upload } from '../support/uploaded-batch.ts';
import { aWorld } from '../support/world.ts';

const rowsNamed = (from: number, count: number): BatchRow[] =>
  Array.from({ length: count }, (_, n) => ({
    orderKey: `acme-eu/R-${from + n}`,
    digest: 'd',
    money: { currency: 'EUR', minorUnits: 1042n },
  }));

/** A batch of parts of these sizes, whose reads are written down and of which the ledger holds these records. */
function aBatchOf(sizes: readonly number[], records: Readonly<Record<string, RowRecord>> = {}) {
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  const content = { batchId, fileHash: 'ab', contentHash: '12', rows, totals: {}, by: 'ada', nowMs: 0 };
  const batch = { ...newBatch(content), parts: sizes.length };
  const reads: (readonly [of: string, rows: number])[] = [];
  const ports: ReadBatchPorts = {
    batches: {
      async *parts() {
        let from = 0;
        for (const [n, size] of sizes.entries()) {
          yield { n, rows: rowsNamed(from, size) };
          from += size;
        }
      },
    },
    batchRows: {
      async read(of, some) {
        reads.push([of, some.length]);
        return new Map(some.flatMap(({ orderKey }) => (records[orderKey] ? [[orderKey, records[orderKey]]] : [])));
      },
    },
  };
  return { batch, ports, reads };
}

describe('the rows of a batch', () => {
  it('come in the order of the file, each with its own place, whatever the size of its part', async () => {
    const { batch, ports } = aBatchOf([120, 3, 0, 51]);
    const rows = await all(readBatch(batch, ports));
    expect(rows.map(({ index, row }) => `${index} ${row.orderKey}`)).toEqual(
      Array.from({ length: 174 }, (_, n) => `${n} acme-eu/R-${n}`),
    );
  });

  it('stand as the ledger has them, each by its own record', async () => {
    const paid = aView({ batchId, orderId: 'R-1', state: 'approved', final: true });
    const others = aView({ batchId: 'earlier', orderId: 'R-60', state: 'approved', final: true });
    const { batch, ports } = aBatchOf([61], {
      'acme-eu/R-1': { entry: paid },
      'acme-eu/R-60': { entry: others },
    });
    const rows = await all(readBatch(batch, ports));
    expect(rows[1]?.status).toMatchObject({ kind: 'ended', end: 'approved', elsewhere: false });
    // Nobody has said yet that the order of the other batch is this row's too.
    expect(rows.filter(({ status }) => status.kind === 'open')).toHaveLength(60);
    expect(rows[60]?.status).toMatchObject({ kind: 'open', state: 'waiting' });
  });
});

it('what a worker has done to an uploaded file is found again', async () => {
  const world = aWorld();
  const bodies = [aJobOf('A'), aJobOf('B'), aJobOf('C')];
  const batch = await upload(world, bodies);
  world.gateway.moods('accepts', 'refuses the order');
  for (const body of bodies.slice(0, 2)) await world.deliver(aRecord(body));
  const rows = await all(readBatch(batch, world.ports));
  expect(rows.map(({ row, status }) => [row.orderKey, 'end' in status ? status.end : status.state])).toEqual([
    ['acme-eu/A', 'accepted'],
    ['acme-eu/B', 'declined'],
    ['acme-eu/C', 'waiting'],
  ]);
});

// A row of a report says of each row of the file where it stands and why; the lines at its end, what all of them came to.

const payroll = 'payroll';
const row: BatchRow = { digest: 'd', orderKey: 'acme-eu/INV-1', money: { currency: 'EUR', minorUnits: 1042n } };
const line = (record: RowRecord, of = row) => reportLine(of, rowStatusOf(of, payroll, record));
const order = (changes: Partial<OrderView>) => aView({ batchId: payroll, orderId: 'INV-1', ...changes });

/** What every line of this row says. */
const named = {
  merchant: 'acme-eu',
  order_id: 'INV-1',
  amount: '10.42',
  currency: 'EUR',
};
const times = { created_at: '2026-11-21T10:00:00.000Z', updated_at: '2026-11-21T10:00:02.000Z' };
const updatedAtMs = startMs + 2_000;

describe('the line of a row', () => {
  it('whose order is paid tells when and under which id', () => {
    const entry = order({ state: 'approved', final: true, gatewayOrderId: '777', attempts: 2, updatedAtMs });
    expect(line({ entry })).toStrictEqual({
      ...named,
      status: 'approved',
      final: true,
      elsewhere: false,
      gateway_order_id: '777',
      attempts: 2,
      ...times,
    });
  });
});

describe('the line of a row that was refused', () => {
  const failure: Failure = { code: 'ORDER_ID_REUSED', message: 'used before for other content' };
  const refused = { failure_code: 'ORDER_ID_REUSED', failure_message: 'used before for other content' };

  it('tells why, and nothing of the order that has its id', () => {
    const entry = order({ batchId: 'earlier', state: 'approved', gatewayOrderId: '777', note: 'paid by hand' });
    expect(line({ entry, note: { kind: 'refused', failure } })).toStrictEqual({
      ...named,
      status: 'failed',
      final: true,
      elsewhere: false,
      ...refused,
    });
  });

  it('is held where the batch itself sent two contents: neither payment is told as the row’s', () => {
    const own: Failure = { code: 'GATEWAY_DECLINED', message: 'no funds', gatewayCode: '51', httpStatus: 402 };
    const entry = order({ state: 'declined', gatewayOrderId: '777', failure: own });
    expect(line({ entry, note: { kind: 'refused', failure } })).toStrictEqual({
      ...named,
      status: 'held',
      final: false,
      elsewhere: false,
      ...refused,
    });
  });
});

it('the lines at the end say what the rows came to, by state, and then what the file says, by currency', () => {
  const totals = { EUR: { count: 2, minorUnits: 2084n }, JPY: { count: 1, minorUnits: 5n } };
  const content = { batchId: payroll, fileHash: 'ab', contentHash: '12', rows: 4, totals, by: 'ada', nowMs: startMs };
  const counts = { notFinal: 0, elsewhere: 0, inDoubt: 0 };
  const progress: BatchProgress = {
    rows: 4,
    ended: 4,
    endedLastMinute: 0,
    sums: 'balanced',
    lines: [
      { state: 'approved', currency: 'EUR', count: 2, minorUnits: 2084n, ...counts },
      { state: 'failed', count: 1, minorUnits: 0n, ...counts },
      { state: 'held', currency: 'JPY', count: 1, minorUnits: 5n, ...counts },
    ],
  };
  const lines = totalLines(newBatch(content), progress);
  expect(lines).toStrictEqual([
    { record: 'total', status: 'approved', rows: 2, amount: '20.84', currency: 'EUR' },
    { record: 'total', status: 'failed', rows: 1 },
    { record: 'total', status: 'held', rows: 1, amount: '5', currency: 'JPY' },
    { record: 'control', status: 'balanced', rows: 2, amount: '20.84', currency: 'EUR' },
    { record: 'control', status: 'balanced', rows: 1, amount: '5', currency: 'JPY' },
    { record: 'control', status: 'balanced', rows: 4 },
  ]);
});
