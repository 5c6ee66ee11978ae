// A person cancels an order before its job has come: the order knows no amount. When the job comes it is told as what it asked
// for, so that whoever adds up results, exports or a batch gets the sum that was sent.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

it('its job comes: cancelled, with its amount, its endpoint and its context, under one higher revision', async () => {
  // given
  const world = storyWorld();
  expect(await world.person.decides('INV-1', 'cancel')).toBe('beforehand');
  const before = world.last('INV-1');
  expect(before).toMatchObject({ status: 'cancelled', final: true });
  expect(before).not.toHaveProperty('amount');
  // when
  const message = world.send(aPayoutJob({ context: { row: 7 } }));
  await world.pass(1 * minutes);
  world.redeliver(message);
  await world.pass(1 * hours);
  // then
  expect(world.last('INV-1')).toMatchObject({
    status: 'cancelled',
    final: true,
    amount: '10.42',
    currency: 'EUR',
    endpointId: before?.endpointId ?? '39915',
    context: { row: 7 },
    attempts: 0,
    revision: (before?.revision ?? 0) + 1,
  });
  expect(world.retold()).toEqual([]);
  expect(world.gateway.posts('INV-1')).toBe(0);
});

it('the rows of its batch add up, and the result of its row says the batch', async () => {
  const world = storyWorld();
  expect(await world.person.decides('INV-1', 'cancel')).toBe('beforehand');
  await world.uploads('b-1', [aPayoutJob({ orderId: 'INV-1' }), aPayoutJob({ orderId: 'INV-2' })]);
  await world.pass(1 * minutes);
  world.gateway.ends('INV-2', 'approved');
  await world.callback('INV-2', 'approved');
  await world.pass(1 * days);
  expect(world.last('INV-1')).toMatchObject({ status: 'cancelled', amount: '10.42', batchId: 'b-1' });
  expect(world.batchResults('b-1').at(-1)).toMatchObject({
    status: 'closed',
    outcomes: [
      { status: 'approved', count: 1, amount: '10.42' },
      { status: 'cancelled', count: 1, amount: '10.42' },
    ],
  });
});

it('a pause keeps its job back: it is told all the same, and another content under its id is refused by name', async () => {
  const world = storyWorld();
  expect(await world.person.decides('INV-1', 'cancel')).toBe('beforehand');
  await world.person.pauses();
  world.send(aPayoutJob());
  await world.pass(1 * minutes);
  expect(world.last('INV-1')).toMatchObject({ status: 'cancelled', amount: '10.42' });
  await world.person.resumes();
  const other = world.send(aPayoutJob({ params: { amount: '99.99' } }));
  await world.pass(1 * minutes);
  expect(world.told(other).at(-1)).toMatchObject({ status: 'rejected', failure: { code: 'ORDER_ID_REUSED' } });
  expect(world.gateway.posts('INV-1')).toBe(0);
});
