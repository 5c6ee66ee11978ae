// The gateway has a bad day: once a merchant's money in doubt passes its limit, nothing new is sent for it. Inquiry goes
// on, and when the doubt is cleared the merchant goes on by itself.
import { expect, it } from 'vitest';
import { releaseOrder } from '../../lib/payout/operate/decide.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const minutes = 60_000;
const limited = { doubtLimits: { EUR: '20.00' } };
const payout = (n: number) => aRecord(aPayoutJob({ orderId: `INV-${n}` }));

/** The orders whose messages wait, but for those in doubt, whose messages stay too. */
const waiting = ({ waitingRows }: World) =>
  [...waitingRows.values()]
    .map(({ key }) => key.slice(key.indexOf('/') + 1))
    .filter((orderId) => orderId !== 'INV-1' && orderId !== 'INV-2');

async function deliverCopies(world: World): Promise<void> {
  await world.again();
}

it('new submissions wait, inquiry goes on, and they go on when the doubt is cleared', async () => {
  const world = aWorld({ profile: { ...limited, statusInquiry: true } });
  world.gateway.moods('stalls', 'stalls');
  world.gateway.statusStays('fails');
  await world.deliver(payout(1));
  await world.sweep();
  // 10.42 in doubt: below the limit.
  await world.deliver(payout(2));
  await world.sweep();
  // 20.84: above it.
  await world.deliver([payout(3), payout(4), aRecord(anEligibilityJob())]);
  expect(world.gateway.posts.map(({ orderId }) => orderId)).toEqual(['INV-1', 'INV-2', 'CHK-1']);
  expect(waiting(world)).toEqual(['INV-3', 'INV-4']);

  await world.pass(20 * minutes);
  await deliverCopies(world);
  expect(waiting(world)).toEqual(['INV-3', 'INV-4']);
  expect(world.gateway.inquiries.length).toBeGreaterThan(5);
  expect(world.gateway.posts).toHaveLength(3);

  world.gateway.statusStays('approved');
  await world.pass(30 * minutes);
  await deliverCopies(world);
  await world.pass(10 * minutes);
  expect(world.waits()).toEqual([]);
  expect([...world.entries.values()].map(({ orderId, state }) => `${orderId} ${state}`).toSorted()).toEqual([
    'CHK-1 accepted',
    'INV-1 approved',
    'INV-2 approved',
    'INV-3 approved',
    'INV-4 approved',
  ]);
  expect(world.gateway.posts).toHaveLength(5);
});

it('other merchants go on', async () => {
  const merchants = {
    'acme-eu': someCredentials({ profile: limited }),
    'acme-us': someCredentials({ profile: limited }),
  };
  const world = aWorld({ merchants });
  world.gateway.moods('stalls', 'stalls');
  await world.deliver([payout(1), payout(2)]);
  await world.sweep();
  await world.deliver([payout(3), aRecord(aPayoutJob({ merchant: 'acme-us' }))]);
  expect(world.results.taken.at(-1)).toMatchObject({ merchant: 'acme-us', status: 'accepted' });
  expect(waiting(world)).toEqual(['INV-3']);
});

it('where nobody can be asked a person clears the doubt, and the next sweep lets the merchant go on', async () => {
  const world = aWorld({ profile: limited });
  world.gateway.moods('stalls', 'stalls');
  await world.deliver([payout(1), payout(2)]);
  await world.sweep();
  await world.deliver(payout(3));
  expect(waiting(world)).toEqual(['INV-3']);
  await releaseOrder('acme-eu/INV-1', { as: 'paid', by: 'ops', reason: 'on the statement' }, world.ports);
  await world.sweep();
  await deliverCopies(world);
  expect(world.results.taken.at(-1)).toMatchObject({ orderId: 'INV-3', status: 'accepted' });
});

it('should the sweeper stand still, what it said is no longer believed after three minutes, and ten for clocks that differ', async () => {
  const world = aWorld({ profile: limited });
  world.gateway.moods('stalls', 'stalls');
  await world.deliver([payout(1), payout(2)]);
  await world.sweep();
  world.clock.advance((3 + 10) * minutes - 1);
  await world.deliver(payout(3));
  expect(world.gateway.postsOf('INV-3')).toBe(0);
  world.clock.advance(1);
  await deliverCopies(world);
  expect(world.gateway.postsOf('INV-3')).toBe(1);
});
