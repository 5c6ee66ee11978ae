// The turns of a lane, and what answers teach it of its pace. Pace against gateways of nineteen kinds: `npm run bench -- pace`.
import { describe, expect, it } from 'vitest';
import {
  isFarBelowUsual,
  type LaneState,
  newLane,
  type Sign,
  type Turn,
  type TurnWindow,
} from '../../../lib/payout/pace/lane-state.ts';
import { asWritten, isGood, isTurn, learned, room, take, unsent } from '../../../lib/payout/pace/lane.ts';
import { startMs } from '../../support/time-and-chance.ts';

const at = (ms: number) => startMs + ms;
const windowOf = (fromMs: number, toMs: number, how: Partial<TurnWindow> = {}): TurnWindow => ({
  fromMs: at(fromMs),
  toMs: at(toMs),
  ...how,
});
/** As many turns as there are in this window. */
function taken(
  state: LaneState,
  window: TurnWindow,
  nowMs = startMs,
): { readonly state: LaneState; readonly turns: Turn[] } {
  const turns: Turn[] = [];
  for (let it = state; ;) {
    const { grant, state: next } = take(it, nowMs, window);
    if (!isTurn(grant) || turns.length > 1_000) return { state: it, turns };
    turns.push(grant);
    it = next;
  }
}
const timesOf = (turns: readonly Turn[]) => turns.map(({ atMs }) => atMs - startMs);
const sign = (says: Sign['says'], atMs: number, more: Partial<Sign> = {}): Sign => ({
  says,
  turn: { atMs: at(atMs), ratePerSecond: 10, pressed: true },
  order: `o${atMs}`,
  sentAtMs: at(atMs),
  tookMs: 50,
  ...more,
});
/** The beginning of a minute of the clock. */
const nextMinuteMs = 60_000 * Math.ceil(startMs / 60_000 + 1) - startMs;
const known: LaneState = { ...newLane({}), ratePerSecond: 10, ceilingPerSecond: 10 };

describe('turns', () => {
  it('lie a gap apart, none before its window and none behind it', () => {
    expect(timesOf(taken(known, windowOf(0, 400)).turns)).toEqual([0, 100, 200, 300, 400]);
    expect(timesOf(taken(known, windowOf(300, 500)).turns)).toEqual([300, 400, 500]);
  });

  it('that are not taken are lost, and not made up for', () => {
    const { state } = taken(known, windowOf(0, 100));
    expect(timesOf(taken(state, windowOf(60_000, 60_100), at(60_000)).turns)).toEqual([60_000, 60_100]);
  });

  it('come ten at once while no limit is known', () => {
    expect(timesOf(taken(newLane({}), windowOf(0, 0)).turns)).toEqual(Array.from({ length: 10 }, () => 0));
  });

  it('keep to the cap of the profile from the first on', () => {
    expect(timesOf(taken(newLane({ ratePerSecond: 10 }), windowOf(0, 300)).turns)).toEqual([0, 100, 200, 300]);
  });

  it('leave to newcomers half a second while parked urgent jobs are due, and all to the leader', () => {
    const urgent = { ...known, urgentUntilMs: at(1_000) };
    expect(timesOf(taken(urgent, windowOf(0, 1_000)).turns).at(-1)).toBe(500);
    expect(timesOf(taken(urgent, windowOf(0, 1_000, { isLeader: true })).turns).at(-1)).toBe(1_000);
    expect(timesOf(taken(urgent, windowOf(2_000, 3_000), at(2_000)).turns).at(-1)).toBe(3_000);
  });

  it('are for as many requests as the profile allows under way; one that has ended, or was not sent, makes room', () => {
    const { state, turns } = taken(newLane({ concurrency: 2 }), windowOf(0, 1_000));
    const [one, two] = turns;
    if (!one || !two) throw new Error('there are two');
    expect(turns).toHaveLength(2);
    expect(room(state, at(100), windowOf(100, 5_000))).toBe(0);
    expect(taken(learned(state, sign('accepted', 0, { turn: one }), at(100)), windowOf(100, 1_000)).turns).toHaveLength(
      1,
    );
    expect(taken(unsent(state, two), windowOf(100, 1_000)).turns).toHaveLength(1);
    // One without any answer makes room some day.
    expect(taken(state, windowOf(40_000, 41_000), at(40_000)).turns).toHaveLength(2);
  });

  it('are void once the lane is much slower, or the gateway asks to wait', () => {
    const [turn] = taken(known, windowOf(0, 0)).turns;
    if (!turn) throw new Error('there is one');
    expect(isGood(turn, { ...known, ratePerSecond: 9.5 }, startMs)).toBe(true);
    expect(isGood(turn, { ...known, ratePerSecond: 8 }, startMs)).toBe(false);
    expect(isGood(turn, { ...known, notBeforeMs: at(10) }, startMs)).toBe(false);
  });

  it('are counted for the leader until its next round', () => {
    expect(room(known, startMs, windowOf(0, 2_000))).toBe(20);
    expect(room({ ...known, paused: { by: '', reason: '', atMs: 0 } }, startMs, windowOf(0, 2_000))).toBe(0);
  });
});

describe('the pace', () => {
  it('rises with each turn that had to be waited for, fast while no limit is known, and not above the cap', () => {
    const fast = learned(
      newLane({}),
      sign('accepted', 0, { turn: { atMs: startMs, ratePerSecond: 20, pressed: true } }),
      at(50),
    );
    expect(fast.ratePerSecond).toBeGreaterThan(21);
    const slow = learned(known, sign('accepted', 0), at(50)).ratePerSecond;
    expect(slow).toBeGreaterThan(10);
    expect(slow).toBeLessThan(10.1);
    const capped = { ...newLane({ ratePerSecond: 10 }) };
    expect(learned(capped, sign('accepted', 0), at(50)).ratePerSecond).toBe(10);
    const unpressed = sign('accepted', 0, { turn: { atMs: startMs, ratePerSecond: 20, pressed: false } });
    expect(learned(newLane({}), unpressed, at(50)).ratePerSecond).toBe(20);
  });

  it('falls with a "slow down" once in its second, and remembers at what rate', () => {
    const once = learned({ ...newLane({}), ratePerSecond: 10 }, sign('slow-down', 20_000), at(20_050));
    expect(once).toMatchObject({ ratePerSecond: expect.closeTo(9.4), ceilingPerSecond: 10 });
    expect(learned(once, sign('slow-down', 20_010), at(20_060)).ratePerSecond).toBeCloseTo(9.4);
  });

  it('waits as long as the gateway asks for', () => {
    const state = learned(known, sign('slow-down', 20_000, { retryAfterSeconds: 7 }), at(20_050));
    expect(state.notBeforeMs).toBe(at(27_050));
    expect(timesOf(taken(state, windowOf(20_100, 27_100), at(20_100)).turns)[0]).toBe(27_050);
  });

  it('falls to half of what the gateway bore while it labours', () => {
    let state: LaneState = { ...known, latency: { nowMs: 100, usualMs: 100 } };
    for (let n = 0; n < 60; n += 1)
      state = learned(state, sign('accepted', n * 2_000, { tookMs: 5_000 }), at(n * 2_000 + 5_000));
    expect(state.ratePerSecond).toBeLessThan(7);
    expect(state.ratePerSecond).toBeGreaterThanOrEqual(5 * 0.9);
  });

  /** Orders are taken every 900 ms, then "slow down" until the next one, in which the first is taken again. */
  const byTheMinute = (takenUntilMs: number, takenAgainMs: number, orders = 30) => {
    let state: LaneState = known;
    for (let n = orders - 1; n >= 0; n -= 1) {
      const sentMs = takenUntilMs - n * 900;
      state = learned(state, sign('accepted', sentMs), at(sentMs + 50));
    }
    for (let n = 1; n <= 3; n += 1) {
      const sentMs = takenUntilMs + n * 500;
      state = learned(state, sign('slow-down', sentMs), at(sentMs + 50));
    }
    return learned(state, sign('accepted', takenAgainMs), at(takenAgainMs + 50));
  };

  it('becomes what a gateway took in the minute, once it took nothing for the rest of it', () => {
    expect(byTheMinute(nextMinuteMs - 20_000, nextMinuteMs + 1_000)).toMatchObject({
      ratePerSecond: expect.closeTo(0.46),
      ceilingPerSecond: 0.5,
    });
  });

  it('becomes the mean of two minutes if the gateway took orders in both', () => {
    expect(byTheMinute(2 * nextMinuteMs - 20_000, 2 * nextMinuteMs + 1_000, 60).ceilingPerSecond).toBe(0.5);
  });

  it.each([
    ['a silence of two seconds', nextMinuteMs - 1_900, nextMinuteMs + 100],
    ['a silence of three minutes', nextMinuteMs - 20_000, nextMinuteMs + 180_000],
    ['a silence within one minute', nextMinuteMs - 25_000, nextMinuteMs - 2_000],
    ['nineteen orders', nextMinuteMs - 20_000, nextMinuteMs + 1_000, 19],
  ])('is no limit by the minute after %s', (_, takenUntilMs, takenAgainMs, orders = 30) => {
    expect(byTheMinute(takenUntilMs, takenAgainMs, orders).ceilingPerSecond).toBeGreaterThan(5);
  });

  it('of a lane that goes far below its usual one is told as slow', () => {
    let state: LaneState = { ...known, ratePerSecond: 20 };
    for (let minute = 1; minute <= 60; minute += 1) state = asWritten(state, state, at(minute * 60_000));
    expect(isFarBelowUsual(state)).toBe(false);
    state = { ...state, ratePerSecond: 1 };
    for (let minute = 61; minute <= 80; minute += 1) state = asWritten(state, state, at(minute * 60_000));
    expect(isFarBelowUsual(state)).toBe(true);
  });
});
