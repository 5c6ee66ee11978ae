// A3: in doubt, an authentic callback says approved, and the status desk knows no such order for the whole quiet period.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

it.each(['plainly', 'naming the end'] as const)(
  'a callback outweighs a desk that knows no such order: not failed, and the file sent %s sends nothing',
  async (how) => {
    // given
    const world = storyWorld({ profile: { statusInquiry: true, resubmitUnknownOrders: true } });
    world.gateway.answers('INV-1', 'silent though taken');
    world.gateway.desk('INV-1', 'no such order');
    const message = world.send(aPayoutJob());
    await world.pass(3 * minutes);
    // when
    world.gateway.ends('INV-1', 'approved');
    await world.callback('INV-1', 'approved');
    await world.pass(3 * hours);
    // then
    expect(world.results('INV-1').map(({ status }) => status)).not.toContain('failed');
    if (how === 'plainly') world.send(aPayoutJob());
    else world.sendAgain(message);
    await world.pass(1 * days);
    expect(world.gateway.posts('INV-1')).toBe(1);
  },
);
