// How much money in doubt is too much, all merchants of a worker together. One figure speaks for all currencies, so that
// one alarm serves whatever currencies come; what a single merchant may have in doubt is its profile's `doubtLimits`.
import { minorUnitsOf, parseAmount } from '../gateway/money.ts';

/** Amounts per currency; `*` is for those that are not named. */
export type DoubtAlarm = ReadonlyMap<string, string>;

/** Reads "EUR=10000,JPY=1500000,*=5000"; undefined where it can't be read. */
export function readDoubtAlarm(text: string): DoubtAlarm | undefined {
  const pairs = text.split(',').map((pair): readonly [string, string] => {
    const [currency = '', amount = ''] = pair.split('=').map((part) => part.trim());
    return [currency, amount];
  });
  const isRight = pairs.every(
    ([currency, amount]) => /^([A-Z]{3}|\*)$/.test(currency) && parseAmount(amount, currency).kind === 'amount',
  );
  return isRight && pairs.some(([currency]) => currency === '*') ? new Map(pairs) : undefined;
}

/** The largest of the sums beside its limit: 1 is at the limit, 0 is no doubt at all. */
export function shareOfAlarm(sums: ReadonlyMap<string, bigint>, alarm: DoubtAlarm): number {
  const shares = [...sums].map(([currency, units]) => {
    const limit = minorUnitsOf(alarm.get(currency) ?? alarm.get('*') ?? '', currency);
    // Without a limit that can be read any doubt is too much.
    return limit === 0n ? 1 : Number(units) / Number(limit);
  });
  return Math.max(0, ...shares);
}
