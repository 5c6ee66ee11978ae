// A Region moves while the old one is half alive: with the fence no order is paid twice in any interleaving; without it some are.
import { describe, expect, it } from 'vitest';
import { lengthOf } from '../support/long-proof.ts';
import { runRegionMove } from './region-move.ts';

const seeds = Array.from({ length: lengthOf({ short: 5, long: 100, whole: 1_000 }) }, (_, seed) => seed);

describe('two Regions at one gateway', () => {
  it('pay an order once at most, whenever the old one comes back', async () => {
    const moves = await Promise.all(seeds.map((seed) => runRegionMove(seed)));
    expect(moves.filter(({ paid }) => paid > 1).map(({ story }) => story)).toEqual([]);
    // Each of them is paid in the end, by one Region or the other: a fence that lets no Region through would prove nothing.
    expect(moves.filter(({ paid }) => paid === 1).length).toBe(seeds.length);
  });

  it('pay it twice where the copy takes over without asking whether the gateway refuses the old one', async () => {
    // Few: only where East pays after the report was read.
    let paidTwice: number | undefined;
    for (let seed = 0; seed < 100 && paidTwice === undefined; seed += 1)
      if ((await runRegionMove(seed, { mayBegin: () => true })).paid > 1) paidTwice = seed;
    expect(paidTwice).toBeDefined();
  });

  it('pay it twice where the gateway’s report names nothing', async () => {
    const moves = await Promise.all(seeds.map((seed) => runRegionMove(seed, { readsReport: false })));
    expect(moves.filter(({ paid }) => paid > 1).length).toBeGreaterThan(lengthOf({ short: 0, long: 3 }));
  });
});
