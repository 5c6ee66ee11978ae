// When a job must wait before it may start: a pause, or more money in doubt than its merchant allows.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { capsSchema } from '../../../lib/gateway/profile-limits.ts';
import { defaultProfile, profileSchema } from '../../../lib/gateway/profile.ts';
import { type Control, reasonToWait } from '../../../lib/payout/operate/control.ts';
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
