// From the review: a message that names an end, and had opened it before the table was restored, comes once more after that.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

it.each([{}, { statusInquiry: true, resubmitUnknownOrders: true }])(
  'the end that it names was of before the restore: it opens nothing (%j)',
  async (profile) => {
    // given an order that failed, unpaid, and was sent again by name
    const world = storyWorld({ profile });
    world.gateway.answers('INV-1', 'silent', 'silent though taken');
    const message = world.send(aPayoutJob());
    await world.pass(3 * hours);
    if (world.last('INV-1')?.status !== 'failed') await world.person.decides('INV-1', 'not-paid');
    expect(world.last('INV-1')?.status).toBe('failed');
    await world.pass(1 * minutes);
    const before = world.tableNow();
    const again = world.sendAgain(message);
    await world.pass(1 * minutes);
    expect(world.gateway.payments('INV-1')).toHaveLength(1);
    // when
    await world.restoreTableTo(before);
    world.redeliver(again);
    await world.pass(2 * days);
    // then
    expect(world.gateway.posts('INV-1')).toBe(2);
    expect(['held', 'in-doubt', 'accepted']).toContain(world.last('INV-1')?.status);
  },
);
