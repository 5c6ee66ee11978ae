// C2: the same line twice in one SendMessageBatch call. The twin has the same SentTimestamp, and comes after the release.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

it('the twin comes for the first time after a person said not paid: nothing is sent', async () => {
  const world = storyWorld();
  world.gateway.answers('INV-1', 'silent');
  const message = world.send(aPayoutJob());
  world.twinOf(message, { comesInMs: 3 * hours });
  await world.pass(2 * hours);
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  await world.pass(1 * days);
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(world.last('INV-1')?.status).toBe('failed');
});

it('the twin was told held, and comes once more after the release: nothing is sent', async () => {
  const world = storyWorld();
  world.gateway.answers('INV-1', 'silent');
  const message = world.send(aPayoutJob());
  const twin = world.twinOf(message, { comesInMs: 30 * minutes });
  await world.pass(2 * hours);
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  world.redeliver(twin);
  world.redeliver(message);
  await world.pass(1 * days);
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(world.last('INV-1')?.status).toBe('failed');
});
