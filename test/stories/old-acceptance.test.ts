// B3: a person who had seen the acceptance said not paid; the same acceptance, delivered once more, is nothing new.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

it('an acceptance that was written already does not overturn the decision of a person who knew it', async () => {
  // given
  const world = storyWorld({ profile: { statusInquiry: true } });
  world.gateway.answers('INV-1', { as: 'taken', meanwhile: () => world.ledgerAwayFor(1 * minutes) });
  world.send(aPayoutJob());
  await world.pass(1 * hours);
  expect(world.last('INV-1')).toMatchObject({ status: 'accepted', gatewayOrderId: '9000001' });
  world.gateway.ends('INV-1', 'unknown');
  await world.pass(10 * days);
  expect(world.last('INV-1')?.status).toBe('held');
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  const told = world.results('INV-1').length;
  // when
  world.answersComeAgain('INV-1');
  await world.pass(1 * hours);
  // then
  expect(
    world
      .results('INV-1')
      .slice(told)
      .map(({ status }) => status),
  ).not.toContain('accepted');
  expect(world.last('INV-1')?.status).toBe('failed');
});
