// A POST that starts too late would have nobody to hear its answer, so it doesn't start.
import { expect, it } from 'vitest';
import type { Spending } from '../../lib/payout/operate/control.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, deliveryOf } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('with too little of the invocation left, the job goes round as a copy, unclaimed', async () => {
  // given 50 s: one send of 30 s and 20 s to settle would just not fit
  const world = aWorld();
  const returned = await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }), 50_000);

  // then
  expect(returned).toEqual([]);
  expect(world.gateway.posts).toEqual([]);
  expect(world.entries.size).toBe(0);
  expect(world.jobsQueue.copies.taken).toMatchObject([{ delaySeconds: 0, attributes: { originMessageId: 'm-1' } }]);

  // and in a fresh invocation it is paid
  for (const copy of world.jobsQueue.copies.taken) await world.deliver(deliveryOf(copy));
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

it('in a function whose time-out is too short for one send, the job comes round ever later', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob()), 50_000);
  for (let round = 0; round < 8; round += 1) {
    const [copy] = world.jobsQueue.copies.taken.slice(-1);
    if (copy) await world.deliver(deliveryOf(copy), 50_000);
  }

  // then each wait is longer than the one before, up to the longest that a retry has
  const delays = world.jobsQueue.copies.taken.map(({ delaySeconds }) => delaySeconds);
  expect(delays[0]).toBe(0);
  expect(delays[1]).toBeGreaterThanOrEqual(7);
  expect(delays.at(-1)).toBeGreaterThanOrEqual(450);
  expect(world.gateway.posts).toEqual([]);
});

it('a little more is enough', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob()), 50_001);
  expect(world.gateway.posts).toHaveLength(1);
});

it.each([
  ['as the clock says', 0],
  ['although somebody has set the clock back meanwhile', 3_600_000],
])('time that passes between claim and POST counts too, %s', async (_, setBackMs) => {
  // given a total of the day that takes half a minute to count
  const world = aWorld({ profile: { caps: { EUR: { perDay: '100.00' } } } });
  const { controls } = world;
  const spending: Spending = {
    ...controls,
    count: (...it) => {
      world.clock.advance(30_000);
      world.clock.setBack(setBackMs);
      return controls.count(...it);
    },
  };
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });

  // when 60 s are left
  const returned = await world.deliver(record, 60_000, { spending });

  // then no byte left, and the order may be sent again
  expect(returned).toEqual([]);
  expect(world.jobsQueue.copies.taken).toHaveLength(1);
  expect(world.gateway.posts).toEqual([]);
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'retryable', failure: { code: 'NOT_SENT' } });
});

it('time that passes before the claim costs nothing: the job goes round as a copy', async () => {
  const world = aWorld();
  const { of } = world.credentials;
  const credentials = {
    ...world.credentials,
    of: (merchant: string) => {
      world.clock.advance(30_000);
      return of(merchant);
    },
  };
  Object.assign(world.ports, { credentials });
  expect(await world.deliver(aRecord(aPayoutJob()), 60_000)).toEqual([]);
  expect(world.entries.size).toBe(0);
  expect(world.jobsQueue.copies.taken).toHaveLength(1);
});
