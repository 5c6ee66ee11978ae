// Hours in which nothing of AWS answers, seen from outside: they cost time, and neither an order nor a second payment.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { hours, minutes, storyWorld } from '../stories/harness.ts';

it.each([
  ['tables', ['ledgerAwayFor']],
  ['queues', ['queuesAwayFor', 'resultsAwayFor']],
  ['secrets', ['secretsAwayFor']],
  ['all', ['ledgerAwayFor', 'queuesAwayFor', 'resultsAwayFor', 'secretsAwayFor']],
] as const)(
  '%s, for five hours: an order under way and one sent meanwhile are paid once, and told',
  async (_, away) => {
    // given an order whose POST is under way
    const world = storyWorld({ profile: { statusInquiry: true } });
    world.send(aPayoutJob({ orderId: 'INV-1' }));
    world.gateway.answers('INV-1', {
      as: 'taken',
      meanwhile() {
        for (const what of away) world[what](5 * hours);
      },
    });
    // when they are away for hours, and another is sent meanwhile
    world.after(30 * minutes, () => void world.send(aPayoutJob({ orderId: 'INV-2' })));
    world.after(6 * hours, () => {
      for (const orderId of ['INV-1', 'INV-2']) world.gateway.ends(orderId, 'approved');
    });
    await world.pass(12 * hours);
    // then
    for (const orderId of ['INV-1', 'INV-2']) {
      expect(world.gateway.payments(orderId)).toHaveLength(1);
      expect(world.last(orderId)?.status).toBe('approved');
    }
  },
);
