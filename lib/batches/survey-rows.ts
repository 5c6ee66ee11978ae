// The first reading of a file: what it asks for in all, and a digest of every part, so that a second reading can tell
// before it sends a part that these are the rows that were looked at.
import { rowsPerPart } from './batch.ts';
import { type Totals } from './tally.ts';
import { createSubtotals, type Subtotal } from './bulk-totals.ts';
import type { Hashing } from './bulk-ports.ts';
import type { BadRow, CheckedRow } from './check-rows.ts';

/** What a file asks for. */
export interface Survey {
  /** Rows that are jobs. */
  readonly rows: number;
  readonly rejected: number;
  /** The file could not be read to its end. */
  readonly cutOff: boolean;
  readonly subtotals: readonly Subtotal[];
  readonly totals: Totals;
  /** One for each part of the good rows, in the file's order. */
  readonly partDigests: readonly string[];
  /** Digest of the messages themselves: the same bytes read by another command line are other jobs. */
  readonly contentHash: string;
  /** The batch that the rows name themselves. */
  readonly batchId?: string;
}

/** Reads all rows to their end. `onRejected` is awaited: whoever writes them down sets the pace. */
export async function surveyRows(
  checked: AsyncIterable<readonly CheckedRow[]>,
  onRejected: (row: BadRow) => Promise<void> | void,
  hashing: Hashing,
): Promise<Survey> {
  const subtotals = createSubtotals();
  const partDigests: string[] = [];
  let part = hashing.start();
  let [rows, rejected] = [0, 0];
  let cutOff = false;
  let batchId: string | undefined;
  for await (const some of checked) {
    for (const row of some) {
      if (row.kind === 'rejected') {
        rejected += 1;
        cutOff ||= row.cutOff ?? false;
        await onRejected(row);
        continue;
      }
      rows += 1;
      batchId ??= row.batchId;
      subtotals.add(row.job);
      part.add(`${row.text}\n`);
      if (rows % rowsPerPart !== 0) continue;
      partDigests.push(part.hex());
      part = hashing.start();
    }
  }
  if (rows % rowsPerPart !== 0) partDigests.push(part.hex());
  const all = subtotals.all();
  const whole = hashing.start();
  for (const digest of partDigests) whole.add(digest);
  return {
    rows,
    rejected,
    cutOff,
    subtotals: all,
    totals: totalsOfSubtotals(all),
    partDigests,
    contentHash: whole.hex(),
    ...(batchId !== undefined && { batchId }),
  };
}

function totalsOfSubtotals(subtotals: readonly Subtotal[]): Totals {
  const totals: Record<string, { count: number; minorUnits: bigint }> = {};
  for (const { currency, count, minorUnits } of subtotals) {
    if (currency === undefined) continue;
    const sum = (totals[currency] ??= { count: 0, minorUnits: 0n });
    sum.count += count;
    sum.minorUnits += minorUnits;
  }
  return totals;
}
