// What was on its way while a table was restored: a result that nobody could tell, a callback of an order that the table has lost, an
// answer that comes before a person ends the gap.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, seconds, storyWorld } from './harness.ts';

it('a result that could not be told before the restore is told after it, and no other under its id', async () => {
  // given
  const world = storyWorld({ profile: { statusInquiry: true } });
  world.resultsAwayFor(20 * minutes);
  world.send(aPayoutJob());
  await world.pass(1 * minutes);
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(world.last('INV-1')).toBeUndefined();
  // when
  await world.restoreTableTo(world.tableNow());
  await world.pass(1 * hours);
  world.gateway.ends('INV-1', 'approved');
  await world.pass(3 * hours);
  // then
  expect(world.last('INV-1')?.status).toBe('approved');
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(world.retold()).toEqual([]);
});

it('a callback of an order that the table has lost waits, and ends what was put back from its result, by its id', async () => {
  // given
  const world = storyWorld();
  const before = world.tableNow();
  world.send(aPayoutJob());
  await world.pass(1 * minutes);
  expect(world.last('INV-1')?.status).toBe('accepted');
  // when
  await world.restoreTableTo(before);
  expect(await world.callback('INV-1', 'approved')).toBe(200);
  await world.pass(1 * minutes);
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('not-found');
  await world.restoreTableTo(world.tableNow(), { resultsPutBack: true });
  await world.person.endsGap();
  await world.pass(3 * hours);
  // then
  expect(world.last('INV-1')?.status).toBe('approved');
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(world.retold()).toEqual([]);
});

it('an answer that was on its way comes before a person ends the gap: its job sends nothing more, and the end is told', async () => {
  // given
  const world = storyWorld({ profile: { statusInquiry: true } });
  const before = world.tableNow();
  world.gateway.answers('INV-1', { as: 'taken', meanwhile: () => world.ledgerAwayFor(1 * minutes) });
  const message = world.send(aPayoutJob());
  await world.pass(30 * seconds);
  // when
  await world.restoreTableTo(before);
  world.answersComeAgain('INV-1');
  await world.pass(10 * minutes);
  await world.person.endsGap();
  world.redeliver(message);
  await world.pass(3 * hours);
  world.gateway.ends('INV-1', 'approved');
  await world.pass(1 * days);
  // then
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(world.last('INV-1')?.status).toBe('approved');
  expect(world.retold()).toEqual([]);
});
