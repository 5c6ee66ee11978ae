import { describe, expect, it } from 'vitest';
import { readDoubtAlarm, shareOfAlarm } from '../../lib/payout/metrics.ts';

describe('the limits of money in doubt', () => {
  it('are amounts per currency, and one for all the others', () => {
    expect(readDoubtAlarm('EUR=10000, JPY=1500000,*=50.5')).toEqual(
      new Map(Object.entries({ EUR: '10000', JPY: '1500000', '*': '50.5' })),
    );
  });

  it.each(['', 'EUR', 'EUR=10000', 'EUR=ten,*=1', 'eur=10,*=1', '*=0', '*=1,5', 'EUR=-5,*=1', 'JPY=1.5,*=1'])(
    'are refused as %j',
    (text) => {
      expect(readDoubtAlarm(text)).toBeUndefined();
    },
  );
});

describe('how near money in doubt is to its limit', () => {
  const alarm = new Map(Object.entries({ EUR: '100', '*': '1000' }));

  it('is said of the currency that is nearest', () => {
    const sums = new Map(Object.entries({ EUR: 2_500n, JPY: 900n, USD: 40_000n }));
    // 25 of 100 EUR, 900 of 1000 JPY, 400 of 1000 USD
    expect(shareOfAlarm(sums, alarm)).toBe(0.9);
  });

  it('is nothing where nothing is in doubt, and above one beyond the limit', () => {
    expect(shareOfAlarm(new Map(), alarm)).toBe(0);
    expect(shareOfAlarm(new Map([['EUR', 25_000n]]), alarm)).toBe(2.5);
  });
});
