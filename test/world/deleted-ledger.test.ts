// Somebody deletes the table of orders, and it is made anew: it knows of no order that was paid.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('an order that was paid before is not paid again by the table that knows nothing', async () => {
  const world = aWorld();
  const message = aRecord(aPayoutJob());
  await world.deliver(message);
  world.items.clear();
  world.tables.remake();
  world.clock.advance(10_000);
  await world.deliver(redelivered(message));
  await world.begin();
  expect(world.gateway.posts).toHaveLength(1);
  expect(world.items.size).toBe(0);
});
