// Check and payment of a payout share the gateway's id, and a callback proves neither type nor amount. What may be about either is a
// question to the gateway: no end, no acceptance, and nothing that a person has decided about unseen.
import { expect, it } from 'vitest';
import type { Order } from '../../lib/payout/order/order.ts';
import { viewOf } from '../../lib/payout/order/view.ts';
import { aPayoutCheck, aPayoutPay } from '../support/jobs.ts';
import { days, hours, minutes, seconds, storyWorld } from './harness.ts';

async function validated(more = {}) {
  const world = storyWorld({ profile: { statusInquiry: true, twoStepPayouts: true, ...more }, lanes: 'open' });
  world.send(aPayoutCheck());
  await world.pass(1 * minutes);
  world.gateway.ends('INV-1', 'validated');
  await world.pass(10 * minutes);
  expect(world.last('INV-1')?.status).toBe('held');
  return world;
}

it('a payment that the gateway declines is declined, although its check was called back late', async () => {
  const world = await validated();
  world.send(aPayoutPay());
  await world.pass(2 * seconds);
  expect(await world.callback('INV-1', 'approved')).toBe(200);
  await world.pass(2 * minutes);
  world.gateway.ends('INV-1', 'declined');
  await world.pass(2 * days);
  expect(world.last('INV-1')?.status).toBe('declined');
});

it.each([
  ['processing', {}],
  ['approved', { amount: '' }],
  ['approved', { amount: '11.00' }],
] as const)('check callback %s %j of a payment that never left is published as no acceptance', async (status, call) => {
  const world = await validated();
  world.gateway.answers('INV-1', 'silent');
  world.send(aPayoutPay());
  await world.pass(30 * minutes);
  expect(world.last('INV-1')?.status).toBe('in-doubt');
  const before = world.results('INV-1').length;
  expect(await world.callback('INV-1', status, call)).toBe(200);
  await world.pass(1 * hours);
  const statuses = world.results('INV-1').map((it) => it.status);
  expect(statuses.slice(before)).not.toContain('accepted');
});

it('the payment’s own approval of a held order has the gateway asked', async () => {
  const world = await validated({ doubtHorizonSeconds: 3600 });
  world.gateway.desk('INV-1', 'silent');
  world.gateway.answers('INV-1', 'silent though taken');
  world.send(aPayoutPay());
  await world.pass(2 * days);
  expect(world.last('INV-1')?.status).toBe('held');
  world.gateway.desk('INV-1', 'truth');
  world.gateway.ends('INV-1', 'approved');
  expect(await world.callback('INV-1', 'approved')).toBe(200);
  await world.pass(2 * days);
  expect([world.last('INV-1')?.status, world.alarms('INV-1')]).toEqual(['approved', []]);
});

/** A payment that was taken, and of which nobody could be told; a person has decided that it is not paid. */
async function decidedUnheard(checkIsCalledBack: boolean) {
  const world = await validated({ doubtHorizonSeconds: 3600 });
  world.gateway.desk('INV-1', 'silent');
  world.gateway.answers('INV-1', 'silent though taken');
  world.send(aPayoutPay());
  await world.pass(1 * hours);
  if (checkIsCalledBack) await world.callback('INV-1', 'approved');
  await world.pass(2 * days);
  expect(world.last('INV-1')?.status).toBe('held');
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  await world.pass(1 * hours);
  expect(world.last('INV-1')?.status).toBe('failed');
  // when the gateway is back, and calls back that the payment is made
  world.gateway.desk('INV-1', 'truth');
  world.gateway.ends('INV-1', 'approved');
  const before = world.results('INV-1').length;
  expect(await world.callback('INV-1', 'approved')).toBe(200);
  await world.pass(1 * days);
  const heard = world.results('INV-1').length - before + world.alarms('INV-1').length;
  // and its sender sends it again by the name of its end
  const endId = (world.last('INV-1') as { endId?: string }).endId;
  const resends = endId === undefined ? {} : { resends: endId };
  world.send(aPayoutCheck(resends));
  await world.pass(1 * minutes);
  if (world.gateway.book('INV-1').length > 1) world.gateway.ends('INV-1', 'validated');
  await world.pass(10 * minutes);
  world.send(aPayoutPay(resends));
  await world.pass(1 * days);
  return { heard: heard > 0, pays: world.gateway.posts('INV-1', 'payout-pay'), last: world.last('INV-1')?.status };
}

it.each([false, true])(
  'the payment’s approval after "not paid" is heard, and nothing is paid twice; the check was called back before: %s',
  async (checkIsCalledBack) => {
    expect(await decidedUnheard(checkIsCalledBack)).toMatchObject({ heard: true, pays: 1 });
  },
);

it('whoever decides sees that an approval was called back of the held payment', async () => {
  const world = await validated({ doubtHorizonSeconds: 3600 });
  world.gateway.desk('INV-1', 'silent');
  world.gateway.answers('INV-1', 'silent though taken');
  world.send(aPayoutPay());
  await world.pass(2 * hours);
  expect(await world.callback('INV-1', 'approved')).toBe(200);
  await world.pass(1 * hours);
  const order = world.tableNow().items.get('acme-eu/INV-1') as Order;
  const view = viewOf(order);
  expect(view.state).toBe('held');
  expect(
    JSON.stringify([view.surprises, view.failure, view.note, view.history, world.last('INV-1'), world.alarms('INV-1')]),
  ).toContain('approved');
});
