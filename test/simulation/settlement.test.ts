// Every way from acceptance or doubt to the truth, under single cuts and a sample of the pairs; and the edge of
// the time that a gateway may hide an order.
import { describe, expect, it } from 'vitest';
import { lengthOf, longIt } from '../support/long-proof.ts';
import { moods } from './gateway-moods.ts';
import { jobLine } from './jobs.ts';
import { everyPath, type Path, runPath, stubbornPaths, walkPath } from './settlement-paths.ts';

const timeoutMs = 300_000;
/** Every 499th pair of deaths (the whole proof: every 23rd), as all of them take an hour; the short one has single deaths alone. */
const pairStride = lengthOf({ short: Infinity, long: 499, whole: 23 });

/** The short proof walks every fifth way, cut at every 13th moment; a landing all of them, cut at every second. */
const pathStride = lengthOf({ short: 5, long: 1 });
const cutStride = lengthOf({ short: 13, long: 2, whole: 1 });
/** Two weeks of waiting for a person, twice: each takes as long as two hundred other walks. */
const stubbornStride = lengthOf({ short: 11, long: 37, whole: 1 });

describe('under every single cut and a sample of the pairs', () => {
  it.each(everyPath.filter((_, index) => index % pathStride === 0))('$name', { timeout: timeoutMs }, async (path) => {
    const { fault, end, cuts } = await walkPath(path, { pairStride, cutStride });
    const story = fault && [...(await runPath(path, cuts ?? [], true)).story, fault].join('\n');
    expect(story).toBeUndefined();
    expect(end).toBe(path.ends);
  });
});

longIt.each(stubbornPaths.filter((_, index) => index % stubbornStride === 0))(
  '$name: a person decides',
  async (path) => {
    const { fault, end } = await runPath(path, []);
    expect(fault).toBeUndefined();
    expect(end).toBe('held');
  },
);

const job = jobLine({ operation: 'payout', merchant: 'acme', orderId: 'order-1', wholeUnits: 10 });
const jobThatNames = (endId: string | undefined) =>
  endId === undefined ? job : { ...job, body: JSON.stringify({ ...JSON.parse(job.body), resends: endId }) };

/** An order whose send was never answered, hidden so long after its lease; an hour later its sender reopens the published end by name. */
const hiddenFor = (visibleAfterLeaseMs: number): Path => ({
  name: 'hidden',
  contract: { resubmitUnknownOrders: true, quietPeriodSeconds: 1_800 },
  mood: moods['resets, order committed'],
  fate: { ends: 'approved', afterMs: 0, visibleAfterLeaseMs },
  silent: true,
  people: [[60, (world) => void world.send(jobThatNames(world.truth.toldEnds.get('acme/order-1')))]],
  ends: 'approved',
});

it('a gateway that hides an order for the quiet period (and the skew of clocks before it) is never paid twice', async () => {
  for (const lagMs of [0, 60_000, 1_800_000, 1_860_000]) {
    const { fault, end } = await runPath(hiddenFor(lagMs), []);
    expect({ lagMs, fault, end }).toEqual({ lagMs, fault: undefined, end: 'approved' });
  }
});

it('one that hides it seconds longer is: the checker says so', async () => {
  expect((await runPath(hiddenFor(2_460_000), [])).fault).toMatch(/paid twice/);
});
