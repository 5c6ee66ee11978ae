// What keeps a job from being sent as it is.
import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import { whyUnsendable } from '../../lib/payout/preflight.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { startMs } from '../support/time-and-chance.ts';

describe('a job is sent', () => {
  const expiring = jobOf(aPayoutJob({ expiresAt: new Date(startMs).toISOString() }));

  it.each([
    [-1, undefined],
    [0, 'EXPIRED'],
    [1, 'EXPIRED'],
  ])('%i ms after its expiresAt? %s', (after, code) => {
    expect(whyUnsendable(expiring, defaultProfile, startMs + after)?.code).toBe(code);
  });

  it('with the fields that its contract names, and no others', () => {
    const job = jobOf(aPayoutJob({ params: { purpose: 'rent', bank_city: 'Riga' } }));
    expect(whyUnsendable(job, defaultProfile, startMs)).toEqual({
      code: 'FIELD_NOT_IN_CONTRACT',
      message: "name in the profile's extraFields, or leave out: purpose, bank_city",
    });
    const contract = { ...defaultProfile, extraFields: { payout: ['purpose', 'bank_city'] } };
    expect(whyUnsendable(job, contract, startMs)).toBeUndefined();
  });
});
