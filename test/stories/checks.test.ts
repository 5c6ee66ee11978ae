// An eligibility check is an order like any other: it is sent once, its silence is doubt with an end, and its order id is used for it alone.
import { expect, it } from 'vitest';
import { anEligibilityJob, aPayoutJob } from '../support/jobs.ts';
import { seenBefore } from './gateway.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

const often = <T>(reaction: T): T[] => Array.from({ length: 30 }, () => reaction);

it('a check whose answer is lost is sent once, at a gateway that refuses known ids too, and a person is asked', async () => {
  // given
  const world = storyWorld({ profile: { duplicateOrderCodes: [seenBefore] }, lanes: 'open' });
  world.gateway.answers('CHK-1', 'silent though taken', ...often('refuses a seen id' as const));
  // when
  world.send(anEligibilityJob());
  await world.pass(10 * minutes);
  // then
  expect(world.last('CHK-1')).toMatchObject({ status: 'held', failure: { code: 'HELD_UNPROVEN' } });
  await world.pass(2 * days);
  expect(world.gateway.posts('CHK-1')).toBe(1);
});

it.each(['refuses a seen id', '403 for a seen id', '429 for a seen id'] as const)(
  'a check that was refused for its pace, and then for its known id, is not sent a third time: %s',
  async (refusal) => {
    // given
    const world = storyWorld({ profile: { duplicateOrderCodes: [seenBefore] }, lanes: 'open' });
    world.gateway.answers('CHK-1', '429 though taken', ...often(refusal));
    // when
    world.send(anEligibilityJob());
    await world.pass(2 * days);
    // then
    expect(world.gateway.posts('CHK-1')).toBe(2);
    expect(world.last('CHK-1')).toMatchObject({ status: 'held', failure: { gatewayCode: seenBefore } });
  },
);

it.each(['before the POST', 'after the POST'] as const)(
  'a check whose worker died %s is held, and the person who is asked can end it',
  async (when) => {
    // given
    const world = storyWorld({ profile: { statusInquiry: true } });
    world.workerDies(when);
    world.send(anEligibilityJob());
    // when
    await world.pass(2 * hours);
    // then
    expect(world.last('CHK-1')).toMatchObject({ status: 'held', failure: { code: 'HELD_UNPROVEN' } });
    expect(await world.person.decides('CHK-1', 'not-paid')).toBe('done');
    const ended = world.last('CHK-1');
    expect(ended).toMatchObject({ status: 'failed', failure: { code: 'RELEASED_NOT_PAID' } });
    // and its name opens it
    world.send(anEligibilityJob({ resends: ended?.endId ?? '' }));
    await world.pass(1 * hours);
    expect(world.last('CHK-1')).toMatchObject({ status: 'accepted', final: true });
  },
);

it.each([
  ['a payout under the id of a check', anEligibilityJob({ orderId: 'INV-1' }), aPayoutJob()],
  ['a check under the id of a payout', aPayoutJob(), anEligibilityJob({ orderId: 'INV-1' })],
])('%s is refused, and the first order stays as it is', async (_, first, second) => {
  // given
  const world = storyWorld();
  world.send(first);
  await world.pass(1 * minutes);
  // when
  const message = world.send(second);
  await world.pass(1 * hours);
  // then
  expect(world.gateway.posts('INV-1')).toBe(1);
  expect(world.told(message)).toMatchObject([{ status: 'rejected', failure: { code: 'ORDER_ID_REUSED' } }]);
  expect(world.results('INV-1')).toMatchObject([{ status: 'accepted', operation: first.operation }]);
});
