// The ends of the rows of a batch, in count and money: added up from the state of each row, never counted on, so that
// the same rows always give the same tally. A batch whose money is in doubt is never called accounted for.
import * as v from 'valibot';
import { formatMinorUnits, type Money } from '../gateway/money.ts';

/** A number of rows, and their money in whole minor units. */
export interface CurrencyTotal {
  readonly count: number;
  readonly minorUnits: bigint;
}

/** Control totals by ISO 4217 currency; rows without money (eligibility checks) are in none. */
export type Totals = Readonly<Record<string, CurrencyTotal>>;

/** The totals of some rows. */
export function totalsOf(rows: Iterable<{ readonly money?: Money }>): Totals {
  const totals: Record<string, CurrencyTotal> = {};
  for (const { money } of rows) {
    if (money) addTo(totals, { ...money, count: 1 });
  }
  return totals;
}

/** Adds rows of one currency to totals. */
export function addTo(
  totals: Record<string, CurrencyTotal>,
  { currency, count, minorUnits }: Money & CurrencyTotal,
): void {
  const before = totals[currency] ?? { count: 0, minorUnits: 0n };
  totals[currency] = { count: before.count + count, minorUnits: before.minorUnits + minorUnits };
}

/** Totals as messages and lists have them. */
export const totalsAsLists = (totals: Totals) =>
  Object.entries(totals).map(([currency, { count, minorUnits }]) => ({
    currency,
    count,
    amount: formatMinorUnits(minorUnits, currency),
  }));

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

/** The ends of a row; `checked`: a check that the gateway took or answered well, by which no money moves. */
export const rowEnds = ['accepted', 'approved', 'checked', 'declined', 'failed', 'cancelled', 'held'] as const;

/** One of {@link rowEnds}. */
export type RowEnd = (typeof rowEnds)[number];

/**
 * The subject of a line of a tally: rows at an end, rows in doubt, or rows that are under way; the last two are in the
 * tally of a batch that was published before only.
 */
export const tallyEnds = [...rowEnds, 'in-doubt', 'open'] as const;

/** One of {@link tallyEnds}. */
export type TallyEnd = (typeof tallyEnds)[number];

/** Rows of one end and one currency. */
export interface TallyLine extends CurrencyTotal {
  readonly end: TallyEnd;
  /** Absent for rows without money. */
  readonly currency?: string;
  /** So many of them are still asked about at the gateway, or wait for a person. */
  readonly notFinal: number;
  /** So many of them are orders of another batch (or of none), and are counted there as well. */
  readonly elsewhere: number;
  /** So many of them are rows of which nobody knows whether their money moved. */
  readonly inDoubt: number;
}

/** Counts by end and currency, in the order of {@link tallyEnds} and then by currency; no two lines are alike in both. */
export type Tally = readonly TallyLine[];

/** Adds tallies up. */
export function addedTallies(tallies: Iterable<Tally>): Tally {
  const lines = new Map<string, TallyLine>();
  for (const tally of tallies) {
    for (const line of tally) {
      const name = `${tallyEnds.indexOf(line.end)} ${line.currency ?? ''}`;
      const sum = lines.get(name);
      lines.set(name, sum ? addedLines(sum, line) : line);
    }
  }
  return [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

/** Two lines about rows of the same kind as one. */
export function addedLines<Line extends Omit<TallyLine, 'end'>>(a: Line, b: Line): Line {
  return {
    ...a,
    count: a.count + b.count,
    minorUnits: a.minorUnits + b.minorUnits,
    notFinal: a.notFinal + b.notFinal,
    elsewhere: a.elsewhere + b.elsewhere,
    inDoubt: a.inDoubt + b.inDoubt,
  };
}

/** True when the tally accounts for every row and every minor unit of the batch: only then may it be published. */
export function balances(tally: Tally, { rows, totals }: { readonly rows: number; readonly totals: Totals }): boolean {
  const counted: Record<string, CurrencyTotal> = {};
  let countedRows = 0;
  for (const { currency, count, minorUnits } of tally) {
    countedRows += count;
    if (currency !== undefined) addTo(counted, { currency, count, minorUnits });
  }
  return countedRows === rows && sameTotals(counted, totals);
}

/** True while a row is under way or in doubt. */
export const hasOpenRows = (tally: Tally): boolean => tally.some(({ end }) => end === 'open' || end === 'in-doubt');

/** True when both have the same lines. */
export const sameTally = (a: Tally, b: Tally): boolean => packedTally(a) === packedTally(b);

/** A line each: end, currency, count, minor units, how many are not final, elsewhere, and in doubt. */
export function packedTally(tally: Tally): string {
  return tally
    .map(
      (it) =>
        `${it.end} ${it.currency ?? '-'} ${it.count} ${it.minorUnits} ${it.notFinal} ${it.elsewhere} ${it.inDoubt}`,
    )
    .join('\n');
}

const digits = v.pipe(v.string(), v.regex(/^\d+$/));
const wholeCount = v.pipe(digits, v.transform(Number));
const wholeUnits = v.pipe(
  digits,
  v.transform((it) => BigInt(it)),
);
const tallyLine = v.tuple([
  v.picklist(tallyEnds),
  v.string(),
  wholeCount,
  wholeUnits,
  wholeCount,
  wholeCount,
  wholeCount,
]);

/** The tally of such a text; throws on a text that this version can't read. */
export function unpackedTally(packed: string): Tally {
  if (packed === '') return [];
  return packed.split('\n').map((line) => {
    const [end, currency, rows, units, notFinal, elsewhere, inDoubt] = v.parse(tallyLine, line.split(' '));
    const money = { ...(currency !== '-' && { currency }), count: rows, minorUnits: units };
    return { end, ...money, notFinal, elsewhere, inDoubt };
  });
}

/** The totals of such a text; throws on a text that this version can't read. */
export function unpackedTotals(packed: string): Totals {
  const currencies = packed === '' ? [] : packed.split(',').map((it) => it.split(' '));
  return Object.fromEntries(
    currencies.map(([currency = '', rows, units]) => [
      currency,
      { count: v.parse(wholeCount, rows), minorUnits: v.parse(wholeUnits, units) },
    ]),
  );
}

/** The statuses of a published batch: all has ended; or of some rows nobody knows; or some are under way again. */
export const closureStatuses = ['closed', 'in-doubt', 'reopened'] as const;

/** One of {@link closureStatuses}. */
export type ClosureStatus = (typeof closureStatuses)[number];

/** The status for such a tally. */
export function statusOfTally(tally: Tally): ClosureStatus {
  if (tally.some(({ inDoubt }) => inDoubt > 0)) return 'in-doubt';
  return hasOpenRows(tally) ? 'reopened' : 'closed';
}
