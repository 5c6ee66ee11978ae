// What lib/payout/accepted-rhythm.ts promises of the memory of how long orders take, as stories over any store of it.
import { beforeEach, describe, expect, it } from 'vitest';
import { endBuckets, endsSeen, type EndTimes } from '../../lib/payout/accepted-rhythm.ts';

/** Runs the suite; each story has an empty store, and later() lets what was read grow stale. */
export function describeEndTimes(
  name: string,
  makeStore: () => Promise<{ readonly endTimes: EndTimes; readonly later: () => void }>,
): void {
  describe(`how long orders take, as ${name} promises to remember it`, () => {
    let endTimes: EndTimes;
    let later: () => void;

    beforeEach(async () => {
      ({ endTimes, later } = await makeStore());
    });

    it('is nothing before an end was seen', async () => {
      expect(await endTimes.of('acme-eu', '39915')).toBeUndefined();
    });

    it('is every end in its bucket, and how many were called back, of each endpoint apart', async () => {
      await endTimes.saw('acme-eu', '39915', { bucket: 3, calledBack: false });
      await endTimes.saw('acme-eu', '39915', { bucket: 3, calledBack: true });
      await endTimes.saw('acme-eu', '39915', { bucket: 0, calledBack: false });
      await endTimes.saw('acme-eu', '1', { bucket: endBuckets - 1, calledBack: false });
      later();
      const { counts = [], calledBack } = (await endTimes.of('acme-eu', '39915')) ?? {};
      expect({ first: counts[0], fourth: counts[3], calledBack }).toEqual({ first: 1, fourth: 2, calledBack: 1 });
      expect(counts).toHaveLength(endBuckets);
      expect((await endTimes.of('acme-eu', '1'))?.counts.at(-1)).toBe(1);
    });

    it('is the sum of what several writers saw at once', async () => {
      await Promise.all(
        Array.from({ length: 20 }, () => endTimes.saw('acme-eu', '39915', { bucket: 5, calledBack: false })),
      );
      later();
      const ends = await endTimes.of('acme-eu', '39915');
      expect(ends && endsSeen(ends)).toBe(20);
    });
  });
}
