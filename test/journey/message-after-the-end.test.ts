// A message that returns after its order has ended: the result is told again, word for word, and nothing is sent.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('an accepted order is told again with the same result id, not sent again', async () => {
  const world = aWorld();
  const record = aRecord(aPayoutJob());
  await world.deliver(record);

  world.clock.advance(3 * 86_400_000);
  const returned = await world.deliver(redelivered(record));

  expect(returned).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken).toHaveLength(2);
  expect(world.results.taken[1]).toEqual(world.results.taken[0]);
});

it('so is a declined one', async () => {
  const world = aWorld();
  world.gateway.moods('refuses the order');
  await world.deliver(aRecord(aPayoutJob()));
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken.map(({ status }) => status)).toEqual(['declined', 'declined']);
});

it('the amount may be written another way: 10.4 is 10.40', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ params: { amount: '10.4' } })));
  await world.deliver(aRecord(aPayoutJob({ params: { amount: '10.40' } })));
  expect(world.gateway.posts).toHaveLength(1);
  expect(world.results.taken[1]).toEqual(world.results.taken[0]);
});
