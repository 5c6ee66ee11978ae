// What became of the payouts of a batch, in count and money: added up from the standing of each, never counted on, so that the same
// payouts always give the same tally. A batch whose money is in doubt is never called accounted for.
import * as v from 'valibot';
import { formatMinorUnits, type Money } from '../gateway/money.ts';
import { minorUnitsSchema } from '../payout/order/fact-schemas.ts';
import { type Standing, standingNames, standings } from '../payout/order/standing.ts';

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

/** True if both say the same count and money of the same currencies. */
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

/** Payouts of one standing and one currency. */
interface TallyLine extends CurrencyTotal {
  readonly standing: Standing;
  /** Absent for payouts without money. */
  readonly currency?: string;
  /** How many of them are orders of another batch (or of none), which counts them too. */
  readonly elsewhere: number;
}

/** Counts by standing and currency, in the order of the standings and then by currency; no two lines are alike in both. */
export type Tally = readonly TallyLine[];

/** Counts payouts, beside those that were counted before. */
export function createTally(before: Tally = []) {
  const nameOf = (standing: Standing, currency = '') =>
    `${String(standingNames.indexOf(standing)).padStart(2)} ${currency}`;
  const lines = new Map(before.map((line) => [nameOf(line.standing, line.currency), line]));
  return {
    add({
      standing,
      money,
      elsewhere,
    }: {
      readonly standing: Standing;
      readonly money?: Money | undefined;
      readonly elsewhere: boolean;
    }): void {
      const name = nameOf(standing, money?.currency);
      const sum = lines.get(name) ?? { count: 0, minorUnits: 0n, elsewhere: 0 };
      lines.set(name, {
        standing,
        currency: money?.currency,
        count: sum.count + 1,
        minorUnits: sum.minorUnits + (money?.minorUnits ?? 0n),
        elsewhere: sum.elsewhere + (elsewhere ? 1 : 0),
      });
    },
    taken: (): Tally => [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line),
  };
}

/** How many payouts were counted. */
export const payoutsIn = (tally: Tally): number => tally.reduce((sum, { count }) => sum + count, 0);

/** True if the tally accounts for every row and every minor unit of the batch: only then may it be published. */
export function balances(tally: Tally, { rows, totals }: { readonly rows: number; readonly totals: Totals }): boolean {
  const counted: Record<string, CurrencyTotal> = {};
  let countedRows = 0;
  for (const { currency, count, minorUnits } of tally) {
    countedRows += count;
    if (currency !== undefined) addTo(counted, { currency, count, minorUnits });
  }
  return countedRows === rows && sameTotals(counted, totals);
}

/** True while a payout goes on by itself. */
export const isUnderWay = (standing: Standing): boolean =>
  !standings[standing].isFinal && !standings[standing].needsPerson;

/** True if both have the same lines. */
export const sameTally = (a: Tally, b: Tally): boolean => packedTally(a) === packedTally(b);

/** A line each: standing, currency, count, minor units, and how many are elsewhere. */
export function packedTally(tally: Tally): string {
  return tally
    .map((it) => `${it.standing} ${it.currency ?? '-'} ${it.count} ${it.minorUnits} ${it.elsewhere}`)
    .join('\n');
}

const wholeCount = v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number));
const tallyLine = v.tuple([v.picklist(standingNames), v.string(), wholeCount, minorUnitsSchema, wholeCount]);

/** The tally of this text; throws on a text that this version can't read. */
export function unpackedTally(packed: string): Tally {
  if (packed === '') return [];
  return packed.split('\n').map((line) => {
    const [standing, currency, count, minorUnits, elsewhere] = v.parse(tallyLine, line.split(' '));
    return { standing, currency: currency === '-' ? undefined : currency, count, minorUnits, elsewhere };
  });
}

/** The totals of this text; throws on a text that this version can't read. */
export function unpackedTotals(packed: string): Totals {
  const currencies = packed === '' ? [] : packed.split(',').map((it) => it.split(' '));
  return Object.fromEntries(
    currencies.map(([currency = '', rows, units]) => [
      currency,
      { count: v.parse(wholeCount, rows), minorUnits: v.parse(minorUnitsSchema, units) },
    ]),
  );
}

/** The statuses of a published batch: all has ended, or waits unpaid; or money of it may have moved; or some payouts are under way again. */
export const closureStatuses = ['closed', 'in-doubt', 'reopened'] as const;

/** One of {@link closureStatuses}. */
export type ClosureStatus = (typeof closureStatuses)[number];

/** The status for this tally. */
export function statusOfTally(tally: Tally): ClosureStatus {
  const found = tally.map(({ standing }) => standings[standing]);
  if (found.some(({ isFinal, moneyMayHaveMoved }) => !isFinal && moneyMayHaveMoved)) return 'in-doubt';
  return tally.some(({ standing }) => isUnderWay(standing)) ? 'reopened' : 'closed';
}
