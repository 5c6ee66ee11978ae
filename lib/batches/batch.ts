// A batch: the rows of one file, their control totals, and how far they have come. Decided here, only written by the
// adapters; the orders themselves stay the ledger's, a batch only counts them.
//
//   awaiting-approval ──▶ approved ──▶ uploading ──▶ uploaded ──▶ closed
//   (two-person release)               (begins here without it)
import type { Money } from '../gateway/money.ts';

/** Where a batch stands; each state leads to the next alone. */
export const batchStates = ['awaiting-approval', 'approved', 'uploading', 'uploaded', 'closed'] as const;

/** One of {@link batchStates}. */
export type BatchState = (typeof batchStates)[number];

/** How many rows, and their money in whole minor units. */
export interface CurrencyTotal {
  readonly count: number;
  readonly minorUnits: bigint;
}

/** Control totals by ISO 4217 currency; rows without money (eligibility checks) are in none. */
export type Totals = Readonly<Record<string, CurrencyTotal>>;

/** One row of the file: the order that it asks for, by its key in the ledger (`orderKey`), and its money. */
export interface BatchRow {
  readonly orderKey: string;
  /** Absent for an eligibility check. */
  readonly money?: Money;
}

/** Rows per part; the last part holds the rest. A part at its largest is a third of what a DynamoDB item may be. */
export const rowsPerPart = 500;

/** How many parts so many rows make. */
export const partsFor = (rows: number): number => Math.ceil(rows / rowsPerPart);

/** How many rows part `n` of so many holds. */
export function rowsOfPart(n: number, rows: number): number {
  return Math.max(0, Math.min(rowsPerPart, rows - n * rowsPerPart));
}

/** A second person's word that the batch may be sent; bound by its write to the file's hash, rows and totals. */
export interface Approval {
  readonly by: string;
  readonly reason?: string;
  readonly atMs: number;
  /** From this moment on, an upload that has not begun may not begin any more. */
  readonly expiresAtMs: number;
}

/** What a batch is, whoever asks: an approval is of exactly this. */
export interface BatchContent {
  readonly batchId: string;
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly fileHash: string;
  /** Digest of the jobs that it was read as: the same bytes under another command line are other jobs. */
  readonly contentHash: string;
  readonly rows: number;
  readonly totals: Totals;
}

/** The header of a batch. Times are epoch milliseconds. */
export interface Batch extends BatchContent {
  /** The merchant of every row, where all are of one. */
  readonly merchant?: string;
  readonly parts: number;
  readonly state: BatchState;
  /** Who registered it: nobody approves a batch of their own. */
  readonly by: string;
  readonly createdAtMs: number;
  /** Where it needs a second person: until when it may be approved and sent. */
  readonly heldUntilMs?: number;
  readonly uploadedAtMs?: number;
  readonly approval?: Approval;
  readonly closure?: Closure;
  /** The batch result could not be sent yet. */
  readonly unpublished?: true;
}

/** How the rows had ended when the batch closed. */
export interface Closure {
  readonly atMs: number;
  readonly tally: Tally;
}

/** Rows in file order; with a tally once every one of them has ended, so that they need not be read again. */
export interface BatchPart {
  readonly n: number;
  readonly rows: readonly BatchRow[];
  readonly tally?: Tally;
}

/** The ends that a row can come to; an order that was cancelled counts as failed: it was never sent. */
export const rowEnds = ['accepted', 'approved', 'declined', 'failed', 'held'] as const;

/** One of {@link rowEnds}. */
export type RowEnd = (typeof rowEnds)[number];

/** Rows of one end and one currency. */
interface TallyLine extends CurrencyTotal {
  readonly end: RowEnd;
  /** Absent for rows without money. */
  readonly currency?: string;
  /** So many of them are still asked about at the gateway, or wait for a person. */
  readonly notFinal: number;
  /** So many of them are orders of another batch (or of none), and are counted there as well. */
  readonly elsewhere: number;
}

/** Counts by end and currency, in the order of {@link rowEnds} and then by currency; no two lines are alike in both. */
export type Tally = readonly TallyLine[];

/** The header of a new batch: it may be uploaded at once, unless it is held for a second person. */
export function newBatch(
  it: BatchContent & {
    readonly merchant?: string;
    readonly by: string;
    readonly nowMs: number;
    readonly heldUntilMs?: number;
  },
): Batch {
  const { nowMs, ...content } = it;
  return {
    ...content,
    parts: partsFor(it.rows),
    state: it.heldUntilMs !== undefined ? 'awaiting-approval' : 'uploading',
    createdAtMs: nowMs,
  };
}

/** The totals of some rows. */
export function totalsOf(rows: Iterable<BatchRow>): Totals {
  const totals: Record<string, CurrencyTotal> = {};
  for (const { money } of rows) {
    if (!money) continue;
    const { count, minorUnits } = totals[money.currency] ?? { count: 0, minorUnits: 0n };
    totals[money.currency] = { count: count + 1, minorUnits: minorUnits + money.minorUnits };
  }
  return totals;
}

/** True when both say the same count and money of the same currencies. */
export function sameTotals(a: Totals, b: Totals): boolean {
  return packedTotals(a) === packedTotals(b);
}

/** One text for the same totals, whatever their order: `EUR 2 1042,USD 1 500`. */
export function packedTotals(totals: Totals): string {
  return Object.entries(totals)
    .map(([currency, { count, minorUnits }]) => `${currency} ${count} ${minorUnits}`)
    .toSorted()
    .join(',');
}

/** Adds tallies up. */
export function addedTallies(tallies: Iterable<Tally>): Tally {
  const lines = new Map<string, TallyLine>();
  for (const tally of tallies) {
    for (const line of tally) {
      const name = `${rowEnds.indexOf(line.end)} ${line.currency ?? ''}`;
      const sum = lines.get(name);
      lines.set(name, sum ? addedLines(sum, line) : line);
    }
  }
  return [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

function addedLines(a: TallyLine, b: TallyLine): TallyLine {
  return {
    ...a,
    count: a.count + b.count,
    minorUnits: a.minorUnits + b.minorUnits,
    notFinal: a.notFinal + b.notFinal,
    elsewhere: a.elsewhere + b.elsewhere,
  };
}

/** True when the tally accounts for every row and every minor unit of the batch: only then may it close. */
export function balances(tally: Tally, { rows, totals }: Pick<BatchContent, 'rows' | 'totals'>): boolean {
  const counted: Record<string, CurrencyTotal> = {};
  let countedRows = 0;
  for (const { currency, count, minorUnits } of tally) {
    countedRows += count;
    if (currency === undefined) continue;
    const sum = counted[currency] ?? { count: 0, minorUnits: 0n };
    counted[currency] = { count: sum.count + count, minorUnits: sum.minorUnits + minorUnits };
  }
  return countedRows === rows && sameTotals(counted, totals);
}
