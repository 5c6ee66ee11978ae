// What a lane learns of its gateway's limit, answer by answer.
import { expect, it } from 'vitest';
import { type LaneState, newLane, isFarBelowUsual } from '../../../lib/payout/lanes/lane.ts';
import { resumedLane } from '../../../lib/payout/lanes/lane-brake.ts';
import { learned } from '../../../lib/payout/lanes/lane-pace.ts';
import { longIt } from '../../support/long-proof.ts';
import { startMs } from '../../support/time-and-chance.ts';

/** Answers as this gateway gives them, one in each slot of the lane's own pace; an answer takes no time. */
function asked(
  answers: (nth: number, atMs: number) => 'accepted' | 'slow-down',
  { forMs }: { readonly forMs: number },
): LaneState {
  let lane = newLane({}, startMs);
  let nth = 0;
  for (let atMs = startMs; atMs < startMs + forMs;) {
    const says = answers((nth += 1), atMs);
    const sign = { order: `o-${nth}`, sentAtMs: atMs, tookMs: 1, generation: lane.generation, pressed: true, says };
    lane = learned(lane, [sign], { nowMs: atMs, caps: {} });
    atMs = Math.max(atMs + 1000 / lane.ratePerSecond, lane.notBeforeMs);
  }
  return lane;
}

/** So many in each second, as fixed windows count them. */
function limitOf(perSecond: number) {
  let [second, taken] = [0, 0];
  return (_: number, atMs: number) => {
    const now = Math.floor(atMs / 1000);
    if (now !== second) [second, taken] = [now, 0];
    return (taken += 1) <= perSecond ? ('accepted' as const) : ('slow-down' as const);
  };
}

const minutes = 60_000;

it.each([2, 5, 50])('finds a limit of %d a second', (perSecond) => {
  const { ratePerSecond } = asked(limitOf(perSecond), { forMs: 10 * minutes });
  expect(ratePerSecond).toBeGreaterThan(0.8 * perSecond);
  expect(ratePerSecond).toBeLessThanOrEqual(1.1 * perSecond);
});

it.each([
  ['403', { says: 'credentials', tookMs: 20 }, true],
  ['an answer that breaks off at once', { says: 'no-answer', tookMs: 20 }, true],
  ['no answer for long', { says: 'no-answer', tookMs: 20_000 }, false],
] as const)('%s among orders that are taken is a word about the pace: %s', (_, said, isPace) => {
  const seen = { order: 'o', sentAtMs: startMs, tookMs: 20, generation: 0, pressed: true };
  const it = { nowMs: startMs + 100, caps: {} };
  const taking = learned({ ...newLane({}, startMs), ceilingPerSecond: 20 }, [{ ...seen, says: 'accepted' }], it);
  const { ratePerSecond } = learned(taking, [{ ...seen, sentAtMs: startMs + 50, ...said }], it);
  expect(ratePerSecond < 20).toBe(isPace);
  // Where nothing was taken lately it is the brake's.
  const late = { ...seen, sentAtMs: startMs + 5_000, ...said };
  expect(learned(taking, [late], it).ratePerSecond).toBe(taking.ratePerSecond);
});

/** As `asked`, with each answer written by itself, which moves the lines on. */
function usedFor(forMs: number, perSecond: number, state?: LaneState): LaneState {
  const limit = limitOf(perSecond);
  let lane = state ?? newLane({}, startMs);
  const beganMs = lane.writtenAtMs;
  for (let atMs = beganMs, nth = 0; atMs < beganMs + forMs; atMs += 1000 / lane.ratePerSecond) {
    const says = limit((nth += 1), atMs);
    const seen = { order: `o-${nth}`, sentAtMs: atMs, tookMs: 1, generation: lane.generation, pressed: true };
    lane = { ...learned(lane, [{ ...seen, says }], { nowMs: atMs, caps: {} }), writtenAtMs: atMs };
  }
  return lane;
}

longIt('knows its usual pace, and that it goes far below it, after some minutes and for some hours', () => {
  const usual = usedFor(30 * minutes, 20);
  expect(usual.used?.usual).toBeGreaterThan(17);
  expect(isFarBelowUsual(usual, {})).toBe(false);
  expect(isFarBelowUsual(usedFor(2 * minutes, 2, usual), {})).toBe(false);
  const slow = usedFor(15 * minutes, 2, usual);
  expect(isFarBelowUsual(slow, {})).toBe(true);
  expect(isFarBelowUsual(usedFor(360 * minutes, 2, slow), {})).toBe(true);
  // After a day or two of full use it is the usual pace, and at once where a person says so, or the profile allows no more.
  expect(isFarBelowUsual(usedFor(2_880 * minutes, 2, slow), {})).toBe(false);
  expect(isFarBelowUsual(resumedLane(slow, startMs), {})).toBe(false);
  expect(isFarBelowUsual(slow, { ratePerSecond: 2 })).toBe(false);
});
