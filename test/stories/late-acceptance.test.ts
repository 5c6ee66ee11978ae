// B2: people decided without knowing of the acceptance that is on its way. The acceptance is the truth, and is told.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld, type StoryWorld } from './harness.ts';

/** The gateway took it, the ledger was away for longer than the lease, and the answer is on its way for hours. */
async function acceptedLate(): Promise<StoryWorld> {
  const world = storyWorld();
  world.answersComeLateBy(5 * hours);
  world.gateway.answers('INV-1', { as: 'taken', meanwhile: () => world.ledgerAwayFor(5 * minutes) });
  world.send(aPayoutJob());
  await world.pass(2 * hours);
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  return world;
}

it('released as not paid and cancelled, then the acceptance comes: accepted, under a higher revision', async () => {
  const world = await acceptedLate();
  const cancelled = await world.person.decides('INV-1', 'cancel');
  await world.pass(1 * days);
  expect(['done', 'refused']).toContain(cancelled);
  expect(world.last('INV-1')).toMatchObject({ status: 'accepted', gatewayOrderId: '9000001' });
  world.send(aPayoutJob());
  await world.pass(1 * days);
  expect(world.gateway.posts('INV-1')).toBe(1);
});

it('released as not paid, then the acceptance comes: accepted, and never sent again', async () => {
  const world = await acceptedLate();
  await world.pass(1 * days);
  expect(world.last('INV-1')).toMatchObject({ status: 'accepted', gatewayOrderId: '9000001' });
  world.send(aPayoutJob());
  await world.pass(1 * days);
  expect(world.gateway.posts('INV-1')).toBe(1);
});
