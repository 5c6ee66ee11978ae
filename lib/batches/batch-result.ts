// The batch result: one message on the results queue when every row of a batch has ended. It counts; what became of each
// order is in the order's own results, which also supersede what is counted here as not final.
import type { Batch, Closure, RowEnd } from './batch.ts';
import { formatMinorUnits } from '../gateway/money.ts';

/** Rows and their money in one currency. */
export interface BatchTotal {
  readonly currency: string;
  readonly count: number;
  readonly amount: string;
}

/** What became of rows, per end and currency; without currency and amount those that move no money. */
export interface BatchOutcome {
  /** As in results; what was cancelled counts as `failed`. */
  readonly status: RowEnd;
  readonly currency?: string;
  readonly amount?: string;
  readonly count: number;
  /** Of these, still asked about at the gateway or waiting for a person. */
  readonly notFinal: number;
  /** Of these, orders of another batch or of none, which count them too. */
  readonly elsewhere: number;
}

/** One message on the results queue about a whole batch. */
export interface BatchResult {
  readonly version: 1;
  /** Tells it from the result of an order, which has no `kind`. */
  readonly kind: 'batch-result';
  /** `~batch/<batch id>/1`; consumers de-duplicate on it. */
  readonly resultId: string;
  readonly batchId: string;
  /** Every row has ended, and the sums are those of the file. */
  readonly status: 'closed';
  /** No row is asked about any more, and none waits for a person. */
  readonly final: boolean;
  /** Of every row, where all are of one merchant. */
  readonly merchant?: string;
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly fileHash: string;
  readonly rows: number;
  /** Control totals of the file. */
  readonly totals: readonly BatchTotal[];
  /** What became of the rows; adds up to the totals. */
  readonly outcomes: readonly BatchOutcome[];
  readonly registeredAt: string;
  readonly occurredAt: string;
}

/** What a closed batch is told as: the same message, however often it is told. */
export function batchResultOf(batch: Batch, { atMs, tally }: Closure): BatchResult {
  const { batchId, merchant, fileHash, rows, totals, createdAtMs } = batch;
  return {
    version: 1,
    kind: 'batch-result',
    // "~" begins no merchant's name, so no order of a merchant called "batch" can have this id.
    resultId: `~batch/${batchId}/1`,
    batchId,
    status: 'closed',
    final: tally.every(({ notFinal }) => notFinal === 0),
    ...(merchant !== undefined && { merchant }),
    fileHash,
    rows,
    totals: Object.entries(totals)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, it]) => ({ currency: code, count: it.count, amount: formatMinorUnits(it.minorUnits, code) })),
    outcomes: tally.map(({ end, currency: code, minorUnits, ...counts }) => ({
      status: end,
      ...(code !== undefined && { currency: code, amount: formatMinorUnits(minorUnits, code) }),
      ...counts,
    })),
    registeredAt: new Date(createdAtMs).toISOString(),
    occurredAt: new Date(atMs).toISOString(),
  };
}
