// Sending under caps: what is above is not sent, and the day's total is never lower than what was sent.
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../../lib/gateway/profile.ts';
import type { Spending } from '../../../lib/payout/operate/control.ts';
import type { OrderState } from '../../../lib/payout/order/view.ts';
import type { GatewayMood } from '../../support/fake-gateway.ts';
import { aPayoutJob, type JobBody } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { aWorld, type World } from '../../support/world.ts';

const perDay = { EUR: { perDay: '25.00' } };
const cap = { kind: 'perDay', merchant: 'acme-eu', currency: 'EUR', day: '2026-11-21', limit: 2_500n } as const;

const worldWith = (caps: Profile['caps']) => aWorld({ profile: { caps }, lanes: 'open' });

/** Sends a job, and tells how its order stands then. */
async function send(world: World, spending: Spending = world.controls, job: JobBody = aPayoutJob()) {
  await world.deliver(aRecord(job), undefined, { spending });
  return [...world.entries.values()].at(-1);
}

const another = (world: World, orderId: string) => send(world, world.controls, aPayoutJob({ orderId }));

/** What of the day is left: the largest amount that can still be counted. */
async function leftOf({ controls }: World): Promise<number> {
  for (let amount = 2_500; amount > 0; amount -= 1) {
    if ((await controls.count(cap, BigInt(amount))) === 'counted') return amount;
  }
  return 0;
}

describe('the cap for one order', () => {
  it('holds what is above it, and nothing is sent or counted', async () => {
    const world = worldWith({ EUR: { single: '10.41', perDay: '25.00' } });
    expect(await send(world)).toMatchObject({ state: 'held', failure: { code: 'CAP_EXCEEDED' }, attempts: 1 });
    expect(world.gateway.posts).toEqual([]);
    expect(await leftOf(world)).toBe(2_500);
  });
});

describe("the day's cap", () => {
  it.each<[mood: GatewayMood, state: OrderState, left: number]>([
    ['accepts', 'accepted', 1_458],
    ['stalls', 'held', 1_458],
    ['fails', 'held', 1_458],
    ['says the order exists', 'held', 1_458],
    ['refuses the order', 'declined', 2_500],
    ['refuses the connection', 'retryable', 2_500],
    ['asks to slow down', 'retryable', 2_500],
  ])('when the gateway %s (%s): %i cents of 2500 are left', async (mood, state, left) => {
    const world = worldWith(perDay);
    world.gateway.moods(mood);
    expect(await send(world)).toMatchObject({ state });
    expect(await leftOf(world)).toBe(left);
  });

  it('gets back what was refused on the day that it was counted on, though it is the next one by then', async () => {
    const world = worldWith(perDay);
    const given: unknown[] = [];
    const spending: Spending = {
      count: world.controls.count,
      giveBack: async ({ day }, minorUnits) => void given.push([day, minorUnits]),
    };
    world.clock.advance(14 * 3_600_000 - 1_000);
    world.gateway.moods('refuses the order');
    world.gateway.meanwhile(() => world.clock.advance(2_000));
    expect(await send(world, spending)).toMatchObject({ state: 'declined' });
    expect(given).toEqual([['2026-11-21', 1_042n]]);
  });

  it('counts on for an order that the gateway had taken although it asked to slow down', async () => {
    const world = aWorld({ profile: { caps: perDay, statusInquiry: true }, lanes: 'open' });
    world.gateway.moods('asks to slow down');
    world.gateway.statusStays('approved');
    await another(world, 'INV-1');
    // when the gateway is asked about it
    world.clock.advance(60_000);
    await world.look('acme-eu/INV-1');
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'approved' });
    // then 10.42 of the day's 25.00 have moved, and 14.58 are left
    expect(await leftOf(world)).toBe(1_458);
  });

  it('gets back what the gateway asked to slow down for once it says that it knows no such order', async () => {
    const world = aWorld({ profile: { caps: perDay, statusInquiry: true }, lanes: 'open' });
    world.gateway.moods('asks to slow down');
    world.gateway.statusStays('never heard of it');
    await another(world, 'INV-1');
    await another(world, 'INV-2');
    expect(await another(world, 'INV-3')).toMatchObject({ state: 'held', failure: { code: 'CAP_EXCEEDED' } });
    world.clock.advance(60_000);
    await world.look('acme-eu/INV-1');
    await world.look('acme-eu/INV-1');
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'retryable' });
    expect(await leftOf(world)).toBe(1_458);
  });

  it('counts before it sends', async () => {
    const world = worldWith(perDay);
    const left: number[] = [];
    world.gateway.meanwhile(async () => void left.push(await leftOf(world)));
    await send(world);
    expect(left).toEqual([1_458]);
  });

  it('holds what would take the day above it, until the next day', async () => {
    const world = worldWith(perDay);
    const orders = [await another(world, 'INV-1'), await another(world, 'INV-2'), await another(world, 'INV-3')];
    expect(orders.map((it) => it?.state)).toEqual(['accepted', 'accepted', 'held']);
    world.clock.advance(14 * 3_600_000);
    expect(await another(world, 'INV-4')).toMatchObject({ state: 'accepted' });
  });

  it('sends nothing while the total can’t be counted', async () => {
    const world = worldWith(perDay);
    const down: Spending = { count: () => Promise.reject(new Error('down')), giveBack: async () => {} };
    expect(await send(world, down)).toMatchObject({ state: 'retryable', failure: { code: 'NOT_SENT' } });
    expect(world.gateway.posts).toEqual([]);
  });

  it('stays too high, never too low, when an amount can’t be given back', async () => {
    const world = worldWith(perDay);
    world.gateway.moods('refuses the order');
    const spending = { ...world.controls, giveBack: () => Promise.reject(new Error('down')) };
    expect(await send(world, spending)).toMatchObject({ state: 'declined' });
    expect(await leftOf(world)).toBe(1_458);
  });
});
