// Those who ask a lane: who they are, what they are told, and for how long they wait until they ask again; and whether its
// pace and its latency are the usual ones.
import {
  type LaneCaps,
  type LaneNow,
  type LaneWait,
  type LineName,
  longestWaitMs,
  rateOf,
  servingNow,
  shortestWaitMs,
  type LaneState,
} from './lane.ts';

/** Who asks: a job without a batch, an inquiry, a row of a batch. Served in this order. */
type LaneClass = 'urgent' | 'inquiry' | 'row';

/** Who wants to send. */
export interface LaneAsk {
  readonly class: LaneClass;
  /** The order's key: no order is the probe twice running. */
  readonly order: string;
  /** The turn that it was given when it asked before. */
  readonly turn?: number;
}

/** Leave to send one request, or the reason to wait. */
export type LaneGrant =
  | Slot
  | { readonly kind: 'wait'; readonly because: LaneWait; readonly untilMs?: number; readonly turn?: number };

/** Leave to send one request: not before `atMs`, not after `untilMs`. */
export interface Slot {
  readonly kind: 'slot';
  readonly atMs: number;
  readonly untilMs: number;
  readonly generation: number;
  /** It had to be waited for: only then the pace was what held the lane back. */
  readonly pressed: boolean;
  readonly probe?: true;
}

const latelyMs = 300_000;
const usualMs = 86_400_000;
/** A lane that nothing presses says nothing of what its gateway takes. */
export const isOfUse = ({ pressed, says }: { pressed: boolean; says: string }) => pressed || says === 'slow-down';

/** What a lane's pace is like since it was written last; rest counts a minute at most. */
export function usedNow({ used, ratePerSecond, linesAtMs }: LaneState, nowMs: number): NonNullable<LaneState['used']> {
  const { lately, usual } = used ?? { lately: 0, usual: 0 };
  const ms = Math.min(Math.max(nowMs - linesAtMs, 0), 60_000);
  const now = lately + ((ratePerSecond - lately) * ms) / latelyMs;
  return { lately: now, usual: Math.max(now, usual + ((now - usual) * ms) / usualMs) };
}

/** True where it lies below a quarter of the usual one, or of what the profile allows now. */
export const isFarBelowUsual = ({ used }: Pick<LaneState, 'used'>, { ratePerSecond = Infinity }: LaneCaps): boolean =>
  used !== undefined && used.lately * 4 < Math.min(used.usual, ratePerSecond);

/** Moving averages: of the last ten answers, and of what is usual, which takes up what lasts. */
export function withLatency(state: LaneState, { tookMs }: { readonly tookMs: number }): LaneState {
  if (tookMs <= 0) return state;
  const latencyMs = state.latencyMs === undefined ? tookMs : state.latencyMs + (tookMs - state.latencyMs) * 0.1;
  const usual = state.usualLatencyMs ?? latencyMs;
  return { ...state, latencyMs, usualLatencyMs: latencyMs < usual ? latencyMs : usual + (latencyMs - usual) * 0.005 };
}

/** Clearly slower than usual: the gateway has more to do than it can. */
export const isSlower = ({ latencyMs = 0, usualLatencyMs = 0 }: LaneState) => latencyMs > 2.5 * usualLatencyMs + 500;

/** Of the time to its turn, that somebody waits before it looks again: the lane may have become faster. */
export const partOfWait = 0.6;
const longestInVainMs = 45_000;
const againMs = 20_000;

/** Whoever was called and finds no slot waits a quarter as long again; who had one before is not made to wait for long. */
export function inVainMs(state: LaneState, name: LineName, turn: number, it: LaneNow): number {
  if (turn === 0) return againMs;
  const sinceCalledMs = ((servingNow(state, name, it) - turn) / rateOf(state, it.caps)) * 1000;
  return Math.min(Math.max(sinceCalledMs / 4, 0), longestInVainMs);
}

/** When somebody with this turn should come back; at most SQS's longest delay ahead. */
export function turnAtMs(state: LaneState, name: 'urgent' | 'row', turn: number, it: LaneNow): number {
  const aheadMs = ((turn - servingNow(state, name, it)) / rateOf(state, it.caps)) * 1000;
  return it.nowMs + Math.min(Math.max(aheadMs * partOfWait, shortestWaitMs), longestWaitMs);
}

/** Somewhere from 0 to 1: evenly, one number after the other, however many they are. */
export const evenly = (number: number): number => (number * 0.618_034) % 1;

/** The first of several long waits: a hundred thousand that came at once do not come back at once. */
export function firstWaitMs(waitMs: number, turn: number): number {
  return waitMs < longestWaitMs ? waitMs : longestWaitMs * (0.4 + 0.6 * evenly(turn));
}
