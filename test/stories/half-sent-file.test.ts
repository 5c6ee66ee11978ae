// E2: the uploader of a file dies in the middle of it, and nobody comes back.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, minutes, storyWorld, type StoryWorld } from './harness.ts';

const rows = ['INV-1', 'INV-2', 'INV-3'].map((orderId) => aPayoutJob({ orderId }));

async function leftHalf(): Promise<StoryWorld> {
  const world = storyWorld();
  await world.uploads('half', rows, { stopsAfter: 1 });
  return world;
}

const statuses = (world: StoryWorld) => rows.map(({ orderId }) => world.last(orderId)?.status);

it('a batch that is left while uploading is noticed after an hour, by name', async () => {
  const world = await leftHalf();
  await world.pass(59 * minutes);
  expect(world.last('INV-1')?.status).toBe('accepted');
  expect(world.alarms('half')).toEqual([]);
  await world.pass(3 * minutes);
  expect(world.alarms('half')).toEqual(['batch-left-uploading']);
});

it('is gone on with: each row is paid once, its result is told, and nobody is alarmed any more', async () => {
  const world = await leftHalf();
  await world.pass(62 * minutes);
  await world.uploads('half', rows);
  await world.pass(1 * days);
  expect(rows.map(({ orderId }) => world.gateway.posts(orderId))).toEqual([1, 1, 1]);
  expect(statuses(world)).toEqual(['accepted', 'accepted', 'accepted']);
  expect(world.batchResults('half').at(-1)).toMatchObject({ status: 'closed', rows: 3 });
  expect(world.alarms('half')).toHaveLength(1);
});

it('is called off: what was sent keeps its end, nothing else is paid, and nobody is alarmed any more', async () => {
  const world = await leftHalf();
  await world.pass(62 * minutes);
  await world.person.callsOffBatch('half');
  await world.pass(1 * days);
  expect(statuses(world)).toEqual(['accepted', undefined, undefined]);
  expect(world.alarms('half')).toHaveLength(1);
});

it('is called off, and sent to its end: the rows that had not left are told cancelled, and so is the whole', async () => {
  const world = await leftHalf();
  await world.pass(62 * minutes);
  await world.person.callsOffBatch('half');
  await world.pass(2 * minutes);
  const messages = await world.uploads('half', rows);
  await world.pass(1 * days);
  expect(world.last('INV-1')?.status).toBe('accepted');
  expect(messages.map((it) => world.told(it).at(-1)?.status)).toEqual([undefined, 'cancelled', 'cancelled']);
  expect(rows.map(({ orderId }) => world.gateway.posts(orderId))).toEqual([1, 0, 0]);
  expect(world.batchResults('half').at(-1)).toMatchObject({ status: 'closed', rows: 3 });
});
