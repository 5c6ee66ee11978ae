// From the review: a person decides about what is on the screen, and an attempt is made before the decision is written.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

it('the decision does not cover the attempt that it did not see', async () => {
  // given
  const world = storyWorld();
  world.gateway.answers('INV-1', 'silent', 'silent though taken');
  const message = world.send(aPayoutJob());
  await world.pass(2 * hours);
  // when two persons decide, and the first one's word has sent it again before the second one's is written
  await world.person.decides('INV-1', 'not-paid', {
    meanwhile: async () => {
      expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
      await world.pass(1 * minutes);
      world.sendAgain(message);
      await world.pass(2 * hours);
    },
  });
  await world.pass(1 * hours);
  // then
  expect(world.gateway.posts('INV-1')).toBe(2);
  expect(['held', 'in-doubt']).toContain(world.last('INV-1')?.status);
  world.sendAgain(message);
  await world.pass(1 * days);
  expect(world.gateway.payments('INV-1')).toHaveLength(1);
});
