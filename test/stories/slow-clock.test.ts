// C1: the operator's clock is five minutes slow, so that a message of before the release looks newer than it.
import { describe, expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

/** How many POSTs there were, and what was told last. */
async function copyOfBeforeTheRelease(clockOffsetMs: number) {
  // given an order in doubt
  const world = storyWorld();
  world.gateway.answers('INV-1', 'silent');
  world.send(aPayoutJob());
  await world.pass(2 * hours);
  // when its file is sent again, is late, and a person says meanwhile that it was not paid, and pays it by hand
  world.send(aPayoutJob(), { comesInMs: 10 * minutes });
  await world.pass(2 * minutes);
  expect(await world.person.decides('INV-1', 'not-paid', { clockOffsetMs })).toBe('done');
  await world.pass(1 * days);
  return [world.gateway.posts('INV-1'), world.last('INV-1')?.status];
}

describe('a copy sent before the release ("paid by hand") sends nothing', () => {
  it.each([0, 5 * minutes])('the clock being %i ms ahead', async (aheadMs) => {
    expect(await copyOfBeforeTheRelease(aheadMs)).toEqual([1, 'failed']);
  });

  it('the clock being five minutes behind', async () => {
    expect(await copyOfBeforeTheRelease(-5 * minutes)).toEqual([1, 'failed']);
  });
});
