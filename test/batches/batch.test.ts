// Control totals and tallies: a batch closes only when every row and every minor unit is accounted for.
import { describe, expect, it } from 'vitest';
import type { BatchRow } from '../../lib/batches/batch.ts';
import {
  balances,
  createTally,
  packedTally,
  packedTotals,
  sameTotals,
  type Tally,
  totalsOf,
  unpackedTally,
} from '../../lib/batches/tally.ts';

const eur = (minorUnits: bigint): BatchRow => ({
  digest: 'd',
  orderKey: 'acme-eu/A',
  money: { currency: 'EUR', minorUnits },
});

describe('control totals', () => {
  it('count rows and money per currency, to the last minor unit', () => {
    const huge = 9_007_199_254_740_993n;
    const jpy: BatchRow = { digest: 'd', orderKey: 'acme-eu/J', money: { currency: 'JPY', minorUnits: 5n } };
    expect(totalsOf([eur(huge), jpy, eur(1n), { digest: 'd', orderKey: 'acme-eu/C' }])).toEqual({
      EUR: { count: 2, minorUnits: 9_007_199_254_740_994n },
      JPY: { count: 1, minorUnits: 5n },
    });
    expect(totalsOf([])).toEqual({});
  });

  it('are one text, whatever their order', () => {
    const [EUR, USD] = [
      { count: 2, minorUnits: 1042n },
      { count: 1, minorUnits: 500n },
    ];
    expect(packedTotals({ USD, EUR })).toBe('EUR 2 1042,USD 1 500');
    expect(sameTotals({ USD, EUR }, { EUR, USD })).toBe(true);
    expect(sameTotals({ EUR }, { EUR, USD })).toBe(false);
    expect(sameTotals({ EUR }, { EUR: { ...EUR, count: 3 } })).toBe(false);
  });
});

describe('tallies', () => {
  it('count payouts by standing and currency, in the order in which lists show them, and are one text', () => {
    const counting = createTally();
    const money = (currency: string, minorUnits: bigint) => ({ money: { currency, minorUnits } });
    counting.add({ standing: 'failed', ...money('EUR', 5n), elsewhere: false });
    counting.add({ standing: 'paid', ...money('JPY', 1n), elsewhere: false });
    counting.add({ standing: 'paid', ...money('EUR', 7n), elsewhere: true });
    counting.add({ standing: 'paid', ...money('EUR', 3n), elsewhere: false });
    counting.add({ standing: 'checked', money: undefined, elsewhere: false });
    const tally: Tally = [
      { standing: 'paid', currency: 'EUR', count: 2, minorUnits: 10n, elsewhere: 1 },
      { standing: 'paid', currency: 'JPY', count: 1, minorUnits: 1n, elsewhere: 0 },
      { standing: 'checked', count: 1, minorUnits: 0n, elsewhere: 0 },
      { standing: 'failed', currency: 'EUR', count: 1, minorUnits: 5n, elsewhere: 0 },
    ];
    expect(counting.taken()).toEqual(tally);
    expect(unpackedTally(packedTally(tally))).toEqual(tally);
  });

  it('balance with the control totals, and no longer when anything is missing or too much', () => {
    const tally: Tally = [
      { standing: 'accepted', currency: 'EUR', count: 2, minorUnits: 10n, elsewhere: 1 },
      { standing: 'held', currency: 'EUR', count: 1, minorUnits: 5n, elsewhere: 1 },
      { standing: 'declined', count: 1, minorUnits: 0n, elsewhere: 0 },
    ];
    const totals = { EUR: { count: 3, minorUnits: 15n } };
    expect(balances(tally, { rows: 4, totals })).toBe(true);
    expect(balances(tally, { rows: 5, totals })).toBe(false);
    expect(balances(tally.slice(0, 2), { rows: 4, totals })).toBe(false);
    expect(balances(tally, { rows: 4, totals: { EUR: { count: 3, minorUnits: 16n } } })).toBe(false);
    expect(balances(tally, { rows: 4, totals: { EUR: { count: 2, minorUnits: 15n } } })).toBe(false);
    expect(balances(tally, { rows: 4, totals: { ...totals, USD: { count: 1, minorUnits: 1n } } })).toBe(false);
  });
});
