// The lines of a report, and its sums.
import { describe, expect, it } from 'vitest';
import { reportLine, totalLines } from '../../lib/batches/batch-report.ts';
import type { BatchRow } from '../../lib/batches/batch.ts';
import type { Tally } from '../../lib/batches/tally.ts';
import { aView } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const row: BatchRow = { digest: 'd', orderKey: 'acme-eu/INV-1', money: { currency: 'EUR', minorUnits: 1042n } };
const named = { merchant: 'acme-eu', order_id: 'INV-1', amount: '10.42', currency: 'EUR' };

describe('the line of a payout', () => {
  it('that is paid tells when and under which id', () => {
    const changes = { standing: 'paid', gatewayOrderId: '777', attempts: 2 } as const;
    const entry = aView({ batchId: 'payroll', orderId: 'INV-1', ...changes, updatedAtMs: startMs + 2_000 });
    expect(reportLine({ row, standing: 'paid', elsewhere: false, entry })).toEqual({
      ...named,
      status: 'paid',
      final: true,
      elsewhere: false,
      gateway_order_id: '777',
      attempts: 2,
      created_at: '2026-11-21T10:00:00.000Z',
      updated_at: '2026-11-21T10:00:02.000Z',
    });
  });

  it('whose order id is taken tells why, and nothing of the order that has its id', () => {
    const failure = { code: 'ORDER_ID_REUSED', message: 'used before for other content' };
    expect(reportLine({ row, standing: 'id-taken', elsewhere: false, failure })).toEqual({
      ...named,
      status: 'id-taken',
      final: true,
      elsewhere: false,
      failure_code: 'ORDER_ID_REUSED',
      failure_message: 'used before for other content',
    });
  });
});

it('the lines at the end say what the payouts came to, and then what the file says, by currency', () => {
  const totals = { EUR: { count: 2, minorUnits: 2084n }, JPY: { count: 1, minorUnits: 5n } };
  const tally: Tally = [
    { standing: 'held', currency: 'JPY', count: 1, minorUnits: 5n, elsewhere: 0 },
    { standing: 'paid', currency: 'EUR', count: 2, minorUnits: 2084n, elsewhere: 0 },
    { standing: 'failed', count: 1, minorUnits: 0n, elsewhere: 0 },
  ];
  const control = (status: string) => [
    { record: 'control', status, rows: 2, amount: '20.84', currency: 'EUR' },
    { record: 'control', status, rows: 1, amount: '5', currency: 'JPY' },
    { record: 'control', status, rows: 4 },
  ];
  expect(totalLines({ totals, rows: 4 }, tally)).toStrictEqual([
    { record: 'total', status: 'held', rows: 1, amount: '5', currency: 'JPY' },
    { record: 'total', status: 'paid', rows: 2, amount: '20.84', currency: 'EUR' },
    { record: 'total', status: 'failed', rows: 1 },
    ...control('balanced'),
  ]);
  expect(totalLines({ totals, rows: 4 }, tally.slice(1)).slice(2)).toStrictEqual(control('unbalanced'));
});
