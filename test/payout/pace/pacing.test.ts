// One worker's view of a lane: what it writes, and when, and what it does where the lane can not be had.
import { describe, expect, it } from 'vitest';
import { type LaneState, newLane } from '../../../lib/payout/pace/lane-state.ts';
import { createPacing } from '../../../lib/payout/pace/pacing.ts';
import { createMemoryLanes } from '../../support/memory-lanes.ts';
import { startMs } from '../../support/time-and-chance.ts';

const lane = { merchant: 'acme-eu', endpointId: '39915' };

function aWorker(state: Partial<LaneState> = {}) {
  let nowMs = startMs;
  const text = JSON.stringify({ ...newLane({}), version: 1, ceilingPerSecond: 20, ...state });
  const items = new Map([['acme-eu/39915', text]]);
  const store = createMemoryLanes(items);
  const calls: string[] = [];
  let isDown = false;
  const counted =
    <A extends unknown[], T>(name: string, call: (...asked: A) => Promise<T>) =>
    (...asked: A) => {
      calls.push(name);
      return isDown ? Promise.reject(new Error('no answer')) : call(...asked);
    };
  const lates: (() => void)[] = [];
  const pacing = createPacing({
    lanes: { read: counted('read', store.read), write: counted('write', store.write) },
    clock: { nowMs: () => nowMs, sleep: async (ms) => void (nowMs += ms) },
    later(_, run) {
      lates.push(run);
      return () => void lates.splice(lates.indexOf(run), 1);
    },
  });
  const now = (): LaneState => JSON.parse(items.get('acme-eu/39915') ?? '');
  return {
    pacing,
    calls,
    store,
    now,
    lates,
    passes: (ms: number) => void (nowMs += ms),
    goesDown: () => void (isDown = true),
    async turn() {
      const turn = await pacing.ask(lane, 'urgent', {});
      if ('because' in turn) throw new Error(turn.because);
      return turn;
    },
  };
}

describe('a worker', () => {
  it('takes the turns of all who ask at once in one write', async () => {
    const { pacing, calls } = aWorker();
    await Promise.all([1, 2, 3].map(() => pacing.ask(lane, 'urgent', {})));
    expect(calls).toEqual(['read', 'write']);
  });

  it('takes a turn by one write when it knows the lane from before, and reads it anew before it says no', async () => {
    const it = aWorker();
    await it.turn();
    it.passes(5_000);
    it.calls.splice(0);
    await it.turn();
    expect(it.calls).toEqual(['write']);
    // given a lane that this worker knows as paused
    await it.store.write(lane, {
      ...it.now(),
      version: it.now().version + 1,
      paused: { by: 'ada', reason: 'odd', atMs: startMs },
    });
    it.passes(5_000);
    expect(await it.pacing.ask(lane, 'urgent', {})).toEqual({ because: 'lane-paused' });
    // when it is resumed
    const { paused: _, ...resumed } = it.now();
    await it.store.write(lane, { ...resumed, version: resumed.version + 1 });
    it.passes(5_000);
    // then it sees that
    await it.turn();
  });

  it('says with its next write what was good, and trouble at once', async () => {
    const it = aWorker();
    const [good, bad] = [await it.turn(), await it.turn()];
    const writes = () => it.calls.filter((name) => name === 'write').length;
    const before = writes();
    it.pacing.sends(lane, good, 'a')({ says: 'accepted' });
    await it.pacing.settled();
    expect(writes()).toBe(before);
    it.pacing.sends(lane, bad, 'b')({ says: 'not-connected' });
    await it.pacing.settled();
    expect(writes()).toBe(before + 1);
    expect(it.now()).toMatchObject({ heard: { answers: 1 }, streak: { says: 'not-connected' } });
  });

  it('says after seconds without an answer that there is none, and when it comes, what it is', async () => {
    const it = aWorker();
    const heard = it.pacing.sends(lane, await it.turn(), 'a');
    it.passes(4_000);
    it.lates[0]?.();
    await it.pacing.settled();
    expect(it.now().streak).toMatchObject({ says: 'no-answer', count: 1 });
    heard({ says: 'no-answer' });
    await it.pacing.settled();
    expect(it.now().streak).toMatchObject({ count: 1 });
  });

  it('waits where the lane can not be had, and sends nothing', async () => {
    const it = aWorker();
    it.goesDown();
    expect(await it.pacing.ask(lane, 'urgent', {})).toMatchObject({ because: 'lane-unknown' });
  });

  it('takes another turn where another worker was faster', async () => {
    const it = aWorker();
    const first = await it.turn();
    await it.store.write(lane, { ...it.now(), version: it.now().version + 1, nextFreeMs: startMs + 3_000 });
    const second = await it.turn();
    expect(second.atMs).toBeGreaterThanOrEqual(startMs + 3_000);
    expect(first.atMs).toBe(startMs);
  });

  it('uses the first turn that the leader took for it, although its clock was minutes behind when it started', async () => {
    const store = createMemoryLanes(new Map([['acme-eu/39915', JSON.stringify({ ...newLane({}), version: 1 })]]));
    let [tableMs, behindMs] = [startMs, 5 * 60_000];
    const pacing = createPacing({
      lanes: { ...store, read: async (asked) => store.read(asked).finally(() => (behindMs = 0)) },
      clock: { nowMs: () => tableMs - behindMs, sleep: async (ms) => void (tableMs += ms) },
      later: () => () => {},
    });
    const turn = { atMs: startMs + 1_500, ratePerSecond: 20, pressed: true };
    expect(await pacing.comes(lane, turn)).toBe(true);
    expect(tableMs).toBe(turn.atMs);
  });

  it('gives the place of a probe back in which nothing was sent', async () => {
    const closed = { cause: 'not-connected', sinceMs: startMs, probes: 0, asked: 0, nextProbeAtMs: startMs } as const;
    const it = aWorker({ closed });
    expect(await it.pacing.room(lane)).toEqual({ leader: 1, leaderAsks: 1 });
    const [probe] = await it.pacing.release(lane, ['leader'], false);
    if (!probe) throw new Error('it is due');
    expect(it.now().closed?.nextProbeAtMs).toBeGreaterThan(startMs);
    it.pacing.unused(lane, probe);
    await it.pacing.settled();
    expect(it.now().closed?.nextProbeAtMs).toBe(probe.atMs);
  });

  it.each<[what: string, state: Partial<LaneState>, because: string]>([
    ['paused', { paused: { by: 'ada', reason: '', atMs: 0 } }, 'lane-paused'],
    ['closed', { closed: { cause: 'refused', sinceMs: 0, probes: 0, asked: 0 } }, 'lane-closed'],
    ['full', { nextFreeMs: startMs + 60_000 }, 'pace'],
    ['slow', { nextFreeMs: startMs + 60_000, used: { lately: 1, usual: 20 } }, 'lane-slow'],
  ])('hears why it has to wait where the lane is %s', async (_, state, because) => {
    expect(await aWorker(state).pacing.ask(lane, 'row', {})).toMatchObject({ because });
  });
});
