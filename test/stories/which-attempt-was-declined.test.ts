// A5: two attempts without an answer; the gateway, asked by the order id, names the first one: declined. The second is paid.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

it('the decline of one of two attempts is not told as the end of the order while the other is paid', async () => {
  // given a first attempt that the gateway denied over the quiet period although it had it, and a second one
  const world = storyWorld({ profile: { statusInquiry: true, resubmitUnknownOrders: true } });
  world.gateway.answers('INV-1', 'silent though taken', 'silent though taken');
  world.gateway.desk('INV-1', 'no such order');
  const message = world.send(aPayoutJob());
  await world.pass(3 * hours);
  expect(world.last('INV-1')?.status).toBe('failed');
  world.sendAgain(message);
  await world.pass(1 * minutes);
  expect(world.gateway.posts('INV-1')).toBe(2);
  // when the first is visible again, declined, and the second is approved
  world.gateway.ends('INV-1', 'declined', 1);
  world.gateway.ends('INV-1', 'approved', 2);
  world.gateway.desk('INV-1', 'truth', 'oldest');
  await world.pass(2 * days);
  // then
  expect(['held', 'in-doubt', 'accepted', 'approved']).toContain(world.last('INV-1')?.status);
});
