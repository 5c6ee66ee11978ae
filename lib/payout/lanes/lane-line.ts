// The askers of a lane: their classes, the answers they get, and who waits before them; and whether the lane's pace and latency
// are the usual ones.
import type { LaneCaps, LaneState, LaneWait } from './lane.ts';

/** The class of an asker: a job without a batch, an inquiry, a row of a batch. Served in this order. */
type LaneClass = 'urgent' | 'inquiry' | 'row';

/** One question to a lane: may this order's request be sent. */
export interface LaneAsk {
  readonly class: LaneClass;
  /** The order's key: no order is the probe twice running. */
  readonly order: string;
  /** Set for a job that has waited in the line: others wait behind it. */
  readonly fromLine?: true;
}

/** Leave to send one request, or the reason to wait. */
export type LaneGrant =
  | Slot
  /** Without a time: until the job's line has come to it, or a person decides otherwise. */
  | { readonly kind: 'wait'; readonly because: LaneWait; readonly untilMs?: number };

/** Leave to send one request: not before `atMs`, not after `untilMs`. */
export interface Slot {
  readonly kind: 'slot';
  readonly atMs: number;
  readonly untilMs: number;
  readonly generation: number;
  /** True where the slot had to be waited for: only then the pace was what held the lane back. */
  readonly pressed: boolean;
  readonly probe?: true;
}

const latelyMs = 300_000;
const usualMs = 86_400_000;
/** True where the pace learns from it: a lane that nothing presses shows nothing of what its gateway takes. */
export const isOfUse = ({ pressed, says }: { pressed: boolean; says: string }) => pressed || says === 'slow-down';

/** The lane's pace since its last write; rest counts a minute at most. */
export function usedNow(
  { used, ratePerSecond, writtenAtMs }: LaneState,
  nowMs: number,
): NonNullable<LaneState['used']> {
  const { lately, usual } = used ?? { lately: 0, usual: 0 };
  const ms = Math.min(Math.max(nowMs - writtenAtMs, 0), 60_000);
  const now = lately + ((ratePerSecond - lately) * ms) / latelyMs;
  return { lately: now, usual: Math.max(now, usual + ((now - usual) * ms) / usualMs) };
}

/** True where the pace lies below a quarter of the usual one, or of what the profile allows now. */
export const isFarBelowUsual = ({ used }: Pick<LaneState, 'used'>, { ratePerSecond = Infinity }: LaneCaps): boolean =>
  used !== undefined && used.lately * 4 < Math.min(used.usual, ratePerSecond);

/** Moving averages: of the last ten answers, and of the usual latency, which takes up what lasts. */
export function withLatency(state: LaneState, { tookMs }: { readonly tookMs: number }): LaneState {
  if (tookMs <= 0) return state;
  const latencyMs = state.latencyMs === undefined ? tookMs : state.latencyMs + (tookMs - state.latencyMs) * 0.1;
  const usual = state.usualLatencyMs ?? latencyMs;
  return { ...state, latencyMs, usualLatencyMs: latencyMs < usual ? latencyMs : usual + (latencyMs - usual) * 0.005 };
}

/** Clearly slower than usual: the gateway has more to do than it can. */
export const isSlower = ({ latencyMs = 0, usualLatencyMs = 0 }: LaneState) => latencyMs > 2.5 * usualLatencyMs + 500;

/** True where another asker is about to come first: urgent jobs before rows, and each line before new askers. */
export function goesAfter(
  { lines }: Pick<LaneState, 'lines'>,
  { class: of, fromLine }: LaneAsk,
  nowMs: number,
): boolean {
  if (fromLine || of === 'inquiry') return false;
  return (lines?.urgent ?? 0) > nowMs || (of === 'row' && (lines?.row ?? 0) > nowMs);
}
