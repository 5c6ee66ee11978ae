// Every row of a batch and how it stands, in the order of the file, rebuilt from the ledger at any time. It costs reads:
// an order and perhaps a note for each row.
import type { Batch, BatchRow } from './batch.ts';
import { type RowStanding, standingOf } from './batch-row.ts';
import type { BatchParts, BatchRows } from './batch-ports.ts';
import { inOrder } from '../payout/in-order.ts';

/** A row and how it stands. */
export interface StandingRow {
  /** From 0. */
  readonly index: number;
  readonly row: BatchRow;
  readonly standing: RowStanding;
}

/** What reading needs. */
export interface ReadBatchPorts {
  readonly batches: Pick<BatchParts, 'parts'>;
  readonly batchRows: Pick<BatchRows, 'read'>;
}

const rowsPerRead = 50;
const readsAtOnce = 16;

/** The rows that are uploaded, some at a time. */
export function readBatch(batch: Batch, { batches, batchRows }: ReadBatchPorts): AsyncGenerator<StandingRow[]> {
  const { batchId } = batch;
  return inOrder(slicesOf(batches.parts(batch)), readsAtOnce, async ({ from, rows }) => {
    const records = await batchRows.read(batchId, rows);
    return rows.map((row, place) => ({
      index: from + place,
      row,
      standing: standingOf(row, batchId, records.get(row.orderKey) ?? {}),
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
