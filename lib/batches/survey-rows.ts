// What a file comes to: its totals, and a digest of all its messages.
import { createHash } from 'node:crypto';
import type { OperationName } from '../gateway/operations.ts';
import type { Job } from '../payout/message/job.ts';
import { rowsPerPart } from './batch.ts';
import type { BadRow, CheckedRow, GoodRow } from '../files/check-rows.ts';
import { addTo, type CurrencyTotal, type Totals } from './tally.ts';

/** The totals of a file. */
export interface Survey {
  /** Rows that are jobs. */
  readonly rows: number;
  readonly rejected: number;
  /** The file could not be read to its end. */
  readonly cutOff: boolean;
  readonly subtotals: readonly Subtotal[];
  readonly totals: Totals;
  /** Digest of the messages themselves: the same bytes read by another command line are other jobs. */
  readonly contentHash: string;
  /** The batch that the rows name themselves. */
  readonly batchId?: string;
}

/** Reads all rows to their end. The callbacks set the pace: their promises are awaited. */
export async function surveyRows(
  checked: AsyncIterable<readonly CheckedRow[]>,
  onRejected: (row: BadRow) => Promise<void> | void,
  onGood?: (row: GoodRow) => Promise<void> | undefined,
): Promise<Survey> {
  const subtotals = createSubtotals();
  const partDigests: string[] = [];
  let part = runningDigest();
  let [rows, rejected] = [0, 0];
  let cutOff = false;
  let batchId: string | undefined;
  for await (const some of checked) {
    for (const row of some) {
      if (row.kind === 'rejected') {
        if (row.cutOff) cutOff = true;
        else rejected += 1;
        await onRejected(row);
        continue;
      }
      const noting = onGood?.(row);
      if (noting) await noting;
      rows += 1;
      batchId ??= row.batchId;
      subtotals.add(row.job);
      part.add(`${row.text}\n`);
      if (rows % rowsPerPart !== 0) continue;
      partDigests.push(part.hex());
      part = runningDigest();
    }
  }
  if (rows % rowsPerPart !== 0) partDigests.push(part.hex());
  const all = subtotals.all();
  const whole = runningDigest();
  for (const digest of partDigests) whole.add(digest);
  return {
    rows,
    rejected,
    cutOff,
    subtotals: all,
    totals: totalsOfSubtotals(all),
    contentHash: whole.hex(),
    batchId,
  };
}

function totalsOfSubtotals(subtotals: readonly Subtotal[]): Totals {
  const totals: Record<string, CurrencyTotal> = {};
  for (const { currency, count, minorUnits } of subtotals)
    if (currency !== undefined) addTo(totals, { currency, count, minorUnits });
  return totals;
}

// The totals of a file, added up exactly: for the person who is asked whether to send it, and for the batch's controls.

/** Rows of one merchant, operation and currency. */
interface Subtotal {
  readonly merchant: string;
  readonly operation: OperationName;
  /** Absent for checks, which move no money. */
  readonly currency?: string;
  readonly count: number;
  readonly minorUnits: bigint;
}

/** Sums, one for each merchant, operation and currency. */
interface Subtotals {
  add(job: Job): void;
  /** The sums by merchant, operation and currency, in the order of their names. */
  all(): Subtotal[];
}

/** Empty sums. */
function createSubtotals(): Subtotals {
  const sums = new Map<string, { first: Job; count: number; minorUnits: bigint }>();
  return {
    add(job) {
      const name = `${job.merchant} ${job.operation} ${job.money?.currency ?? ''}`;
      const sum = sums.get(name) ?? { first: job, count: 0, minorUnits: 0n };
      sum.count += 1;
      sum.minorUnits += job.money?.minorUnits ?? 0n;
      sums.set(name, sum);
    },
    all: () =>
      [...sums]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { first, count, minorUnits }]) => ({
          merchant: first.merchant,
          operation: first.operation,
          currency: first.money?.currency,
          count,
          minorUnits,
        })),
  };
}

/** SHA-256 of many texts in UTF-8, for the tool's own checks of files. */
function runningDigest() {
  const running = createHash('sha256');
  // Many rows a call: for a million rows the calls would cost more than the digest.
  let waiting = '';
  return {
    add(text: string): void {
      waiting += text;
      if (waiting.length < 16_384) return;
      running.update(waiting);
      waiting = '';
    },
    hex: () => running.update(waiting).digest('hex'),
  };
}
