// From the review: a worker dies between its claim and its POST. The order ends unpaid, and its job is still there to be sent.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, storyWorld } from './harness.ts';

it('where the gateway denies it over the quiet period: it fails, and a person puts its dead letter back', async () => {
  // given
  const world = storyWorld({ profile: { statusInquiry: true, resubmitUnknownOrders: true } });
  world.workerDies('before the POST');
  const message = world.send(aPayoutJob());
  await world.pass(1 * days);
  expect(world.last('INV-1')?.status).toBe('failed');
  // when
  expect(world.whereIs(message)).toBe('dead letter');
  expect(await world.person.redrives('INV-1')).toBe(1);
  await world.pass(1 * hours);
  // then
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(world.last('INV-1')?.status).toBe('accepted');
});

it('where nobody can be asked: a person says not paid, and puts its job back', async () => {
  const world = storyWorld();
  world.workerDies('before the POST');
  const message = world.send(aPayoutJob());
  await world.pass(1 * days);
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  await world.pass(1 * hours);
  expect(world.whereIs(message)).toBe('dead letter');
  expect(await world.person.redrives('INV-1')).toBe(1);
  await world.pass(1 * hours);
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(world.last('INV-1')?.status).toBe('accepted');
});
