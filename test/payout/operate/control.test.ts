// When a job must wait before it may start: a pause, or more money in doubt than its merchant allows.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { capsSchema } from '../../../lib/gateway/profile-limits.ts';
import { defaultProfile, profileSchema } from '../../../lib/gateway/profile.ts';
import {
  aboveSingleCap,
  type Control,
  countedCaps,
  dayCapsOf,
  hasMoneyInDoubt,
  reasonToWait,
} from '../../../lib/payout/operate/control.ts';
import { orderStates } from '../../../lib/payout/order/view.ts';
import { anEligibilityJob, aPayoutJob, jobOf } from '../../support/jobs.ts';

const nothingSaid: Control = { paused: false, batchCancelled: false, doubt: {} };
const payout = jobOf(aPayoutJob());
const profileOf = (doubtLimits: Readonly<Record<string, string>>) => ({
  ...defaultProfile,
  ...v.parse(profileSchema, { doubtLimits }),
});

describe('a job waits', () => {
  it('while its merchant is paused, whether it moves money or not, profile at hand or not', () => {
    const paused = { ...nothingSaid, paused: true };
    expect(reasonToWait(payout, paused, undefined)).toBe('paused');
    expect(reasonToWait(jobOf(anEligibilityJob()), paused, profileOf({}))).toBe('paused');
  });

  it.each<[doubt: bigint, limit: string, reason: 'doubt' | undefined]>([
    [99_999n, '1000.00', undefined],
    [100_000n, '1000.00', undefined],
    [100_001n, '1000.00', 'doubt'],
    [100_001n, '1000', 'doubt'],
    [1n, '0', 'doubt'],
    [0n, '0', undefined],
  ])('with %s cents in doubt under a limit of %s: %s', (doubt, limit, reason) => {
    const control = { ...nothingSaid, doubt: { EUR: doubt } };
    expect(reasonToWait(payout, control, profileOf({ EUR: limit }))).toBe(reason);
  });

  it('for doubt in another currency too: the limit is the merchant’s', () => {
    const control = { ...nothingSaid, doubt: { JPY: 1_001n } };
    expect(reasonToWait(payout, control, profileOf({ EUR: '5.00', JPY: '1000' }))).toBe('doubt');
  });

  it('for no doubt where it moves no money', () => {
    const control = { ...nothingSaid, doubt: { EUR: 100n } };
    expect(reasonToWait(jobOf(anEligibilityJob()), control, profileOf({ EUR: '0' }))).toBeUndefined();
  });
});

describe('a limit is refused when its secret is read', () => {
  it.each([
    { JPY: '1000.00' },
    { EUR: '1.001' },
    { KWD: '1.0001' },
    { eur: '1.00' },
    { EUR: '-1.00' },
    { EUR: '1,00' },
    { EUR: '01.00' },
  ])('%j', (doubtLimits) => {
    expect(v.is(profileSchema, { doubtLimits })).toBe(false);
    const [[currency = '', single = ''] = []] = Object.entries(doubtLimits);
    expect(v.is(capsSchema, { [currency]: { single } })).toBe(false);
    expect(v.is(capsSchema, { [currency]: { perDay: single } })).toBe(false);
  });
});

it.each(orderStates)('%s: is its money in doubt?', (state) => {
  const inDoubt = state === 'in-doubt' || state === 'held';
  const operation = 'payout';
  expect(hasMoneyInDoubt({ operation, state })).toBe(inDoubt);
  expect(hasMoneyInDoubt({ operation, state, failure: { code: 'NO_ANSWER', message: '' } })).toBe(inDoubt);
  // It was never sent.
  expect(hasMoneyInDoubt({ operation, state: 'held', failure: { code: 'CAP_EXCEEDED', message: '' } })).toBe(false);
  // By a check no money moves.
  const failure = { code: 'NO_ANSWER', message: '' } as const;
  expect(hasMoneyInDoubt({ operation: 'pan-eligibility', state, failure })).toBe(false);
});

// The largest single order and the largest total of a day that a merchant lets through.

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
    expect(failure).toEqual(above ? { code: 'CAP_EXCEEDED', message } : undefined);
  });
});

it.each(['single', 'perDay'])('a cap that names a currency, %s, holds every other one', (kind) => {
  const profile = profileWithCaps({ EUR: { [kind]: '1000.00' }, JPY: {} });
  const message = 'the caps name EUR, JPY and not USD; never sent';
  expect(aboveSingleCap(money('USD', 1n), profile)).toEqual({ code: 'CAP_EXCEEDED', message });
  expect(aboveSingleCap(money('constructor', 1n), profile)).toMatchObject({ code: 'CAP_EXCEEDED' });
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

  it('that was set after a claim counts nothing of its attempt', () => {
    const both = profileWithCaps({ EUR: { perDay: '5000.00', ordersPerDay: '500' } });
    const attempt = { counted: { day: '2026-11-21', caps: ['perDay'] } };
    expect(countedCaps('acme-eu', money('EUR', 1n), attempt, both).map(({ kind }) => kind)).toEqual(['perDay']);
    expect(countedCaps('acme-eu', money('EUR', 1n), {}, both)).toEqual([]);
  });

  it('turns at midnight UTC', () => {
    const dayAt = (ms: number) => dayCapsOf('acme-eu', money('EUR', 1n), profile, ms)[0]?.day;
    expect(dayAt(Date.UTC(2026, 10, 22) - 1)).toBe('2026-11-21');
    expect(dayAt(Date.UTC(2026, 10, 22))).toBe('2026-11-22');
  });
});
