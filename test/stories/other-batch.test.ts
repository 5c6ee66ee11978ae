// D1: the same rows under two batches; calling the second one off is no word about the first.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, minutes, seconds, storyWorld, type StoryWorld } from './harness.ts';

const rows = [aPayoutJob({ orderId: 'INV-1' }), aPayoutJob({ orderId: 'INV-2' })];

async function callsOffTheSecond(world: StoryWorld): Promise<void> {
  await world.uploads('second', rows);
  await world.person.callsOffBatch('second');
  await world.pass(10 * minutes);
  await world.person.resumes();
  await world.pass(2 * days);
}

it('while the first waits, unseen, behind a pause: its rows are paid', async () => {
  const world = storyWorld();
  await world.person.pauses();
  await world.uploads('first', rows);
  await world.pass(1 * minutes);
  await callsOffTheSecond(world);
  expect(rows.map(({ orderId }) => world.gateway.payments(orderId).length)).toEqual([1, 1]);
  expect(rows.map(({ orderId }) => world.last(orderId))).toMatchObject([
    { status: 'accepted', batchId: 'first' },
    { status: 'accepted', batchId: 'first' },
  ]);
});

it('while rows of the first wait to be sent again: they are paid', async () => {
  const world = storyWorld();
  for (const { orderId } of rows) world.gateway.answers(orderId, 'cannot be reached', 'cannot be reached');
  await world.uploads('first', rows);
  await world.pass(2 * seconds);
  await world.person.pauses();
  await callsOffTheSecond(world);
  expect(rows.map(({ orderId }) => world.gateway.payments(orderId).length)).toEqual([1, 1]);
  expect(rows.map(({ orderId }) => world.last(orderId)?.status)).toEqual(['accepted', 'accepted']);
});

it('calling off a batch cancels what of it was not sent', async () => {
  const world = storyWorld();
  await world.person.pauses();
  const messages = await world.uploads('first', rows);
  await world.pass(1 * minutes);
  await world.person.callsOffBatch('first');
  await world.pass(1 * days);
  expect(messages.map((it) => world.told(it).at(-1)?.status)).toEqual(['cancelled', 'cancelled']);
  expect(world.batchResults('first').at(-1)).toMatchObject({ status: 'closed', final: true });
  expect(world.gateway.posts('INV-1')).toBe(0);
});
