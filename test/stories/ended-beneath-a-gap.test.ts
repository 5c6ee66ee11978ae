// A table was restored to a moment at which its order stood open; in the gap the order ended, was sent again by its name, and was
// paid. What still comes in of the time before, or is decided by it, ends the order no more.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { hours, minutes, seconds, storyWorld, type StoryWorld, type TableAt } from './harness.ts';

const unpaid = new Set<unknown>(['declined', 'failed', 'cancelled']);
/** Since so many results: none tells that no money moved. */
const isToldUnpaid = (world: StoryWorld, since: number) =>
  world
    .results('INV-1')
    .slice(since)
    .some(({ status }) => unpaid.has(status));
const told = (world: StoryWorld) => world.results('INV-1').length;

it('a late answer of its own queue that refused the attempt of before', async () => {
  // given
  const world = storyWorld({ profile: { statusInquiry: true } });
  let before: TableAt | undefined;
  const refusedLate = () => {
    before = world.tableNow();
    world.ledgerAwayFor(1 * minutes);
  };
  world.gateway.answers('INV-1', { as: 'refuses the order', meanwhile: refusedLate }, 'silent though taken');
  const message = world.send(aPayoutJob());
  await world.pass(1 * hours);
  expect(world.last('INV-1')?.status).toBe('declined');
  world.gateway.desk('INV-1', 'no such order');
  world.sendAgain(message);
  await world.pass(1 * minutes);
  expect(world.gateway.payments('INV-1')).toHaveLength(1);
  // when
  const toldBefore = told(world);
  await world.restoreTableTo(before as TableAt);
  world.answersComeAgain('INV-1');
  await world.pass(20 * minutes);
  world.gateway.desk('INV-1', 'truth');
  world.gateway.ends('INV-1', 'approved');
  await world.pass(3 * hours);
  // then
  expect(isToldUnpaid(world, toldBefore)).toBe(false);
  expect(world.last('INV-1')?.status).toBe('approved');
  expect(world.retold()).toEqual([]);
});

it('a late acceptance of an order that the table has lost, and then the decline of that attempt', async () => {
  // given an attempt that is in nobody's book, one that is paid, and the acceptance of a third
  const world = storyWorld({ profile: { statusInquiry: true, resubmitUnknownOrders: true } });
  const before = world.tableNow();
  const takenLate = { as: 'taken', meanwhile: () => world.ledgerAwayFor(1 * minutes) } as const;
  world.gateway.answers('INV-1', 'silent though taken', takenLate);
  world.gateway.desk('INV-1', 'no such order');
  const message = world.send(aPayoutJob());
  await world.pass(3 * hours);
  expect(world.last('INV-1')?.status).toBe('failed');
  world.sendAgain(message);
  await world.pass(1 * hours);
  expect(world.last('INV-1')?.status).toBe('accepted');
  // when
  const toldBefore = told(world);
  await world.restoreTableTo(before);
  world.answersComeAgain('INV-1');
  await world.pass(2 * minutes);
  await world.callback('INV-1', 'declined', { n: 2 });
  await world.pass(10 * minutes);
  expect(world.last('INV-1')?.status).toBe('in-doubt');
  world.gateway.desk('INV-1', 'truth', 'oldest');
  world.gateway.ends('INV-1', 'approved', 1);
  await world.pass(3 * hours);
  // then
  expect(isToldUnpaid(world, toldBefore)).toBe(false);
  expect(world.last('INV-1')?.status).toBe('approved');
  expect(world.retold()).toEqual([]);
});

it.each([{}, { statusInquiry: true }])(
  'a person who has not seen what was sent in the gap: only who decides once more has (%j)',
  async (profile) => {
    // given
    const world = storyWorld({ profile });
    world.gateway.answers('INV-1', 'silent', 'silent though taken');
    world.gateway.desk('INV-1', 'no such order');
    const message = world.send(aPayoutJob());
    await world.pass(3 * hours);
    const before = world.tableNow();
    expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
    world.sendAgain(message);
    await world.pass(1 * minutes);
    expect(world.gateway.payments('INV-1')).toHaveLength(1);
    // when
    const toldBefore = told(world);
    await world.restoreTableTo(before);
    expect(await world.person.decides('INV-1', 'not-paid')).toBe('refused');
    await world.pass(1 * minutes);
    expect(await world.person.decides('INV-1', 'not-paid')).toBe('refused');
    await world.pass(3 * hours);
    // then
    expect(isToldUnpaid(world, toldBefore)).toBe(false);
    expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
    expect(world.last('INV-1')?.status).toBe('failed');
    expect(world.gateway.posts('INV-1')).toBe(2);
  },
);

it('what was lost is for a person at once where nobody can be asked about it', async () => {
  // given
  const world = storyWorld();
  world.gateway.answers('INV-1', 'cannot be reached');
  world.send(aPayoutJob());
  await world.pass(1 * seconds);
  // when
  await world.restoreTableTo(world.tableNow());
  await world.pass(1 * hours);
  // then
  expect(world.last('INV-1')).toMatchObject({ status: 'held', failure: { code: 'LEDGER_RESTORED' } });
  expect(world.gateway.payments('INV-1')).toEqual([]);
});
