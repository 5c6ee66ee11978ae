// Every way from acceptance or doubt to the truth, under every single cut and a sample of the pairs; and the edge of
// what a gateway may hide.
import { describe, expect, it } from 'vitest';
import { lengthOf } from '../support/long-proof.ts';
import { moods } from './gateway-moods.ts';
import { jobLine } from './jobs.ts';
import { everyPath, type Path, runPath, stubbornPaths, walkPath } from './settlement-paths.ts';

const timeoutMs = 60_000;
/** Every seventh pair of deaths, as all of them take some minutes; the short proof has the single deaths alone. */
const pairStride = lengthOf({ short: Infinity, long: 7 });

describe('under every single cut and a sample of the pairs', () => {
  it.each(everyPath)('$name', { timeout: timeoutMs }, async (path) => {
    const { fault, end, cuts } = await walkPath(path, { pairStride });
    const story = fault && [...(await runPath(path, cuts ?? [], { keepsStory: true })).story, fault].join('\n');
    expect(story).toBeUndefined();
    expect(end).toBe(path.ends);
  });
});

it.each(stubbornPaths)('$name: a person decides', async (path) => {
  const { fault, end } = await runPath(path, []);
  expect(fault).toBeUndefined();
  expect(end).toBe('held');
});

/** An order whose send was never answered, hidden so long after its lease; its sender asks again after the quiet period. */
const hiddenFor = (visibleAfterLeaseMs: number): Path => ({
  name: 'hidden',
  contract: { resubmitUnknownOrders: true, quietPeriodSeconds: 1_800 },
  mood: moods['resets, order committed'],
  fate: { ends: 'approved', afterMs: 0, visibleAfterLeaseMs },
  silent: true,
  people: [
    [
      40,
      (world) =>
        void world.send(jobLine({ operation: 'payout', merchant: 'acme', orderId: 'order-1', wholeUnits: 10 })),
    ],
  ],
  ends: 'approved',
});

it('a gateway that hides an order for the quiet period and no longer is never paid twice', async () => {
  for (const lagMs of [0, 60_000, 1_790_000, 1_800_000]) {
    expect((await runPath(hiddenFor(lagMs), [])).fault).toBeUndefined();
  }
});

it('one that hides it a second longer is: the checker says so', async () => {
  expect((await runPath(hiddenFor(1_801_000), [])).fault).toMatch(/paid twice/);
});
