// The largest single order and the largest total of a day that a merchant lets through.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { capsSchema } from '../../../lib/gateway/profile-limits.ts';
import { defaultProfile } from '../../../lib/gateway/profile.ts';
import {
  aboveSingleCap,
  countedToday,
  countedTogether,
  dayCapsOf,
  type Spending,
} from '../../../lib/payout/operate/caps.ts';
import { createMemoryControls } from '../../support/memory-controls.ts';

type Caps = Readonly<Record<string, Readonly<Record<string, string>>>>;
const profileWithCaps = (caps: Caps) => ({ ...defaultProfile, caps: v.parse(capsSchema, caps) });
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
    const failure = aboveSingleCap(money(currency, minorUnits), profileWithCaps({ [currency]: { single } }));
    const message = `more than ${single} ${currency}, the cap for one order; never sent`;
    expect(failure).toEqual(above ? { code: 'NOT_SENT', message } : undefined);
  });
});

it.each(['single', 'perDay'])('a cap that names a currency, %s, lets no other one through', (kind) => {
  const profile = profileWithCaps({ EUR: { [kind]: '1000.00' }, JPY: {} });
  const message = 'the caps name EUR, JPY and not USD; never sent';
  expect(aboveSingleCap(money('USD', 1n), profile)).toEqual({ code: 'NOT_SENT', message });
  expect(aboveSingleCap(money('constructor', 1n), profile)).toMatchObject({ code: 'NOT_SENT' });
  expect(aboveSingleCap(money('EUR', 100_000n), profile)).toBeUndefined();
  expect(aboveSingleCap(money('JPY', 10n ** 9n), profile)).toBeUndefined();
});

describe("the day's cap", () => {
  const profile = profileWithCaps({ EUR: { perDay: '5000.00' } });

  it('is of one merchant, one currency and one day', () => {
    expect(dayCapsOf('acme-eu', money('EUR', 1042n), profile, noonMs)).toEqual([
      { kind: 'perDay', merchant: 'acme-eu', currency: 'EUR', day: '2026-11-21', limit: 500_000n, counts: 1_042n },
    ]);
  });

  it('on the number of orders counts each as one, whatever its money', () => {
    const busy = profileWithCaps({ EUR: { ordersPerDay: '500' } });
    const its = { kind: 'ordersPerDay', merchant: 'acme-eu', currency: 'EUR', day: '2026-11-21', limit: 500n };
    expect(dayCapsOf('acme-eu', money('EUR', 1042n), busy, noonMs)).toEqual([{ ...its, counts: 1n }]);
    expect(dayCapsOf('acme-eu', { ...money('EUR', 1042n), orders: 7n }, busy, noonMs)).toEqual([
      { ...its, counts: 7n },
    ]);
    expect(v.is(capsSchema, { EUR: { ordersPerDay: '1.5' } })).toBe(false);
    expect(v.is(capsSchema, { EUR: { ordersPerDay: '0' } })).toBe(false);
  });

  it('turns at midnight UTC', () => {
    const dayAt = (ms: number) => dayCapsOf('acme-eu', money('EUR', 1n), profile, ms)[0]?.day;
    expect(dayAt(Date.UTC(2026, 10, 22) - 1)).toBe('2026-11-21');
    expect(dayAt(Date.UTC(2026, 10, 22))).toBe('2026-11-22');
  });
});

describe('orders that are counted before their claims', () => {
  const profile = profileWithCaps({ EUR: { perDay: '25.00', ordersPerDay: '3' } });
  const nowMs = noonMs;

  function aCounter(store: Spending = createMemoryControls()) {
    const written: bigint[] = [];
    const spending = countedTogether({
      async count(day, sum, limits) {
        const counted = await store.count(day, sum, limits);
        if (counted === 'counted') written.push(sum.perDay);
        return counted;
      },
    });
    const count = (cents: bigint, on?: string) =>
      countedToday(spending, 'acme-eu', money('EUR', cents), profile, { nowMs, on });
    return { written, count };
  }

  it('are counted by one write where they come together', async () => {
    const { written, count } = aCounter();
    await Promise.all([count(1_000n), count(500n)]);
    expect(written).toEqual([1_500n]);
  });

  it('are counted as far as there is room, the first ones first, and a smaller one may still fit', async () => {
    const { written, count } = aCounter();
    await count(1_000n);
    const ends = await Promise.all([count(1_400n), count(200n), count(100n)]);
    expect(ends.map(({ kind }) => kind)).toEqual(['counted', 'above', 'counted']);
    expect(written).toEqual([1_000n, 1_500n]);
    expect(await count(1n)).toEqual({
      kind: 'above',
      failure: { code: 'NOT_SENT', message: 'above the cap of 2026-11-21, 25.00 EUR; never sent' },
    });
  });

  it('are counted once a day', async () => {
    const { written, count } = aCounter();
    expect(await count(1_000n, '2026-11-21')).toEqual({ kind: 'counted', day: '2026-11-21' });
    expect(await count(1_000n, '2026-11-20')).toEqual({ kind: 'counted', day: '2026-11-21' });
    expect(written).toEqual([1_000n]);
  });

  it('are not counted if no day is limited', async () => {
    const spending = { count: () => Promise.reject(new Error('asked')) };
    const its = profileWithCaps({ EUR: { single: '5' } });
    expect(await countedToday(spending, 'acme-eu', money('EUR', 1n), its, { nowMs })).toEqual({ kind: 'free' });
  });

  it('are not counted if the store does not answer', async () => {
    const { count } = aCounter({ count: () => Promise.reject(new Error('no answer')) });
    const ends = await Promise.allSettled([count(1n), count(2n)]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
