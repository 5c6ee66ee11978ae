// Control totals and tallies: a batch closes only when every row and every minor unit is accounted for.
import { describe, expect, it } from 'vitest';
import type { BatchRow } from '../../lib/batches/batch.ts';
import { addedTallies, balances, packedTotals, sameTotals, type Tally, totalsOf } from '../../lib/batches/tally.ts';

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
  it('add up line by line, in one order', () => {
    const first: Tally = [
      { end: 'failed', currency: 'EUR', count: 1, minorUnits: 5n, notFinal: 0, elsewhere: 0, inDoubt: 0 },
      { end: 'accepted', currency: 'EUR', count: 2, minorUnits: 10n, notFinal: 1, elsewhere: 1, inDoubt: 0 },
    ];
    const second: Tally = [
      { end: 'accepted', currency: 'EUR', count: 3, minorUnits: 7n, notFinal: 2, elsewhere: 2, inDoubt: 0 },
      { end: 'accepted', count: 4, minorUnits: 0n, notFinal: 0, elsewhere: 0, inDoubt: 0 },
      { end: 'held', currency: 'EUR', count: 1, minorUnits: 1n, notFinal: 1, elsewhere: 0, inDoubt: 0 },
    ];
    expect(addedTallies([first, second])).toEqual([
      { end: 'accepted', count: 4, minorUnits: 0n, notFinal: 0, elsewhere: 0, inDoubt: 0 },
      { end: 'accepted', currency: 'EUR', count: 5, minorUnits: 17n, notFinal: 3, elsewhere: 3, inDoubt: 0 },
      { end: 'failed', currency: 'EUR', count: 1, minorUnits: 5n, notFinal: 0, elsewhere: 0, inDoubt: 0 },
      { end: 'held', currency: 'EUR', count: 1, minorUnits: 1n, notFinal: 1, elsewhere: 0, inDoubt: 0 },
    ]);
    expect(addedTallies([])).toEqual([]);
  });

  it('balance with the control totals, and no longer when anything is missing or too much', () => {
    const tally: Tally = [
      { end: 'accepted', currency: 'EUR', count: 2, minorUnits: 10n, notFinal: 1, elsewhere: 1, inDoubt: 0 },
      { end: 'held', currency: 'EUR', count: 1, minorUnits: 5n, notFinal: 1, elsewhere: 1, inDoubt: 0 },
      { end: 'declined', count: 1, minorUnits: 0n, notFinal: 0, elsewhere: 0, inDoubt: 0 },
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
