// One worker's share of a lane: what it was given and has not sent yet counts as under way.
import { expect, it } from 'vitest';
import { createPacing } from '../../../lib/payout/lanes/pacing.ts';
import { createMemoryLanes } from '../../support/memory-lanes.ts';
import { startMs } from '../../support/time-and-chance.ts';

it('gives no more than may be under way, though some of it has still to wait for its moment', async () => {
  const sleepers: (() => void)[] = [];
  const clock = {
    nowMs: () => startMs,
    uptimeMs: () => 0,
    sleep: () => new Promise<void>((wake) => sleepers.push(wake)),
  };
  let ids = 0;
  const pacing = createPacing({ lanes: createMemoryLanes(clock.nowMs), clock, random: { id: () => `w${(ids += 1)}` } });
  const lane = { merchant: 'acme-eu', endpointId: '39915' };
  const ask = (order: string) => pacing.ask(lane, { class: 'urgent', order }, { ratePerSecond: 1, concurrency: 2 });

  const [first, second] = [ask('A'), ask('B')];
  expect(await first).toMatchObject({ kind: 'slot', atMs: startMs });
  await expect.poll(() => sleepers.length).toBe(1);
  // The second has its slot, a second from now, and sleeps until then.
  expect(await ask('C')).toMatchObject({ kind: 'wait', because: 'pace' });
  for (const wake of sleepers) wake();
  expect(await second).toMatchObject({ kind: 'slot', atMs: startMs + 1_000 });
});
