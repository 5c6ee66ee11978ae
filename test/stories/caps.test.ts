// What is above a merchant's caps waits unsent; money in doubt above its limit keeps new orders waiting.
import { describe, expect, it } from 'vitest';
import { someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob } from '../support/jobs.ts';
import { hours, minutes, seconds, storyWorld, type StoryWorld } from './harness.ts';

const payout = (n: number, amount = '10.42') => aPayoutJob({ orderId: `INV-${n}`, params: { amount } });
const statuses = (world: StoryWorld, ...orders: readonly number[]) => orders.map((n) => world.last(`INV-${n}`)?.status);

it.each<[caps: Readonly<Record<string, string>>, amounts: string[], posts: number[]]>([
  [{ single: '1000.00' }, ['1000.01', '1000.00'], [0, 1]],
  // The second is refused, and keeps its place in the day all the same.
  [{ perDay: '100.00' }, ['50.00', '40.00', '10.01', '10.00', '0.01'], [1, 1, 0, 1, 0]],
  [{ perDay: '100.00', ordersPerDay: '3' }, ['50.00', '40.00', '60.00', '1.00', '1.00'], [1, 1, 0, 1, 0]],
])('%j: each order is sent, or waits unsent until the next day', async (caps, amounts, posts) => {
  const world = storyWorld({ profile: { caps: { EUR: caps } } });
  if (amounts.length > 2) world.gateway.answers('INV-1', 'refuses the order');
  for (const [n, amount] of amounts.entries()) {
    world.send(payout(n, amount));
    await world.pass(1 * seconds);
  }
  const sent = () => [...amounts.keys()].map((n) => world.gateway.posts(`INV-${n}`));
  await world.pass(10 * hours);
  expect(sent()).toEqual(posts);
  // The day begins at ten.
  await world.pass(5 * hours);
  expect(sent()).toEqual(posts.map((it) => (caps['single'] ? it : 1)));
});

it('however many come at once, the cap of the day is never passed', async () => {
  const world = storyWorld({ profile: { caps: { EUR: { perDay: '100.00' } } } });
  for (let n = 0; n < 30; n += 1) world.send(payout(n, '9.00'));
  await world.pass(10 * minutes);
  const ends = statuses(world, ...Array.from({ length: 30 }, (_, n) => n));
  expect(ends.filter((it) => it === 'accepted')).toHaveLength(11);
});

it('a payout that waits for a raised cap is sent once the cap is raised', async () => {
  const world = storyWorld({ profile: { caps: { EUR: { single: '1.00' } } } });
  world.send(aPayoutJob());
  await world.pass(3 * hours);
  expect(world.gateway.posts('INV-1')).toBe(0);
  await world.secretIs(someCredentials({ version: 'v2' }));
  await world.pass(61 * minutes);
  expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'accepted']);
});

describe('money in doubt above its limit', () => {
  const limited = { doubtLimits: { EUR: '20.00' } };

  /** Two orders of 10.42 in doubt; two payouts and a check come after them. */
  async function withDoubt(profile: object) {
    const world = storyWorld({ profile: { ...limited, ...profile } });
    for (const n of [1, 2]) {
      world.gateway.answers(`INV-${n}`, 'silent though taken');
      world.gateway.desk(`INV-${n}`, 'silent');
      world.send(payout(n));
      await world.pass(2 * minutes);
    }
    for (const job of [payout(3), payout(4), anEligibilityJob()]) world.send(job);
    await world.pass(10 * minutes);
    expect([statuses(world, 3, 4), world.gateway.posts('CHK-1')]).toEqual([[undefined, undefined], 1]);
    return world;
  }

  it('keeps new payouts waiting while its orders are asked about, and lets them go when the gateway has said how they ended', async () => {
    const world = await withDoubt({ statusInquiry: true });
    await world.pass(20 * minutes);
    expect([world.gateway.looks('INV-1') > 3, world.gateway.posts('INV-3')]).toEqual([true, 0]);
    for (const n of [1, 2]) {
      world.gateway.desk(`INV-${n}`, 'truth');
      world.gateway.ends(`INV-${n}`, 'approved');
    }
    await world.pass(2 * hours);
    expect(statuses(world, 1, 2, 3, 4)).toEqual(['approved', 'approved', 'accepted', 'accepted']);
  });

  it('is cleared by a person if the gateway cannot be asked', async () => {
    const world = await withDoubt({});
    expect(await world.person.decides('INV-1', 'paid')).toBe('done');
    await world.pass(20 * minutes);
    expect(statuses(world, 1, 2, 3, 4)).toEqual(['approved', 'held', 'accepted', 'accepted']);
  });

  it('is none of what waits for a cap', async () => {
    const world = storyWorld({ profile: { ...limited, caps: { EUR: { single: '20.00' } } } });
    world.send(payout(1, '5000.00'));
    await world.pass(5 * minutes);
    world.send(payout(2));
    await world.pass(1 * minutes);
    expect(statuses(world, 1, 2)).toEqual([undefined, 'accepted']);
  });
});
