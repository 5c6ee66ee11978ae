// A POST that starts too late would have nobody to hear its answer, so it doesn't start.
import { expect, it } from 'vitest';
import type { Spending } from '../../lib/payout/operate/control.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('with too little of the invocation left, the job comes again, unclaimed', async () => {
  // given 50 s: one send of 30 s and 20 s to settle would just not fit
  const world = aWorld();
  const returned = await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }), 50_000);

  // then
  expect(returned).toEqual(['m-1']);
  expect(world.gateway.posts).toEqual([]);
  expect(world.entries.size).toBe(0);
  expect(world.waits()).toMatchObject([{ where: 'queue', inSeconds: 1 }]);

  // and in a fresh invocation it is paid
  await world.again();
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

it('in a function whose time-out is too short for one send, the job comes round ever later', async () => {
  const world = aWorld();
  const delays: number[] = [];
  await world.deliver(aRecord(aPayoutJob()), 50_000);
  for (let round = 0; round < 8; round += 1) {
    delays.push(world.waits()[0]?.inSeconds ?? 0);
    await world.again(50_000);
  }

  // then each wait is longer than the one before, up to the longest that a retry has
  expect(delays[0]).toBe(1);
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
  await world.deliver(record, 60_000, { spending });

  // then no byte left, and the order may be sent again
  expect(world.waits()).toHaveLength(1);
  expect(world.gateway.posts).toEqual([]);
  expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'retryable', failure: { code: 'NOT_SENT' } });
});

it('time that passes before the claim costs nothing: the job comes again', async () => {
  const world = aWorld();
  const { of } = world.credentials;
  world.credentials.of = (merchant) => {
    world.clock.advance(30_000);
    return of(merchant);
  };
  await world.deliver(aRecord(aPayoutJob()), 60_000);
  expect(world.entries.size).toBe(0);
  expect(world.waits()).toHaveLength(1);
});
