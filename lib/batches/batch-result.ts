// The batch result: a message on the results queue when every row of a batch has ended, and another of the next revision
// whenever a row has changed after that. It counts; the outcome of each order is in the order's own results.
import type { Batch, Closure } from './batch.ts';
import { type ClosureStatus, statusOfTally, type Tally, totalsAsLists } from './tally.ts';
import { amountFields } from '../gateway/money.ts';
import { type Standing, standings } from '../payout/order/standing.ts';

/** Rows and their money in one currency. */
export interface BatchTotal {
  readonly currency: string;
  readonly count: number;
  readonly amount: string;
}

/** The payouts of one standing and one currency; those that move no money have neither currency nor amount. */
export interface BatchOutcome {
  readonly standing: Standing;
  readonly currency?: string;
  readonly amount?: string;
  readonly count: number;
  /** The payouts among them whose order belongs to another batch or to none, which counts them too. */
  readonly elsewhere: number;
}

/** One message on the results queue about a whole batch. */
export interface BatchResult {
  readonly version: 1;
  /** The mark of a batch result; the result of an order has no `kind`. */
  readonly kind: 'batch-result';
  /** `~batch/<batch id>/<revision>`; consumers de-duplicate on it. */
  readonly resultId: string;
  readonly batchId: string;
  /** A higher revision of the same batch supersedes a lower one. */
  readonly revision: number;
  /**
   * `closed`: every row has ended, or waits for a person and is not paid. `in-doubt`: the money of some rows may have moved. `reopened`:
   * rows are under way again. The sums are always those of the file.
   */
  readonly status: ClosureStatus;
  /** No row is asked about any more, and none waits for a person. */
  readonly final: boolean;
  /** The merchant of every row, if all are of one. */
  readonly merchant?: string;
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly fileHash: string;
  readonly rows: number;
  /** Control totals of the file. */
  readonly totals: readonly BatchTotal[];
  /** The outcomes of the rows; they add up to the totals. */
  readonly outcomes: readonly BatchOutcome[];
  readonly registeredAt: string;
  readonly occurredAt: string;
}

/** The result of a batch in one revision: the same message, however often it is published. */
export function batchResultOf(batch: Batch, { revision, atMs, tally }: Closure): BatchResult {
  const { batchId, merchant, fileHash, rows, totals, createdAtMs } = batch;
  return {
    version: 1,
    kind: 'batch-result',
    // "~" begins no merchant's name, so no order of a merchant called "batch" can have this id.
    resultId: `~batch/${batchId}/${revision}`,
    batchId,
    revision,
    status: statusOfTally(tally),
    final: tally.every(({ standing }) => standings[standing].isFinal),
    merchant,
    fileHash,
    rows,
    totals: totalsAsLists(totals).toSorted((a, b) => (a.currency < b.currency ? -1 : 1)),
    outcomes: tally.map(({ standing, currency, minorUnits, count, elsewhere }) => ({
      standing,
      ...(currency !== undefined && amountFields({ currency, minorUnits })),
      count,
      elsewhere,
    })),
    registeredAt: new Date(createdAtMs).toISOString(),
    occurredAt: new Date(atMs).toISOString(),
  };
}

/** The state of a batch, for people: until it is closed its own, then that of its payouts as published, or as counted now. */
export const batchStatus = ({ state, closure }: Pick<Batch, 'state' | 'closure'>, now?: Tally): string =>
  state === 'closed' ? statusOfTally(now ?? closure?.tally ?? []) : state;
