// From a sender: message attributes that play the worker's own words make nothing true.
import { describe, expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

const answerOf = (outcome: object, owner = 'me') =>
  JSON.stringify({ owner, attempts: 1, statusInquiry: false, outcome });
const accepted = (gatewayOrderId: string, owner?: string) => answerOf({ kind: 'accepted', gatewayOrderId }, owner);

describe('an attribute that says the gateway has accepted', () => {
  it('of an order that nobody sent: nothing is told as accepted without a POST', async () => {
    const world = storyWorld();
    await world.uploads('payroll', [aPayoutJob({ orderId: 'ROW-1' })]);
    world.send(aPayoutJob(), { attributes: { answer: accepted('777') } });
    await world.pass(1 * days);
    const isPosted = world.gateway.posts('INV-1') > 0;
    expect(world.results('INV-1').filter(({ status }) => status === 'accepted')).toHaveLength(isPosted ? 1 : 0);
    expect(world.outlets()).not.toContain('777');
    expect(world.last('ROW-1')?.status).toBe('accepted');
  });

  it('of an order that was cancelled: it stays cancelled', async () => {
    const world = storyWorld();
    await world.person.decides('INV-1', 'cancel');
    world.send(aPayoutJob(), { attributes: { answer: accepted('777') } });
    await world.pass(1 * days);
    expect([...world.results('INV-1')].map(({ status }) => status)).not.toContain('accepted');
    expect(world.gateway.posts('INV-1')).toBe(0);
  });

  it('of an order in doubt, of other content: doubt stays, and a refused answer sends nothing', async () => {
    const world = storyWorld();
    world.gateway.answers('INV-1', 'silent though taken');
    world.send(aPayoutJob());
    await world.pass(1 * hours);
    const refused = answerOf({ kind: 'retryable', failure: { code: 'NOT_SENT', message: 'no' } });
    world.send(aPayoutJob(), { attributes: { answer: refused } });
    world.send(aPayoutJob({ params: { amount: '0.01' } }), { attributes: { answer: accepted('777') } });
    await world.pass(1 * days);
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(['held', 'in-doubt']).toContain(world.last('INV-1')?.status);
  });

  it('and holds a card number: it is in no result and no line', async () => {
    const world = storyWorld();
    const answer = answerOf({ kind: 'accepted', gatewayOrderId: 'pan 4111 1111 1111 1111 cvv 737' });
    world.send(aPayoutJob(), { attributes: { answer } });
    world.send(aPayoutJob({ orderId: 'INV-2' }), { attributes: { answer: accepted('4111111111111111') } });
    await world.pass(1 * days);
    expect(world.outlets()).not.toMatch(/4111 ?1111/);
  });

  it('by the dozen, each large: the order is approved all the same', async () => {
    const world = storyWorld();
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    // As large as an item can be, and then smaller ones until nothing fits beside them.
    const sizes = [16_000, 1_000, 60].flatMap((size) => Array.from({ length: 30 }, () => size));
    for (const [n, size] of sizes.entries()) {
      const answer = accepted(`${n}`.padEnd(size, '7'), `me-${n}`);
      world.send(aPayoutJob(), { attributes: { answer } });
    }
    await world.pass(1 * hours);
    world.gateway.ends('INV-1', 'approved');
    await world.callback('INV-1', 'approved');
    await world.pass(1 * days);
    expect(world.last('INV-1')?.status).toBe('approved');
  });
});
