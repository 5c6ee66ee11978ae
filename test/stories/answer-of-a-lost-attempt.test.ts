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
