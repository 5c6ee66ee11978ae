// What a lane learns of its gateway's limit, answer by answer.
import { expect, it } from 'vitest';
import { type LaneState, newLane } from '../../lib/payout/lane.ts';
import { learned } from '../../lib/payout/lane-pace.ts';
import { startMs } from '../support/time-and-chance.ts';

/** Answers as this gateway gives them, one in each slot of the lane's own pace; an answer takes no time. */
function asked(
  answers: (nth: number, atMs: number) => 'accepted' | { readonly retryAfterSeconds?: number },
  { forMs, state = newLane({}, startMs) }: { readonly forMs: number; readonly state?: LaneState },
): LaneState {
  let lane = state;
  let nth = 0;
  for (let atMs = startMs; atMs < startMs + forMs;) {
    const answer = answers((nth += 1), atMs);
    const seen = { order: `o-${nth}`, sentAtMs: atMs, tookMs: 1, generation: lane.generation, pressed: true };
    const sign = answer === 'accepted' ? { ...seen, says: answer } : { ...seen, ...answer, says: 'slow-down' as const };
    lane = learned(lane, [sign], { nowMs: atMs, caps: {} });
    atMs = Math.max(atMs + 1000 / lane.ratePerSecond, lane.notBeforeMs);
  }
  return lane;
}

/** So many in each second, as fixed windows count them. */
function limitOf(perSecond: number, more: { readonly retryAfterSeconds?: number } = {}) {
  let [second, taken] = [0, 0];
  return (_: number, atMs: number) => {
    const now = Math.floor(atMs / 1000);
    if (now !== second) [second, taken] = [now, 0];
    return (taken += 1) <= perSecond ? ('accepted' as const) : more;
  };
}

const minutes = 60_000;

it.each([2, 5, 50])('finds a limit of %d a second', (perSecond) => {
  const { ratePerSecond } = asked(limitOf(perSecond), { forMs: 10 * minutes });
  expect(ratePerSecond).toBeGreaterThan(0.8 * perSecond);
  expect(ratePerSecond).toBeLessThanOrEqual(1.1 * perSecond);
});

it('finds a limit although each refusal asks for a long silence, in which nothing is tried', () => {
  const { ratePerSecond } = asked(limitOf(2, { retryAfterSeconds: 20 }), { forMs: 5 * minutes });
  expect(ratePerSecond).toBeLessThanOrEqual(2.2);
});

it('finds a limit that is counted by the minute', () => {
  let [minute, taken, total] = [-1, 0, 0];
  const byTheMinute = (_: number, atMs: number) => {
    const now = Math.floor(atMs / minutes);
    if (now !== minute) [minute, taken] = [now, 0];
    taken += 1;
    if (taken <= 120 && atMs >= startMs + 5 * minutes) total += 1;
    return taken <= 120 ? ('accepted' as const) : {};
  };
  asked(byTheMinute, { forMs: 25 * minutes });
  // Twenty minutes at two a second.
  expect(total / (120 * 20)).toBeGreaterThan(0.85);
});
