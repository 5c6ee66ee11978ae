// Orders whose result has other words in this version of the worker than in the one that wrote them.
import { expect, it } from 'vitest';
import type { Order } from '../../../lib/payout/order/order.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { aWorld } from '../../support/world.ts';

const key = 'acme-eu/INV-1';

/** A world with an accepted payout whose result an older version wrote. */
async function aWorldOfOlder(changes: Partial<Order> = {}) {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob()));
  const order = world.items.get(key);
  if (!order) throw new Error('it was sent');
  world.items.set(key, { ...order, ...changes, published: { ...order.published, digest: 'of-older-words' } });
  world.results.taken.splice(0);
  return world;
}

it('a result that was not published before the change of versions is published after it', async () => {
  const world = await aWorldOfOlder({ unpublished: true });
  await world.pass(600_000);
  expect(world.results.taken).toMatchObject([{ resultId: `${key}/2`, status: 'accepted' }]);
  expect(world.items.get(key)).not.toHaveProperty('unpublished');
});

it('a message that comes again after the change gets its result, and the next one the same', async () => {
  const world = await aWorldOfOlder();
  for (const messageId of ['m-2', 'm-3']) await world.deliver(aRecord(aPayoutJob(), { messageId }));
  const told = { resultId: `${key}/2`, status: 'accepted' };
  expect(world.results.taken).toMatchObject([told, told]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});
