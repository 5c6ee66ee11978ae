// A1: the gateway took the order and something in front of it refused; its callback says so; the waiting job goes again.
import { describe, expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import type { Reaction } from './gateway.ts';
import { days, hours, minutes, seconds, storyWorld } from './harness.ts';

describe('POST refused though taken, and an authentic callback says approved', () => {
  /** How many POSTs there were, and what was told last. */
  async function refusedAndCalledBack(reaction: Reaction, profile: object) {
    // given
    const world = storyWorld({ profile });
    world.gateway.answers('INV-1', reaction);
    world.send(aPayoutJob());
    await world.pass(10 * seconds);
    // when
    world.gateway.ends('INV-1', 'approved');
    expect(await world.callback('INV-1', 'approved')).toBe(200);
    await world.pass(1 * days);
    return [world.gateway.posts('INV-1'), world.last('INV-1')?.status];
  }

  it('403 though taken, where the account can be asked: nothing is sent any more, and approved is told', async () => {
    expect(await refusedAndCalledBack('403 though taken', { statusInquiry: true })).toEqual([1, 'approved']);
  });

  it.each([
    ['403 though taken', {}],
    ['429 though taken', {}],
    ['429 though taken', { statusInquiry: true }],
  ] as const)('%s, %j: nothing is sent any more, and approved is told', async (reaction, profile) => {
    expect(await refusedAndCalledBack(reaction, profile)).toEqual([1, 'approved']);
  });
});

describe('released as not paid, then the callback says approved, then the file again', () => {
  it.each(['plainly', 'naming the end'] as const)('%s: it is not sent, and approved is told', async (how) => {
    // given
    const world = storyWorld();
    world.gateway.answers('INV-1', 'silent though taken');
    const message = world.send(aPayoutJob());
    await world.pass(2 * hours);
    expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
    // when
    world.gateway.ends('INV-1', 'approved');
    await world.callback('INV-1', 'approved');
    await world.pass(30 * minutes);
    if (how === 'plainly') world.send(aPayoutJob());
    else world.sendAgain(message);
    await world.pass(1 * days);
    // then
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(world.last('INV-1')?.status).toBe('approved');
  });
});
