// Sending under caps: what is above is not sent, and the day's total is never lower than what was sent.
import { anySlot } from '../support/memory-lanes.ts';
import { describe, expect, it } from 'vitest';
import type { Spending } from '../../lib/payout/control.ts';
import { sendOrder } from '../../lib/payout/send-order.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { anEntry } from '../support/ledger-entries.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import { anEligibilityJob, aPayoutJob, jobOf } from '../support/jobs.ts';
import type { GatewayMood } from '../support/fake-gateway.ts';
import { aWorld, type World } from '../support/world.ts';

const job = jobOf(aPayoutJob());
const perDay = { EUR: { perDay: '25.00' } };
const cap = { merchant: 'acme-eu', currency: 'EUR', day: '2026-11-21', limitMinorUnits: 2_500n };

const worldWith = (caps: Profile['caps']): CappedWorld => ({ ...aWorld({ profile: { caps } }), caps });
/** A world, and the caps of its merchant. */
interface CappedWorld extends World {
  readonly caps: Profile['caps'];
}

const send = (world: CappedWorld, spending: Spending = world.controls, it = job) =>
  sendOrder(
    it,
    { entry: anEntry({ attempts: 1 }), credentials: someCredentials({ profile: { caps: world.caps } }), slot: anySlot },
    world.clock.nowMs() + 30_000,
    { ...world.ports, spending },
  );

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
    const attempt = await send(world);
    expect(attempt).toMatchObject({ outcome: { kind: 'capped', failure: { code: 'CAP_EXCEEDED' } }, attempts: 1 });
    expect(world.gateway.posts).toEqual([]);
    expect(await leftOf(world)).toBe(2_500);
  });

  it('lets through what is just at it', async () => {
    const world = worldWith({ EUR: { single: '10.42' } });
    expect((await send(world)).outcome.kind).toBe('accepted');
  });
});

describe("the day's cap", () => {
  it.each<[mood: GatewayMood, outcome: string, left: number]>([
    ['accepts', 'accepted', 1_458],
    ['stalls', 'in-doubt', 1_458],
    ['fails', 'in-doubt', 1_458],
    ['says the order exists', 'in-doubt', 1_458],
    ['refuses the order', 'declined', 2_500],
    ['refuses the connection', 'not-processed', 2_500],
    ['asks to slow down', 'not-processed', 2_500],
  ])('when the gateway %s (%s): %i cents of 2500 are left', async (mood, kind, left) => {
    const world = worldWith(perDay);
    world.gateway.moods(mood);
    expect((await send(world)).outcome.kind).toBe(kind);
    expect(await leftOf(world)).toBe(left);
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
    const outcomes = [await send(world), await send(world), await send(world)].map(({ outcome }) => outcome.kind);
    expect(outcomes).toEqual(['accepted', 'accepted', 'capped']);
    world.clock.advance(14 * 3_600_000);
    expect(await send(world)).toMatchObject({ outcome: { kind: 'accepted' } });
  });

  it('sends nothing while the total can’t be counted', async () => {
    const world = worldWith(perDay);
    const down: Spending = { count: () => Promise.reject(new Error('down')), giveBack: async () => {} };
    expect(await send(world, down)).toMatchObject({ outcome: { kind: 'retryable', failure: { code: 'NOT_SENT' } } });
    expect(world.gateway.posts).toEqual([]);
  });

  it('stays too high, never too low, when an amount can’t be given back', async () => {
    const world = worldWith(perDay);
    world.gateway.moods('refuses the order');
    const spending = { ...world.controls, giveBack: () => Promise.reject(new Error('down')) };
    expect((await send(world, spending)).outcome.kind).toBe('declined');
    expect(await leftOf(world)).toBe(1_458);
  });
});

describe('nothing is counted', () => {
  const untouched: Spending = {
    count: () => Promise.reject(new Error('counted')),
    giveBack: () => Promise.reject(new Error('given back')),
  };

  it('for a merchant without a cap of the day', async () => {
    expect((await send(worldWith({}), untouched)).outcome.kind).toBe('accepted');
    // Where other currencies are named, nothing of this one leaves, and so nothing is counted.
    expect((await send(worldWith({ USD: { perDay: '1.00' } }), untouched)).outcome.kind).toBe('capped');
  });

  it('for what moves no money', async () => {
    expect((await send(worldWith(perDay), untouched, jobOf(anEligibilityJob()))).outcome.kind).toBe('accepted');
  });
});
