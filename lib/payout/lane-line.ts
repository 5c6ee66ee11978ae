// Those who ask a lane: who they are, what they are told, and who stands before them; and whether its pace and its latency are
// the usual ones.
import type { LaneCaps, LaneState, LaneWait } from './lane.ts';

/** Who asks: a job without a batch, an inquiry, a row of a batch. Served in this order. */
type LaneClass = 'urgent' | 'inquiry' | 'row';

/** Who wants to send. */
export interface LaneAsk {
  readonly class: LaneClass;
  /** The order's key: no order is the probe twice running. */
  readonly order: string;
  /** It has waited in the line: others stand behind it. */
  readonly fromLine?: true;
}

/** Leave to send one request, or the reason to wait. */
export type LaneGrant =
  | Slot
  /** Without a time: until its line has come to it, or a person says otherwise. */
  | { readonly kind: 'wait'; readonly because: LaneWait; readonly untilMs?: number };

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
export function usedNow(
  { used, ratePerSecond, writtenAtMs }: LaneState,
  nowMs: number,
): NonNullable<LaneState['used']> {
  const { lately, usual } = used ?? { lately: 0, usual: 0 };
  const ms = Math.min(Math.max(nowMs - writtenAtMs, 0), 60_000);
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

/** True where somebody stands before it who is about to come: urgent jobs before rows, and each before who comes anew. */
export function standsBehind(
  { lines }: Pick<LaneState, 'lines'>,
  { class: of, fromLine }: LaneAsk,
  nowMs: number,
): boolean {
  if (fromLine || of === 'inquiry') return false;
  return (lines?.urgent ?? 0) > nowMs || (of === 'row' && (lines?.row ?? 0) > nowMs);
}
