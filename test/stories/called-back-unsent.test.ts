// The gateway calls back about an order that nobody sent from here; a person decides, and it calls back once more.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { longIt } from '../support/long-proof.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

it('what was called back as paid is never released as not paid: its job is not sent, whoever decides', async () => {
  // given
  const world = storyWorld();
  expect(await world.callback('INV-1', 'approved', { id: '9001' })).toBe(200);
  const message = world.send(aPayoutJob());
  await world.pass(2 * hours);
  // when
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('refused');
  world.sendAgain(message);
  await world.pass(1 * days);
  // then
  expect(world.gateway.posts('INV-1')).toBe(0);
  expect(await world.person.decides('INV-1', 'paid')).toBe('done');
  await world.pass(1 * hours);
  expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([0, 'approved']);
});

it('what a person has decided waits for a person again, and its result does not go round', async () => {
  // given
  const world = storyWorld();
  const callsBack = () => world.callback('INV-1', 'processing', { id: '9001' });
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

longIt(
  'a thousand wait for a person at once: one more waits on its queue, and is kept once a person has decided',
  async () => {
    // given
    const world = storyWorld();
    for (let n = 1; n <= 1_000; n += 1) await world.callback(`UNSENT-${n}`, 'processing', { id: `9${n}` });
    // when
    expect(await world.callback('ONE-MORE', 'processing', { id: '8001' })).toBe(200);
    await world.pass(1 * minutes);
    expect(await world.person.decides('ONE-MORE', 'not-paid')).toBe('not-found');
    expect(await world.person.decides('UNSENT-1', 'not-paid')).toBe('done');
    await world.pass(2 * hours);
    // then
    expect(await world.person.decides('ONE-MORE', 'not-paid')).toBe('done');
    world.send(aPayoutJob({ orderId: 'UNSENT-2' }));
    await world.pass(1 * minutes);
    expect(world.gateway.posts('UNSENT-2')).toBe(0);
  },
);
