// When an accepted order is looked at: by half its age at first, and by how long its endpoint's orders take once that is known.
import { describe, expect, it } from 'vitest';
import { acceptedGapSeconds, type EndsSeen, endBuckets, isScout, seenEnd } from '../../lib/payout/accepted-rhythm.ts';

const minute = 60;
const hour = 3_600;
const scout = Array.from({ length: 99 }, (_, at) => `acme-eu/INV-${at}`).find((key) => isScout(key, endsAt([hour])));
const other = Array.from({ length: 99 }, (_, at) => `acme-eu/INV-${at}`).find((key) => !isScout(key, endsAt([hour])));

/** A hundred ends at each of these ages. */
function endsAt(agesSeconds: readonly number[], calledBack = 0): EndsSeen {
  const counts = Array.from({ length: endBuckets }, () => 0);
  for (const age of agesSeconds) {
    const { bucket } = seenEnd(age, age, true);
    counts[bucket] = (counts[bucket] ?? 0) + 100;
  }
  return { counts, calledBack };
}

/** The ages at which it is looked at, until it has this age. */
function looksUntil(endSeconds: number, ends: EndsSeen | undefined, key = other ?? ''): number[] {
  const ages: number[] = [];
  for (let age = 0; age < endSeconds; ages.push(age)) age += acceptedGapSeconds(key, age, ends);
  return ages;
}

describe('an order of an endpoint that nobody knows', () => {
  it('is looked at whenever half its age has passed, and every six hours in the end', () => {
    expect(looksUntil(100, undefined)).toEqual([5, 15, 25, 37, 54, 79, 117]);
    expect(acceptedGapSeconds('any', 3 * 86_400, undefined)).toBe(6 * hour);
  });

  it('is looked at so until 32 ends were seen', () => {
    const counts = endsAt([6 * hour]).counts.map((count) => (count > 0 ? 31 : 0));
    expect(looksUntil(6 * hour, { counts, calledBack: 0 })).toHaveLength(looksUntil(6 * hour, undefined).length);
    const known = counts.map((count) => (count > 0 ? 32 : 0));
    expect(looksUntil(6 * hour, { counts: known, calledBack: 0 }).length).toBeLessThanOrEqual(6);
  });
});

describe('an order of an endpoint that is known', () => {
  it.each([10, minute, 10 * minute, hour, 6 * hour, 36 * hour])(
    'costs six looks at most where it usually ends after %i s',
    (endSeconds) => {
      const ends = endsAt([endSeconds, endSeconds * 1.5]);
      expect(looksUntil(endSeconds * 1.3, ends).length).toBeLessThanOrEqual(6);
    },
  );

  it.each([minute, hour, 36 * hour])(
    'is known within half its age where it ends as it usually does, at %i s',
    (end) => {
      const ends = endsAt([end, end * 1.4, end * 1.9]);
      for (const endSeconds of [end, end * 1.2, end * 1.6, end * 1.9])
        expect(looksUntil(endSeconds, ends).at(-1)).toBeLessThanOrEqual(endSeconds * 1.5 + 10);
    },
  );

  it('is known within half its age, at 13 looks as a rule, where ends lie anywhere from seconds to days', () => {
    const anywhere = (share: number) => 5 * 51_840 ** share;
    const ends = endsAt(Array.from({ length: 400 }, (_, at) => anywhere((at + 0.5) / 400)));
    const lives = Array.from({ length: 200 }, (_, at) => {
      const endSeconds = anywhere((at + 0.5) / 200);
      const looks = looksUntil(endSeconds, ends);
      expect(looks.at(-1)).toBeLessThanOrEqual(Math.max(endSeconds * 1.5, endSeconds + 10));
      return looks.length;
    });
    expect(lives.toSorted((a, b) => a - b)[100]).toBeLessThanOrEqual(13);
  });

  it('is never known later than at ten times its age, or a day after its end', () => {
    const ends = endsAt([36 * hour]);
    for (let endSeconds = 10; endSeconds < 5 * 24 * hour; endSeconds *= 1.1) {
      const known = looksUntil(endSeconds, ends).at(-1) ?? 0;
      expect(known).toBeLessThanOrEqual(Math.min(endSeconds * 10 + 1, endSeconds + 86_400));
    }
  });

  it('is never looked at more often than one that nobody knows', () => {
    for (const ends of [endsAt([5]), endsAt([minute, hour]), endsAt([6 * hour], 95)])
      for (let age = 0; age < 30 * hour; age = age * 1.2 + 1)
        expect(acceptedGapSeconds(other ?? '', age, ends)).toBeGreaterThanOrEqual(
          Math.min(acceptedGapSeconds('x', age, undefined), 6 * hour),
        );
  });

  it('costs fewer looks where callbacks tell how it ended', () => {
    const told = looksUntil(hour, endsAt([hour], 95)).length;
    expect(told).toBeLessThanOrEqual(3);
    expect(told).toBeLessThan(looksUntil(hour, endsAt([hour], 0)).length);
  });

  it('keeps the first rhythm where it is a scout, one in eight, so that a change is seen', () => {
    const ends = endsAt([6 * hour]);
    expect(looksUntil(hour, ends, scout)).toEqual(looksUntil(hour, undefined));
    const keys = Array.from({ length: 8_000 }, (_, at) => `acme-eu/INV-${at}`);
    const share = keys.filter((key) => isScout(key, ends)).length / keys.length;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.15);
  });
});

it('an end lies between two looks, or where its callback came', () => {
  expect(seenEnd(54, 79, true)).toEqual({ ...seenEnd(79, 79, true), calledBack: true });
  expect(seenEnd(54, 80, false)).toEqual(seenEnd(67, 67, false));
  expect(seenEnd(0, 4, true).bucket).toBe(0);
  expect(seenEnd(0, 400 * 86_400, true).bucket).toBe(endBuckets - 1);
});
