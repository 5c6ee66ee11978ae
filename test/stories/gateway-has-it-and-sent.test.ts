// A2: an inquiry (or a callback) has found the order at the gateway; the late refusal of its POST makes it sendable.
import { describe, expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, seconds, storyWorld, type StoryWorld } from './harness.ts';
import type { Reaction } from './gateway.ts';

/** The POST was refused though taken, the ledger was away for longer than the lease, and the answer is on its way for hours. */
async function refusedLate(reaction: Reaction, profile: object): Promise<StoryWorld> {
  const world = storyWorld({ profile });
  world.answersComeLateBy(2 * hours);
  world.gateway.answers('INV-1', { as: reaction, meanwhile: () => world.ledgerAwayFor(5 * minutes) });
  world.send(aPayoutJob());
  await world.pass(10 * seconds);
  return world;
}

describe('the gateway is found to have the order before the refusal is written', () => {
  it.each(['401 though taken', '403 though taken', '429 though taken'] as const)(
    '%s, and an inquiry finds it: one POST, one id, accepted',
    async (reaction) => {
      const world = await refusedLate(reaction, { statusInquiry: true });
      await world.pass(1 * days);
      expect(world.gateway.posts('INV-1')).toBe(1);
      expect(world.last('INV-1')).toMatchObject({ status: 'accepted', gatewayOrderId: '9000001' });
    },
  );

  it.each([
    ['unknown', '10.42'],
    ['unknown', '10.40'],
    ['processing', '10.40'],
  ] as const)('an inquiry finds it %s, of %s: one POST, and its id is told', async (status, amount) => {
    const world = await refusedLate('403 though taken', { statusInquiry: true });
    world.gateway.changesAmount('INV-1', amount);
    world.gateway.ends('INV-1', status);
    await world.pass(1 * days);
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(world.last('INV-1')?.gatewayOrderId).toBe('9000001');
  });

  it('by a callback alone: one POST, and approved is told', async () => {
    const world = await refusedLate('403 though taken', {});
    await world.pass(30 * minutes);
    world.gateway.ends('INV-1', 'approved');
    await world.callback('INV-1', 'approved');
    await world.pass(1 * days);
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(world.last('INV-1')?.status).toBe('approved');
  });
});
