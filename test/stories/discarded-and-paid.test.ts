// C3: a dead letter was thrown away, and "no money moved" was told; a copy of its message pays the order.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';
import { longIt } from '../support/long-proof.ts';

longIt('a copy that waits behind the pause sends nothing after the discard', async () => {
  // given
  const world = storyWorld();
  await world.person.pauses();
  world.send(aPayoutJob());
  await world.pass(13 * days);
  // Another text of it: the very same one would be one row with the first.
  const copy = world.send(JSON.stringify(aPayoutJob(), undefined, 1));
  await world.pass(2 * days);
  // when, as the order ended when the first had waited for its longest; nobody looks at the other while the pause lasts
  expect(await world.person.discards('INV-1')).toBe(1);
  await world.person.resumes();
  await world.pass(2 * days);
  // then
  expect(world.gateway.posts('INV-1')).toBe(0);
  expect(world.last('INV-1')).toMatchObject({ status: 'failed', failure: { code: 'WAITED_TOO_LONG' } });
  expect(world.whereIs(copy)).not.toBe('queue');
});

longIt('the message that had claimed the order, delivered once more, sends nothing after the discard', async () => {
  // given an order that was tried, never sent, and given up
  const world = storyWorld();
  world.gateway.answers('INV-1', 'cannot be reached', 'cannot be reached');
  const message = world.send(aPayoutJob());
  await world.pass(2_000);
  await world.person.pauses();
  await world.pass(15 * days);
  expect(world.whereIs(message)).toBe('dead letter');
  // when
  expect(await world.person.discards('INV-1')).toBe(1);
  await world.person.resumes();
  world.redeliver(message);
  await world.pass(30 * minutes);
  // then
  expect(world.gateway.posts('INV-1')).toBe(0);
  expect(world.last('INV-1')?.status).toBe('failed');
});

it('the dead letter of one copy is thrown away while another, which had claimed the order, waits: nothing is sent', async () => {
  // given
  const world = storyWorld();
  const first = world.send(aPayoutJob(), { comesInMs: 1 * days });
  await world.pass(12 * hours);
  world.gateway.answers('INV-1', 'cannot be reached', 'cannot be reached');
  world.send(aPayoutJob());
  await world.pass(2_000);
  await world.person.pauses();
  await world.pass(13 * days + 18 * hours);
  expect(world.whereIs(first)).toBe('dead letter');
  // when
  expect(await world.person.discards('INV-1')).toBeGreaterThan(0);
  await world.person.resumes();
  await world.pass(1 * days);
  // then
  expect(world.gateway.posts('INV-1')).toBe(0);
  expect(world.last('INV-1')?.status).toBe('failed');
});
