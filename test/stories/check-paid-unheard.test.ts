// A payment in two steps: the first POST of it was refused by a filter and taken all the same, the second reached nobody. The
// gateway's callback says that it is paid: by its type of the payment, without one of the payment or of the check whose id it bears.
import { expect, it } from 'vitest';
import { aPayoutCheck, aPayoutPay } from '../support/jobs.ts';
import { days, minutes, seconds, storyWorld } from './harness.ts';

it.each([['payout-pay'], [undefined]])('what was paid is not paid once more: a callback of type %s', async (type) => {
  // given
  const world = storyWorld({ profile: { statusInquiry: true, twoStepPayouts: true }, lanes: 'open' });
  world.send(aPayoutCheck());
  await world.pass(1 * minutes);
  world.gateway.ends('INV-1', 'validated');
  await world.pass(10 * minutes);
  // when
  const callsBack = async () => {
    world.gateway.ends('INV-1', 'approved');
    expect(await world.callback('INV-1', 'approved', { ...(type && { type }) })).toBe(200);
  };
  world.gateway.desk('INV-1', 'no such order');
  world.gateway.answers('INV-1', '403 though taken', { as: 'cannot be reached', meanwhile: callsBack });
  world.send(aPayoutPay());
  await world.pass(1 * days);
  // then
  expect(world.gateway.posts('INV-1', 'payout-pay')).toBe(1);
  expect(world.last('INV-1')?.status).toBe('held');
});

it('what was paid is published as soon as the gateway was asked', async () => {
  // given
  const world = storyWorld({ profile: { statusInquiry: true, twoStepPayouts: true }, lanes: 'open' });
  world.send(aPayoutCheck());
  await world.pass(1 * minutes);
  world.gateway.ends('INV-1', 'validated');
  await world.pass(10 * minutes);
  world.gateway.answers('INV-1', '403 though taken');
  world.send(aPayoutPay());
  await world.pass(1 * seconds);
  // when
  world.gateway.ends('INV-1', 'approved');
  expect(await world.callback('INV-1', 'approved')).toBe(200);
  await world.pass(10 * minutes);
  // then
  expect(world.gateway.posts('INV-1', 'payout-pay')).toBe(1);
  expect(world.last('INV-1')?.status).toBe('approved');
});
