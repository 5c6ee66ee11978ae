// When a merchant has more money in doubt than its profile allows.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { capsSchema } from '../../../lib/gateway/profile-limits.ts';
import { profileSchema } from '../../../lib/gateway/profile.ts';
import { isAboveDoubtLimit } from '../../../lib/payout/operate/control.ts';

it.each<[doubt: Record<string, bigint>, limits: Record<string, string>, isAbove: boolean]>([
  [{ EUR: 99_999n }, { EUR: '1000.00' }, false],
  [{ EUR: 100_000n }, { EUR: '1000.00' }, false],
  [{ EUR: 100_001n }, { EUR: '1000.00' }, true],
  [{ EUR: 100_001n }, { EUR: '1000' }, true],
  [{ EUR: 1n }, { EUR: '0' }, true],
  [{ EUR: 0n }, { EUR: '0' }, false],
  [{ JPY: 1_001n }, { EUR: '5.00', JPY: '1000' }, true],
])('money in doubt %o is above the limits %j: %j', (doubt, limits, isAbove) => {
  const { doubtLimits } = v.parse(profileSchema, { doubtLimits: limits });
  expect(isAboveDoubtLimit({ doubt }, { doubtLimits })).toBe(isAbove);
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
