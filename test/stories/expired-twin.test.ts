// D2: an expired message of an order for which another message waits ends itself, not the order.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, minutes, seconds, storyWorld } from './harness.ts';

/** How many payments there are, and what was told last. */
async function expiredBeside(how: 'unseen' | 'tried') {
  // given
  const world = storyWorld();
  if (how === 'tried') world.gateway.answers('INV-1', 'cannot be reached', 'cannot be reached');
  else await world.person.pauses();
  const waiting = world.send(aPayoutJob());
  await world.pass(2 * seconds);
  await world.person.pauses();
  expect(world.whereIs(waiting)).toBe('queue');
  // when
  const expiresAt = new Date(world.nowMs() - 1 * minutes).toISOString();
  world.send(aPayoutJob({ expiresAt }));
  await world.pass(5 * minutes);
  await world.person.resumes();
  await world.pass(1 * days);
  return [world.gateway.payments('INV-1').length, world.last('INV-1')?.status];
}

it('the order of a message that waits unseen behind a pause is paid', async () => {
  expect(await expiredBeside('unseen')).toEqual([1, 'accepted']);
});

it('the order of a message that was tried, and waits to be sent again, is paid', async () => {
  expect(await expiredBeside('tried')).toEqual([1, 'accepted']);
});
