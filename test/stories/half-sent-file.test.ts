// E2: the uploader of a file dies in the middle of it, and nobody comes back.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, storyWorld } from './harness.ts';

it.fails('a batch that is left while uploading is noticed within a day, by name', async () => {
  const world = storyWorld();
  const rows = ['INV-1', 'INV-2', 'INV-3'].map((orderId) => aPayoutJob({ orderId }));
  await world.uploads('half', rows, { stopsAfter: 1 });
  await world.pass(1 * days);
  expect(world.last('INV-1')?.status).toBe('accepted');
  expect(world.alarms('half')).not.toEqual([]);
});
