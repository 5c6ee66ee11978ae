// The lines of a report of a batch, and its sums.
import { amountFields } from '../gateway/money.ts';
import { payeeNameIn } from '../payout/message/job.ts';
import { namesOfKey } from '../payout/order/order.ts';
import { standings } from '../payout/order/standing.ts';
import type { OrderView } from '../payout/order/projection.ts';
import type { Payout } from './batch-payouts.ts';
import type { Batch } from './batch.ts';
import { balances, type Tally } from './tally.ts';

// One row of a report: what became of a row of the file, in named columns, and the totals at its end.

/** The columns of a report, in their order, each with its meaning. The table of infra/docs/bulk-files.md is made from this. */
export const reportColumns = {
  row: 'of the file, as a spreadsheet counts (its header is row 1) and as the lists of faults and warnings do; only with `--file`',
  order_id: 'of the order',
  payee_name: 'who is paid, as the file had it',
  status: 'what became of it; with `--file` also `rejected` (never sent, by the reason beside it)',
  final: 'nothing follows by itself, and no person is needed',
  amount: 'of the row',
  currency: 'ISO 4217',
  failure_code: 'why it did not go through, as in results',
  failure_message: 'the same in words',
  gateway_order_id: "the gateway's id of the order",
  gateway_amount: 'what the gateway reports, if it is not the amount of the row',
  reversal:
    'a later transaction that undid the payment: its type, its status, and the sum undone if the gateway names it',
  note: 'who decided by hand, and why',
  merchant: 'of the order',
  elsewhere: 'the order belongs to another batch, or to none, which counts it too',
  attempts: 'POSTs made for the order',
  gateway_code: "the gateway's own code",
  http_status: "of the gateway's answer",
  created_at: 'when the order was claimed first',
  updated_at: 'when it came to this status',
  late: 'the payout has changed since the first batch result; a later revision of that result counts it anew',
} as const;

/** A name of a column. */
export type ReportColumn = keyof typeof reportColumns;

/** A line of a report; empty columns are left out. */
export type ReportLine = Readonly<Partial<Record<ReportColumn, string | number | boolean>>>;

const time = (atMs: number) => new Date(atMs).toISOString();

/** The line of a payout. `publishedAtMs`: when its batch was first published, if it was. */
export function reportLine(
  { row, standing, elsewhere, failure, entry }: Omit<Payout, 'index'>,
  publishedAtMs?: number,
): ReportLine {
  const payee = payeeNameIn(entry?.context);
  return {
    ...namesOf(row.orderKey),
    payee_name: payee,
    status: standing,
    final: standings[standing].isFinal,
    elsewhere,
    ...(row.money && amountFields(row.money)),
    ...(entry && orderCells(entry)),
    failure_code: failure?.code,
    failure_message: failure?.message,
    gateway_code: failure?.gatewayCode,
    http_status: failure?.httpStatus,
    ...(entry && publishedAtMs !== undefined && entry.updatedAtMs > publishedAtMs && { late: true }),
  };
}

function orderCells(order: OrderView): ReportLine {
  const { gatewayOrderId, gatewayAmount, reversal, attempts, note, createdAtMs, updatedAtMs } = order;
  return {
    gateway_amount: gatewayAmount,
    reversal: reversal && [reversal.type, reversal.status, reversal.amount].filter(Boolean).join(' '),
    gateway_order_id: gatewayOrderId,
    attempts,
    note,
    created_at: time(createdAtMs),
    updated_at: time(updatedAtMs),
  };
}

/** An order's key names its merchant and its id. */
function namesOf(orderKey: string): ReportLine {
  const { merchant, orderId } = namesOfKey(orderKey);
  return { merchant, order_id: orderId };
}

/** A sum of rows, beside a report and never among its rows: a reader who adds up the column of amounts must get their sum. */
export interface TotalLine {
  /** `control`: the totals of the file at its registration; its status says whether the rows add up to them. */
  readonly record: 'total' | 'control';
  readonly status: string;
  readonly rows: number;
  readonly amount?: string;
  readonly currency?: string;
}

/** The sums of the rows, and the totals of the file. */
export function totalLines(batch: Pick<Batch, 'totals' | 'rows'>, tally: Tally): TotalLine[] {
  const status = balances(tally, batch) ? 'balanced' : 'unbalanced';
  const its = tally.map(({ standing, currency, count, minorUnits }): TotalLine => {
    const money = currency === undefined ? {} : amountFields({ currency, minorUnits });
    return { record: 'total', status: standing, rows: count, ...money };
  });
  const control = Object.entries(batch.totals).map(([currency, { count, minorUnits }]): TotalLine => {
    return { record: 'control', status, rows: count, ...amountFields({ currency, minorUnits }) };
  });
  return [...its, ...control, { record: 'control', status, rows: batch.rows }];
}
