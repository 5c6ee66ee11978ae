// The largest single order and the largest total of a day that a merchant lets through.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { aboveDayCap, aboveSingleCap, dayCapOf } from '../../lib/payout/control.ts';
import { defaultProfile, profileSchema } from '../../lib/gateway/profile.ts';

type Caps = Readonly<Record<string, { readonly single?: string; readonly perDay?: string }>>;
const profileOf = (caps: Caps) => v.parse(profileSchema, { caps });
const money = (currency: string, minorUnits: bigint) => ({ currency, minorUnits });
const noonMs = Date.UTC(2026, 10, 21, 12);

describe('the cap for one order', () => {
  it.each<[cap: string, currency: string, minorUnits: bigint, above: boolean]>([
    ['1000.00', 'EUR', 100_000n, false],
    ['1000.00', 'EUR', 100_001n, true],
    ['1000', 'EUR', 100_001n, true],
    ['0', 'EUR', 1n, true],
    ['1000', 'JPY', 1_000n, false],
    ['1000', 'JPY', 1_001n, true],
    ['0.500', 'KWD', 500n, false],
    ['90071992547409.93', 'EUR', 9_007_199_254_740_994n, true],
  ])('of %s %s, for %s minor units: above it is %s', (single, currency, minorUnits, above) => {
    const failure = aboveSingleCap(money(currency, minorUnits), profileOf({ [currency]: { single } }));
    const message = `more than ${single} ${currency}, the cap for one order; never sent`;
    expect(failure).toEqual(above ? { code: 'CAP_EXCEEDED', message } : undefined);
  });

  it('is none where the profile has none for the currency', () => {
    expect(aboveSingleCap(money('EUR', 10n ** 15n), defaultProfile)).toBeUndefined();
    expect(aboveSingleCap(money('EUR', 10n ** 15n), profileOf({ USD: { single: '1.00' } }))).toBeUndefined();
    expect(aboveSingleCap(money('EUR', 10n ** 15n), profileOf({ EUR: { perDay: '1.00' } }))).toBeUndefined();
  });
});

describe("the day's cap", () => {
  const profile = profileOf({ EUR: { perDay: '5000.00' } });

  it('is of one merchant, one currency and one day', () => {
    expect(dayCapOf('acme-eu', money('EUR', 1n), profile, noonMs)).toEqual({
      merchant: 'acme-eu',
      currency: 'EUR',
      day: '2026-11-21',
      limitMinorUnits: 500_000n,
    });
  });

  it('turns at midnight UTC', () => {
    const dayAt = (ms: number) => dayCapOf('acme-eu', money('EUR', 1n), profile, ms)?.day;
    expect(dayAt(Date.UTC(2026, 10, 22) - 1)).toBe('2026-11-21');
    expect(dayAt(Date.UTC(2026, 10, 22))).toBe('2026-11-22');
  });

  it('is none where the profile has none for the currency', () => {
    expect(dayCapOf('acme-eu', money('USD', 1n), profile, noonMs)).toBeUndefined();
    expect(dayCapOf('acme-eu', money('EUR', 1n), profileOf({ EUR: { single: '1.00' } }), noonMs)).toBeUndefined();
  });

  it('is named to whoever is above it', () => {
    const cap = { merchant: 'acme-eu', currency: 'EUR', day: '2026-11-21', limitMinorUnits: 1n };
    expect(aboveDayCap(cap)).toEqual({
      code: 'CAP_EXCEEDED',
      message: 'above the cap of 2026-11-21 in EUR; never sent',
    });
  });
});
