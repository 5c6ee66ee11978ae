// From the review: a restore lost an attempt, a person closed the gap, and the order was sent once more. What the gateway
// says of the lost attempt is no end of the other one.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

it('the decline of the lost attempt does not end the attempt that is paid', async () => {
  // given
  const world = storyWorld({ profile: { statusInquiry: true } });
  const before = world.tableNow();
  world.gateway.answers('INV-1', 'silent though taken', 'silent though taken');
  const message = world.send(aPayoutJob());
  await world.pass(1 * minutes);
  await world.restoreTableTo(before);
  await world.person.endsGap();
  world.gateway.desk('INV-1', 'silent');
  world.sendAgain(message);
  await world.pass(1 * minutes);
  // when
  world.gateway.desk('INV-1', 'truth', 'oldest');
  world.gateway.ends('INV-1', 'declined', 1);
  if (world.gateway.posts('INV-1') > 1) world.gateway.ends('INV-1', 'approved', 2);
  await world.callback('INV-1', 'declined', { n: 1 });
  await world.pass(2 * days + 1 * hours);
  // then
  const isPaid = world.gateway.payments('INV-1').length > 0;
  const isToldUnpaid = ['declined', 'failed', 'cancelled'].includes(world.last('INV-1')?.status ?? '');
  expect(isPaid && isToldUnpaid).toBe(false);
  expect(world.gateway.payments('INV-1').length).toBeLessThanOrEqual(1);
});

it('what was told in the gap is not told otherwise under the same result id', async () => {
  const world = storyWorld({ profile: { statusInquiry: true } });
  const before = world.tableNow();
  const message = world.send(aPayoutJob());
  await world.pass(5 * minutes);
  world.gateway.ends('INV-1', 'declined');
  await world.pass(1 * hours);
  await world.restoreTableTo(before);
  await world.person.endsGap();
  world.sendAgain(message);
  await world.pass(1 * days);
  expect(world.retold()).toEqual([]);
});
