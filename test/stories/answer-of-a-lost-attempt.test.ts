// From the review: the answer of an attempt is on its way while the table is restored to before that attempt.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, seconds, storyWorld } from './harness.ts';

it.each([{}, { statusInquiry: true }])(
  'accepted is told with its id, and nothing is sent again (%j)',
  async (profile) => {
    const world = storyWorld({ profile });
    world.send(aPayoutJob({ orderId: 'OLD' }));
    await world.pass(1 * minutes);
    const before = world.tableNow();
    world.answersComeLateBy(1 * hours);
    world.gateway.answers('INV-1', { as: 'taken', meanwhile: () => world.ledgerAwayFor(2 * minutes) });
    const message = world.send(aPayoutJob());
    await world.pass(10 * seconds);
    await world.pass(3 * minutes);
    await world.restoreTableTo(before);
    world.redeliver(message);
    await world.pass(1 * days);
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(world.last('INV-1')).toMatchObject({ status: 'accepted', gatewayOrderId: '9000002' });
  },
);

it('of what was lost before an end that did not know it: it is for a person, and the order does not go on by itself', async () => {
  // given an order that ended and was sent again by name, to a gateway that never answered; its table was restored to before that
  const world = storyWorld({ profile: { statusInquiry: true }, lanes: 'open' });
  world.gateway.answers('INV-1', 'refuses the order', {
    as: 'silent',
    meanwhile: () => world.ledgerAwayFor(2 * minutes),
  });
  const message = world.send(aPayoutJob());
  await world.pass(1 * minutes);
  const before = world.tableNow();
  world.answersComeLateBy(5 * hours);
  const again = world.sendAgain(message);
  await world.pass(3 * minutes);
  await world.restoreTableTo(before);
  world.redeliver(again);
  await world.pass(4 * hours);
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  // when it is sent again, and waits for a gateway that can't be reached while the answer comes in
  world.gateway.answers('INV-1', ...Array.from({ length: 1_000 }, () => 'cannot be reached' as const));
  world.sendAgain(message);
  await world.pass(2 * days);
  // then
  expect(world.last('INV-1')).toMatchObject({ status: 'held', failure: { code: 'NOT_AT_GATEWAY' } });
});
