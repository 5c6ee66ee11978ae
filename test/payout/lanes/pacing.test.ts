// One worker's share of a lane: what it was given and has not sent yet counts as under way, while it may still be sent.
import { expect, it } from 'vitest';
import type { Slot } from '../../../lib/payout/lanes/lane.ts';
import { createPacing } from '../../../lib/payout/lanes/pacing.ts';
import { createMemoryLanes } from '../../support/memory-lanes.ts';
import { startMs } from '../../support/time-and-chance.ts';

it.each([
  [2, 0],
  [4, 1],
])('gives jobs and a line no more than %i at once, slots in hand included', async (concurrency, unanswered) => {
  let nowMs = startMs;
  const clock = { nowMs: () => nowMs, uptimeMs: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) };
  let ids = 0;
  const pacing = createPacing({ lanes: createMemoryLanes(clock.nowMs), clock, random: { id: () => `w${(ids += 1)}` } });
  const lane = { merchant: 'acme-eu', endpointId: '39915' };
  const caps = { concurrency };
  const rows = [1, 2, 3, 4].map((row) => ({ class: 'row', order: `B-${row}`, fromLine: true }) as const);
  const underWay: Slot[] = [];
  let most = 0;
  const begins = (grants: readonly { readonly kind: string }[]) => {
    underWay.push(...grants.filter((it): it is Slot => it.kind === 'slot'));
    most = Math.max(most, underWay.length);
  };

  // Jobs come so fast that the worker takes slots ahead for the next ones; now and then a line takes its slice.
  for (let job = 0; job < 60; job += 1) {
    begins([await pacing.ask(lane, { class: 'urgent', order: `A-${job}` }, caps)]);
    if (job % 3 === 2) begins(await pacing.slice(lane, rows, caps));
    for (const slot of underWay.splice(0, underWay.length - unanswered))
      pacing.report(lane, slot, { says: 'accepted', order: `A-${job}` });
    await pacing.settled();
    nowMs += 200;
  }
  expect(most).toBe(concurrency);
});
