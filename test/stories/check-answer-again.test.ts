// B1: the answer of a payout-check says nothing of its payout-pay, however often and however late it comes.
import { expect, it } from 'vitest';
import { aPayoutCheck, aPayoutPay } from '../support/jobs.ts';
import { days, hours, minutes, seconds, storyWorld, type StoryWorld } from './harness.ts';
import { longIt } from '../support/long-proof.ts';

const profile = { statusInquiry: true, twoStepPayouts: true } as const;

/** A validated check, whose acceptance was written late, from a message of the worker's own. */
async function validated(): Promise<StoryWorld> {
  const world = storyWorld({ profile });
  world.gateway.answers('INV-1', { as: 'taken', meanwhile: () => world.ledgerAwayFor(1 * minutes) });
  world.send(aPayoutCheck());
  await world.pass(10 * minutes);
  world.gateway.ends('INV-1', 'validated');
  await world.pass(2 * hours);
  expect(world.last('INV-1')).toMatchObject({ status: 'held', failure: { code: 'CHECK_VALIDATED' } });
  return world;
}

it('while its payment waits to be sent again: the payment goes', async () => {
  const world = await validated();
  world.gateway.answers('INV-1', '401', '401');
  const payment = world.send(aPayoutPay());
  await world.pass(5 * seconds);
  expect(world.whereIs(payment)).toBe('queue');
  world.answersComeAgain('INV-1');
  await world.pass(2 * days);
  expect(world.gateway.payments('INV-1')).toHaveLength(1);
  expect(world.last('INV-1')).toMatchObject({ operation: 'payout-pay', status: 'accepted' });
});

longIt('while its payment is in doubt: it is not told as accepted', async () => {
  const world = await validated();
  world.gateway.answers('INV-1', 'silent');
  world.send(aPayoutPay());
  await world.pass(3 * minutes);
  world.answersComeAgain('INV-1');
  await world.pass(4 * days);
  expect(world.gateway.payments('INV-1')).toHaveLength(0);
  expect(['held', 'in-doubt', 'failed']).toContain(world.last('INV-1')?.status);
});

it('while it rests validated: it stays so, and is paid', async () => {
  const world = await validated();
  world.answersComeAgain('INV-1');
  await world.pass(1 * minutes);
  expect(world.last('INV-1')).toMatchObject({ status: 'held', failure: { code: 'CHECK_VALIDATED' } });
  world.send(aPayoutPay());
  await world.pass(2 * days);
  expect(world.gateway.payments('INV-1')).toHaveLength(1);
  expect(world.last('INV-1')).toMatchObject({ operation: 'payout-pay', status: 'accepted' });
});

it('a check that is found validated stays so when its own late answer says taken, and is paid', async () => {
  const world = storyWorld({ profile });
  world.answersComeLateBy(2 * hours);
  world.gateway.answers('INV-1', { as: 'taken', meanwhile: () => world.ledgerAwayFor(5 * minutes) });
  world.send(aPayoutCheck());
  await world.pass(1 * minutes);
  world.gateway.ends('INV-1', 'validated');
  await world.pass(3 * hours);
  expect(world.last('INV-1')).toMatchObject({ status: 'held', failure: { code: 'CHECK_VALIDATED' } });
  world.send(aPayoutPay());
  await world.pass(2 * days);
  expect(world.gateway.payments('INV-1')).toHaveLength(1);
  expect(world.last('INV-1')).toMatchObject({ operation: 'payout-pay', status: 'accepted' });
});

it('a check that is found validated is not sent again when its own late answer says refused', async () => {
  const world = storyWorld({ profile });
  world.answersComeLateBy(2 * hours);
  world.gateway.answers('INV-1', { as: '403 though taken', meanwhile: () => world.ledgerAwayFor(5 * minutes) });
  const check = world.send(aPayoutCheck());
  await world.pass(1 * minutes);
  world.gateway.ends('INV-1', 'validated');
  await world.pass(1 * days);
  world.redeliver(check);
  await world.pass(1 * days);
  expect(world.gateway.posts('INV-1', 'payout-check')).toBe(1);
  expect(world.last('INV-1')).toMatchObject({ status: 'held', failure: { code: 'CHECK_VALIDATED' } });
});
