// What the gateway finds out late about an end that was told: a new revision of the same order where money moved after all, and
// no second end where it had moved before.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const days = 2 * 86_400_000;
const call = { orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };

/** A payout that the gateway ends like this, and about which it calls back like that two days later. */
async function endedAs(end: 'approved' | 'declined', later: 'approved' | 'declined'): Promise<World> {
  const world = aWorld({ profile: { statusInquiry: true } });
  world.gateway.statusStays(end);
  await world.deliver(aRecord(aPayoutJob()));
  await world.pass(days);
  world.gateway.statusStays(later);
  for (let repeat = 0; repeat < 2; repeat += 1) {
    expect(await world.callBack({ ...call, status: later })).toBe(200);
    await world.pass(days);
  }
  return world;
}

/** What was told, each revision once. */
const told = ({ results }: World) => [...new Map(results.taken.map(({ revision, status }) => [revision, status]))];
const alarms = ({ log }: World) => log.filter(({ level, event }) => level === 'error' && event === 'callback-surprise');

it('a declined payout that was paid after all is told as approved, and a person hears of it', async () => {
  const world = await endedAs('declined', 'approved');
  expect(told(world)).toEqual([
    [1, 'accepted'],
    [2, 'declined'],
    [3, 'approved'],
  ]);
  expect(world.results.taken.at(-1)).not.toHaveProperty('failure');
  expect(alarms(world).length).toBeGreaterThan(0);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('an approved payout that is called declined later stays approved', async () => {
  const world = await endedAs('approved', 'declined');
  expect(told(world)).toEqual([
    [1, 'accepted'],
    [2, 'approved'],
  ]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});
