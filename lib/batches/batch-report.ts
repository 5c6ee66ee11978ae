// The report of a batch: every row and its state, rebuilt from the ledger at any time, and the lines of a report.
import { amountFields } from '../gateway/money.ts';
import { payeeNameIn } from '../payout/message/job.ts';
import { namesOfKey } from '../payout/order/order.ts';
import type { OrderView } from '../payout/order/projection.ts';
import type { BatchParts } from './batch-ports.ts';
import type { BatchProgress } from './batch-progress.ts';
import { type BatchRows, type RowStatus, rowStatusOf } from './batch-row.ts';
import type { Batch, BatchRow } from './batch.ts';

// Every row of a batch and its state, in the order of the file, rebuilt from the ledger at any time. The reads cost
// an order and perhaps a note for each row.

/** A row and its state. */
export interface RowWithStatus {
  /** The number of the row, from 0. */
  readonly index: number;
  readonly row: BatchRow;
  readonly status: RowStatus;
}

/** The ports of reading. */
export interface ReadBatchPorts {
  readonly batches: Pick<BatchParts, 'parts'>;
  readonly batchRows: Pick<BatchRows, 'read'>;
}

const rowsPerRead = 50;
const readsAtOnce = 16;

/** The rows that are uploaded, some at a time. */
export function readBatch(batch: Batch, { batches, batchRows }: ReadBatchPorts): AsyncGenerator<RowWithStatus[]> {
  const { batchId } = batch;
  return inOrder(slicesOf(batches.parts(batch)), readsAtOnce, async ({ from, rows }) => {
    const records = await batchRows.read(batchId, rows);
    return rows.map((row, place) => ({
      index: from + place,
      row,
      status: rowStatusOf(row, batchId, records.get(row.orderKey) ?? {}),
    }));
  });
}

interface Slice {
  readonly from: number;
  readonly rows: readonly BatchRow[];
}

async function* slicesOf(parts: ReturnType<BatchParts['parts']>): AsyncGenerator<Slice> {
  let from = 0;
  for await (const { rows } of parts) {
    for (let at = 0; at < rows.length; at += rowsPerRead)
      yield { from: from + at, rows: rows.slice(at, at + rowsPerRead) };
    from += rows.length;
  }
}

// One row of a report: what became of a row of the file, in named columns, and the totals at its end.

/** The columns of a report, in their order, each with its meaning. The table of infra/docs/bulk-files.md is made from this. */
export const reportColumns = {
  row: 'of the file, as a spreadsheet counts (its header is row 1) and as the lists of faults and warnings do; with `--file` alone',
  order_id: 'of the order',
  payee_name: 'who is paid, as the file had it',
  status:
    'the state of the order: as in results (`paid` for `approved`, but in JSON), or `waiting`, `submitting`, `retryable`; with `--file` also `rejected` (never sent, by the reason beside it) and `not-uploaded` (its turn has not come)',
  final: 'the status will not change unless somebody acts, and nobody has to',
  amount: 'of the row',
  currency: 'ISO 4217',
  failure_code: 'why it did not go through, as in results',
  failure_message: 'the same in words',
  gateway_order_id: "the gateway's id of the order",
  gateway_amount: 'what the gateway says where it is not the amount of the row',
  reversal:
    'a later transaction that undid the payment: its type, its status, and the sum undone where the gateway names it',
  note: 'who decided by hand, and why',
  merchant: 'of the order',
  elsewhere: 'the order is one of another batch, or of none, which counts it too',
  attempts: 'POSTs made for the order',
  gateway_code: "the gateway's own code",
  http_status: "of the gateway's answer",
  created_at: 'when the order was claimed first',
  updated_at: 'when it came to stand like this',
  late: 'it has moved since the first batch result; a later revision of that result counts it anew',
} as const;

/** A name of a column. */
export type ReportColumn = keyof typeof reportColumns;

/** A line of a report; empty columns are left out. */
export type ReportLine = Readonly<Partial<Record<ReportColumn, string | number | boolean>>>;

const time = (atMs: number) => new Date(atMs).toISOString();

/** The line of a row. `toldAtMs`: when its batch was first published, if it was. */
export function reportLine(row: BatchRow, status: RowStatus, publishedAtMs?: number): ReportLine {
  const { entry } = status;
  const isEnded = status.kind === 'ended';
  const payee = payeeNameIn(entry?.context);
  // A row with a failure of its own is not described by its order.
  const own = isEnded && status.failure ? undefined : entry;
  const failure = (isEnded && status.failure) || entry?.failure;
  return {
    ...namesOf(row.orderKey),
    ...(payee !== undefined && { payee_name: payee }),
    status: isEnded ? (own?.state ?? status.end) : status.state,
    final: isEnded && status.final,
    elsewhere: isEnded && status.elsewhere,
    ...(row.money && amountFields(row.money)),
    ...(own && orderCells(own)),
    ...(failure && {
      failure_code: failure.code,
      failure_message: failure.message,
      ...(failure.gatewayCode !== undefined && { gateway_code: failure.gatewayCode }),
      ...(failure.httpStatus !== undefined && { http_status: failure.httpStatus }),
    }),
    ...(own && publishedAtMs !== undefined && own.updatedAtMs > publishedAtMs && { late: true }),
  };
}

function orderCells(order: OrderView): ReportLine {
  const { gatewayOrderId, gatewayAmount, reversal, attempts, note, createdAtMs, updatedAtMs } = order;
  return {
    ...(gatewayAmount !== undefined && { gateway_amount: gatewayAmount }),
    ...(reversal && { reversal: [reversal.type, reversal.status, reversal.amount].filter(Boolean).join(' ') }),
    ...(gatewayOrderId !== undefined && { gateway_order_id: gatewayOrderId }),
    attempts,
    ...(note !== undefined && { note }),
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
  /** `control`: the totals of the file at its registration; its status is the verdict. */
  readonly record: 'total' | 'control';
  readonly status: string;
  readonly rows: number;
  readonly amount?: string;
  readonly currency?: string;
}

/** The sums of the rows, and the totals of the file. */
export function totalLines({ totals, rows }: Batch, { lines, sums }: BatchProgress): TotalLine[] {
  const states = lines.map(({ state, currency, count, minorUnits }): TotalLine => {
    const money = currency === undefined ? {} : amountFields({ currency, minorUnits });
    return { record: 'total', status: state, rows: count, ...money };
  });
  const control = Object.entries(totals).map(([currency, { count, minorUnits }]): TotalLine => {
    return { record: 'control', status: sums, rows: count, ...amountFields({ currency, minorUnits }) };
  });
  return [...states, ...control, { record: 'control', status: sums, rows }];
}

// Work on items one after the other, several at once, with the results in the order of the items.

/** Results of `work` in the order of the items; at most `atOnce` are under way or waiting to be taken. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  for await (const item of items) {
    const result = work(item);
    // Awaited when its turn comes; until then it must not count as unhandled.
    result.catch(() => {});
    underWay.push(result);
    const [first] = underWay;
    if (underWay.length < atOnce || !first) continue;
    underWay.shift();
    yield await first;
  }
  for (const result of underWay) yield await result;
}
