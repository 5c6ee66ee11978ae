// The gateway calls back about an order that nobody sent from here; a person decides, and it calls back once more.
import { expect, it } from 'vitest';
import { days, hours, storyWorld } from './harness.ts';

it('what a person has decided waits for a person again, and its result does not go round', async () => {
  // given
  const world = storyWorld();
  const callsBack = () => world.callback('INV-1', 'approved', { id: '9001' });
  expect(await callsBack()).toBe(200);
  await world.pass(2 * hours);
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  const told = world.results('INV-1').length;
  // when
  expect(await callsBack()).toBe(200);
  await world.pass(1 * days);
  // then
  expect(world.results('INV-1')).toHaveLength(told);
  expect(await world.person.decides('INV-1', 'paid')).toBe('done');
  expect(world.last('INV-1')?.status).toBe('approved');
});
