// A merchant's caps hold what is above them before anything is sent; money in doubt above its limit keeps new orders waiting.
import { describe, expect, it } from 'vitest';
import { someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob } from '../support/jobs.ts';
import { hours, minutes, seconds, storyWorld, type StoryWorld } from './harness.ts';

const payout = (n: number, amount = '10.42') => aPayoutJob({ orderId: `INV-${n}`, params: { amount } });
const statuses = (world: StoryWorld, ...orders: readonly number[]) => orders.map((n) => world.last(`INV-${n}`)?.status);

it.each<[caps: Readonly<Record<string, string>>, amounts: string[], statuses: string[], says: string]>([
  [
    { single: '1000.00' },
    ['1000.01', '1000.00'],
    ['held', 'accepted'],
    'more than 1000.00 EUR, the cap for one order; never sent',
  ],
  // The second is refused: its 40 are free again, and it is no order of the day.
  [
    { perDay: '100.00' },
    ['60.00', '40.00', '40.01', '40.00', '0.01'],
    ['accepted', 'declined', 'held', 'accepted', 'held'],
    'above the cap of 2026-11-21, 100.00 EUR; never sent',
  ],
  [
    { perDay: '100.00', ordersPerDay: '2' },
    ['60.00', '40.00', '60.00', '1.00', '1.00'],
    ['accepted', 'declined', 'held', 'accepted', 'held'],
    'above the cap of 2026-11-21, 2 orders in EUR; never sent',
  ],
])('%j: each order is sent, or held and never sent, whatever comes again', async (caps, amounts, ends, says) => {
  const world = storyWorld({ profile: { caps: { EUR: caps } } });
  if (amounts.length > 2) world.gateway.answers('INV-1', 'refuses the order');
  for (const [n, amount] of amounts.entries()) {
    world.send(payout(n, amount));
    world.send(payout(n, amount));
    await world.pass(1 * seconds);
  }
  await world.pass(1 * hours);
  expect(statuses(world, ...amounts.keys())).toEqual(ends);
  expect([...amounts.keys()].map((n) => world.gateway.posts(`INV-${n}`))).toEqual(
    ends.map((it) => (it === 'held' ? 0 : 1)),
  );
  const held = world.last(`INV-${ends.lastIndexOf('held')}`);
  expect(held).toMatchObject({ final: false, failure: { code: 'CAP_EXCEEDED', message: says } });
});

it('however many come at once, the cap of the day is never passed', async () => {
  const world = storyWorld({ profile: { caps: { EUR: { perDay: '100.00' } } } });
  for (let n = 0; n < 30; n += 1) world.send(payout(n, '9.00'));
  await world.pass(10 * minutes);
  const ends = statuses(world, ...Array.from({ length: 30 }, (_, n) => n));
  expect([ends.filter((it) => it === 'accepted').length, ends.filter((it) => it === 'held').length]).toEqual([11, 19]);
});

it('a held order is sent by a message that names its end, once it is released and the cap is raised', async () => {
  const world = storyWorld({ profile: { caps: { EUR: { single: '1.00' } } } });
  const message = world.send(aPayoutJob());
  await world.pass(1 * minutes);
  expect([await world.person.decides('INV-1', 'paid'), await world.person.decides('INV-1', 'not-paid')]).toEqual([
    'refused',
    'done',
  ]);
  world.sendAgain(message);
  await world.pass(1 * minutes);
  expect([world.last('INV-1')?.status, await world.person.decides('INV-1', 'not-paid')]).toEqual(['held', 'done']);
  await world.secretIs(someCredentials({ version: 'v2' }));
  world.redeliver(message);
  world.send(aPayoutJob());
  await world.pass(1 * minutes);
  expect(world.gateway.posts('INV-1')).toBe(0);
  world.sendAgain(message);
  await world.pass(1 * minutes);
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

  it('is cleared by a person where nobody can be asked', async () => {
    const world = await withDoubt({});
    expect(await world.person.decides('INV-1', 'paid')).toBe('done');
    await world.pass(20 * minutes);
    expect(statuses(world, 1, 2, 3, 4)).toEqual(['approved', 'held', 'accepted', 'accepted']);
  });

  it('is none of what a cap holds', async () => {
    const world = storyWorld({ profile: { ...limited, caps: { EUR: { single: '20.00' } } } });
    world.send(payout(1, '5000.00'));
    await world.pass(5 * minutes);
    world.send(payout(2));
    await world.pass(1 * minutes);
    expect(statuses(world, 1, 2)).toEqual(['held', 'accepted']);
  });
});
