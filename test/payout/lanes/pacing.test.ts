// One worker's share of a lane: what it was given and has not sent yet counts as under way, while it may still be sent.
import { expect, it } from 'vitest';
import type { Slot } from '../../../lib/payout/lanes/lane.ts';
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

it('lets a line go on where a slot of an earlier slice came back unused, though nobody else asks this worker', async () => {
  let nowMs = startMs;
  const clock = { nowMs: () => nowMs, uptimeMs: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) };
  let ids = 0;
  const pacing = createPacing({ lanes: createMemoryLanes(clock.nowMs), clock, random: { id: () => `w${(ids += 1)}` } });
  const lane = { merchant: 'acme-eu', endpointId: '39915' };
  const caps = { ratePerSecond: 1, concurrency: 1 };
  const slice = async (order: string) => {
    const [grant] = await pacing.slice(lane, [{ class: 'row', order, fromLine: true }], caps);
    return grant;
  };

  // Its row was gone when its turn came.
  const first = await slice('A');
  if (first?.kind !== 'slot') throw new Error('a lane that nobody uses gives a slot');
  pacing.giveBack(lane, first);

  nowMs += 60_000;
  expect(await slice('B')).toMatchObject({ kind: 'slot' });
});

it('has written every sign before the invocation ends, also one that came while others were being written', async () => {
  const clock = { nowMs: () => startMs, uptimeMs: () => 0, sleep: async () => {} };
  const lanes = createMemoryLanes(clock.nowMs);
  let ids = 0;
  let hold: Promise<void> | undefined;
  const slow = { ...lanes, write: async (...it: Parameters<typeof lanes.write>) => (await hold, lanes.write(...it)) };
  const pacing = createPacing({ lanes: slow, clock, random: { id: () => `w${(ids += 1)}` } });
  const lane = { merchant: 'acme-eu', endpointId: '39915' };
  const slots = await Promise.all(
    ['A', 'B'].map((order) => pacing.ask(lane, { class: 'urgent', order }, { ratePerSecond: 5 })),
  );
  const [first, second] = slots;
  if (first?.kind !== 'slot' || second?.kind !== 'slot') throw new Error('a lane that nobody uses gives slots');

  let release = () => {};
  hold = new Promise((resolve) => (release = resolve));
  pacing.report(lane, first, { says: 'server-error', order: 'A' });
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
  pacing.report(lane, second, { says: 'server-error', order: 'B' });
  const settled = pacing.settled();
  release();
  await settled;
  expect((await lanes.read(lane)).state?.trouble).toMatchObject({ count: 2, order: 'B' });
});

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
