// When an accepted order is looked at: by half its age, and not before half of the age at which its merchant's orders usually end.
import { describe, expect, it } from 'vitest';
import { acceptedGapSeconds } from '../../lib/payout/accepted-rhythm.ts';

const minute = 60;
const hour = 3_600;

/** The ages at which it is looked at, until it has this age. */
function looksUntil(endSeconds: number, usualEndSeconds?: number): number[] {
  const ages: number[] = [];
  for (let age = 0; age < endSeconds; ages.push(age)) age += acceptedGapSeconds(age, usualEndSeconds);
  return ages;
}

it('without a word of the profile it is looked at whenever half its age has passed, and every six hours in the end', () => {
  expect(looksUntil(100)).toEqual([5, 15, 25, 37, 54, 79, 117]);
  expect(acceptedGapSeconds(3 * 86_400)).toBe(6 * hour);
});

describe('an order whose merchant says when orders usually end', () => {
  it.each([minute, 10 * minute, hour, 6 * hour, 24 * hour])(
    'at %i s: costs five looks at most, and is known within half its age',
    (usualSeconds) => {
      for (const endSeconds of [usualSeconds * 0.7, usualSeconds, usualSeconds * 1.2]) {
        const looks = looksUntil(endSeconds, usualSeconds);
        expect(looks.length).toBeLessThanOrEqual(5);
        expect(looks.at(-1)).toBeLessThanOrEqual(Math.max(endSeconds * 1.5, endSeconds + 10));
      }
    },
  );

  it('is known by half of that age where it ends before it, and within half its age where it ends long after', () => {
    for (let endSeconds = 6; endSeconds < 3 * 24 * hour; endSeconds *= 1.1) {
      const known = looksUntil(endSeconds, 6 * hour).at(-1) ?? 0;
      expect(known).toBeLessThanOrEqual(Math.max(endSeconds * 1.5, endSeconds + 10, 3 * hour));
    }
  });

  it('is never looked at more often than another', () => {
    for (let age = 0; age < 30 * hour; age = age * 1.2 + 1)
      expect(acceptedGapSeconds(age, hour)).toBeGreaterThanOrEqual(acceptedGapSeconds(age));
  });
});
