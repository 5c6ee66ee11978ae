// The gateway has an order of this name that nobody sent from here, and calls back about it again after ours was sent.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

it('what the gateway said of an id before anything was sent says nothing of what was sent later', async () => {
  // given: another system's order was declined; a person lets this one be sent, by its end's name
  const world = storyWorld();
  expect(await world.callback('INV-1', 'declined', { id: '7001', amount: '10.42' })).toBe(200);
  const message = world.send(aPayoutJob());
  await world.pass(2 * hours);
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  await world.pass(30 * minutes);
  world.gateway.answers('INV-1', 'silent though taken');
  world.sendAgain(message);
  await world.pass(1 * hours);
  expect(world.gateway.posts('INV-1')).toBe(1);
  // when
  expect(await world.callback('INV-1', 'declined', { id: '7001', amount: '10.42' })).toBe(200);
  await world.pass(1 * hours);
  world.sendAgain(message);
  await world.pass(1 * days);
  // then
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(['in-doubt', 'held']).toContain(world.last('INV-1')?.status);
});
