// The line of those who wait for a slot: numbers, and how far they have been called by now. It moves on by itself while the
// lane is open, so that whoever waits can tell when to come back without a call.
import { type LaneCaps, laneStanding, type LaneState, longestWaitMs, rateOf, shortestWaitMs } from './lane.ts';

/** When it is, and what the profile allows. */
export interface LaneMoment {
  readonly nowMs: number;
  readonly caps: LaneCaps;
}

/** Jobs without a batch have a line of their own. */
type LineName = 'urgent' | 'row';

/** The line is called a little faster than slots come: a slot without anybody is lost. */
const calledAhead = 1.05;
/** Of the time to its turn, that somebody waits before it looks again: the lane may have become faster. */
export const partOfWait = 0.6;
const longestInVainMs = 45_000;
const againMs = 20_000;

/** The number up to which a line has been called by now; it moves on by itself while the lane is open. */
export function servingNow(state: LaneState, name: LineName, { nowMs, caps }: LaneMoment): number {
  const { serving, issued } = state[name];
  if (laneStanding(state, nowMs).kind !== 'go') return serving;
  const called = (Math.max(nowMs - state.linesAtMs, 0) / 1000) * rateOf(state, caps) * calledAhead;
  return Math.min(serving + called, issued);
}

/** Whoever was called and finds no slot waits a quarter as long again; who had one before is not made to wait for long. */
export function inVainMs(state: LaneState, name: LineName, turn: number, it: LaneMoment): number {
  if (turn === 0) return againMs;
  const sinceCalledMs = ((servingNow(state, name, it) - turn) / rateOf(state, it.caps)) * 1000;
  return Math.min(Math.max(sinceCalledMs / 4, 0), longestInVainMs);
}

/** When somebody with this turn should come back; at most SQS's longest delay ahead. */
export function turnAtMs(state: LaneState, name: 'urgent' | 'row', turn: number, it: LaneMoment): number {
  const aheadMs = ((turn - servingNow(state, name, it)) / rateOf(state, it.caps)) * 1000;
  return it.nowMs + Math.min(Math.max(aheadMs * partOfWait, shortestWaitMs), longestWaitMs);
}

/** The first of several long waits: a hundred thousand that came at once do not come back at once. */
export function firstWaitMs(waitMs: number, turn: number): number {
  return waitMs < longestWaitMs ? waitMs : longestWaitMs * (0.4 + 0.6 * ((turn * 0.618_034) % 1));
}
