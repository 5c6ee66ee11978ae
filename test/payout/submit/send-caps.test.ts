// Sending under caps: what is above one waits, visibly, and the day's total is never lower than what was sent.
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../../lib/gateway/profile.ts';
import type { GatewayMood } from '../../support/fake-gateway.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { aWorld, type World } from '../../support/world.ts';

const perDay = { EUR: { perDay: '25.00' } };
const hours = 3_600_000;

const worldWith = (caps: Profile['caps']) => aWorld({ profile: { caps }, lanes: 'open' });
/** A payout of 10.42 EUR. */
const sends = (world: World, orderId = 'INV-1') => world.deliver(aRecord(aPayoutJob({ orderId })));
/** The cents that the day has counted. */
async function counted({ controls }: World, day = '2026-11-21'): Promise<number> {
  return Number((await controls.totalOf({ merchant: 'acme-eu', currency: 'EUR', day })).perDay);
}
const posts = ({ gateway }: World) => gateway.posts.length;
const waits = (world: World) => world.waits().map(({ where, because }) => `${where}: ${because}`);

describe("the day's cap", () => {
  it.each<GatewayMood>([
    'accepts',
    'stalls',
    'fails',
    'says the order exists',
    'refuses the order',
    'refuses the connection',
    'asks to slow down',
  ])('counts an order before it is sent, and keeps the count when the gateway %s', async (mood) => {
    const world = worldWith(perDay);
    const before: number[] = [];
    world.gateway.moods(mood);
    world.gateway.meanwhile(async () => void before.push(await counted(world)));
    await sends(world);
    expect([before, await counted(world)]).toEqual([[1_042], 1_042]);
  });

  it('counts an order that is sent twice on a day once, and on the next day once more', async () => {
    // given a payout that the gateway refuses, and that is sent again at once
    const world = worldWith(perDay);
    const attempts = () => world.entries.get('acme-eu/INV-1')?.attempts;
    world.gateway.moods('refuses the connection', 'refuses the connection');
    await sends(world);
    await world.again();
    expect([attempts(), await counted(world)]).toEqual([2, 1_042]);
    // when it is sent again on the next day
    world.clock.advance(24 * hours);
    await world.again();
    // then
    expect([attempts(), await counted(world), await counted(world, '2026-11-22')]).toEqual([3, 1_042, 1_042]);
  });

  it('counts a message that comes twice at most twice, and pays it once', async () => {
    const world = worldWith(perDay);
    const twice = [aRecord(aPayoutJob(), { messageId: 'm-1' }), aRecord(aPayoutJob(), { messageId: 'm-2' })];
    await world.deliver(twice);
    await world.again();
    expect(posts(world)).toBe(1);
    expect(await counted(world)).toBeLessThanOrEqual(2_084);
  });

  it('is filled by payouts that come together, to the last that fits', async () => {
    const world = worldWith({ EUR: { perDay: '25.00', ordersPerDay: '9' } });
    await world.deliver(Array.from({ length: 9 }, (_, n) => aRecord(aPayoutJob({ orderId: `INV-${n}` }))));
    expect([posts(world), await counted(world), waits(world)]).toEqual([2, 2_084, Array(7).fill('table: cap')]);
  });

  it('is waited for until the next day begins, and no longer', async () => {
    const world = worldWith({ EUR: { perDay: '10.00' } });
    world.clock.advance(14 * hours - 60_000);
    await sends(world);
    expect(world.waits()).toMatchObject([{ because: 'cap', inSeconds: 60 }]);
  });

  it.each(['before', 'after'])('misses no payment where its count is lost %s it was written', async (when) => {
    // given a count without an answer
    const world = worldWith(perDay);
    const { count } = world.controls;
    world.controls.count = async (...it) => {
      if (when === 'after') await count(...it);
      throw new Error('no answer');
    };
    await sends(world);
    // then nothing was sent
    expect([posts(world), waits(world)]).toEqual([0, ['table: controls-unknown']]);
    // when the table answers again, the payout is counted and paid
    world.controls.count = count;
    await world.again();
    expect([posts(world), await counted(world)]).toEqual([1, when === 'after' ? 2_084 : 1_042]);
  });

  it('counts on for an order whose claim was lost, and counts no other in its place', async () => {
    const world = worldWith(perDay);
    world.orders.stays('down', 'read', 'write');
    await sends(world);
    expect([posts(world), await counted(world)]).toEqual([0, 1_042]);
    world.orders.stays('up', 'read', 'write');
    await world.again();
    expect([posts(world), await counted(world)]).toEqual([1, 2_084]);
  });
});
