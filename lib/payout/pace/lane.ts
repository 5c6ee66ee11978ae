// THE LANE: one merchant at one endpoint, the unit of pace and brake (infra/docs/lanes.md). Its state is data, one item that all workers
// share; each decision depends on state and time alone. A turn is permission to send one request at a moment. Turns follow one another on
// the lane's own time line; an unused turn is lost.
import { braked, isAboutOrders, mayProbe, probeGapMs } from './brake.ts';
import { type LaneName, type Turn, type Sign, type LaneState, type TurnWindow, rateOf } from './lane-state.ts';
import { paced } from './learning.ts';

/** The longest that an exchange lasts (limits.ts: gatewayTotalTimeoutMs). */
const exchangeMs = 30_000;
/** Turns that may go at once while no limit is known. */
const burst = 10;
/** How far ahead newcomers may take turns while parked urgent jobs are due. */
const behindUrgentMs = 500;
/** A turn is void if its rate was this many times the present one. */
const voidFrom = 1.15;

/** A turn, or when to ask again (epoch ms). Without a time: when a person has let the lane go on. */
export type Grant = Turn | { readonly waitUntilMs?: number };

export const isTurn = (grant: Grant): grant is Turn => 'atMs' in grant;

/** How many turns there are for the leader in this window; in a closed lane one, when its probe is due. */
export function room(state: LaneState, nowMs: number, window: TurnWindow): number {
  const { fromMs, toMs, isInquiry } = window;
  const { paused, closed } = state;
  if (paused) return 0;
  if (closed && !(isInquiry && isAboutOrders(closed))) return mayProbe(closed, nowMs, window) ? 1 : 0;
  const freeMs = Math.max(state.nextFreeMs, state.notBeforeMs, fromMs);
  const turns = Math.max(0, Math.ceil(((toMs - freeMs) * rateOf(state)) / 1000));
  const { concurrency } = state.caps;
  return concurrency === undefined
    ? turns
    : Math.min(turns, Math.max(0, concurrency - underWayOf(state, nowMs).length));
}

const underWayOf = ({ underWay = [] }: LaneState, nowMs: number) => underWay.filter((untilMs) => untilMs > nowMs);

/** Takes a turn in this window. The lane is unchanged if there is none. */
export function take(
  state: LaneState,
  nowMs: number,
  window: TurnWindow,
): { readonly state: LaneState; readonly grant: Grant } {
  const { paused, closed, caps } = state;
  const none = (waitUntilMs?: number) => ({ state, grant: { waitUntilMs } });
  if (paused) return none();
  const { isInquiry } = window;
  const rate = rateOf(state);
  if (closed && !(window.isInquiry && isAboutOrders(closed))) {
    if (!mayProbe(closed, nowMs, window)) return none(closed.nextProbeAtMs);
    const atMs = Math.max(window.fromMs, nowMs);
    // One probe at a time.
    const probing = { ...closed, nextProbeAtMs: atMs + exchangeMs + probeGapMs(0), probingUntilMs: atMs + exchangeMs };
    const probe = { atMs, ratePerSecond: rate, pressed: false, probe: true as const, isInquiry };
    return { state: { ...state, closed: probing }, grant: probe };
  }
  const isNewcomer = !window.isLeader && !window.isInquiry;
  const isBehind = isNewcomer && (state.urgentUntilMs ?? 0) > nowMs;
  const toMs = isBehind ? Math.min(window.toMs, nowMs + behindUrgentMs) : window.toMs;
  const burstMs =
    state.ceilingPerSecond === undefined && caps.ratePerSecond === undefined ? ((burst - 1) * 1000) / rate : 0;
  const freeMs = Math.max(state.nextFreeMs, state.notBeforeMs, window.fromMs - burstMs);
  if (freeMs > toMs) return none(freeMs);
  const atMs = Math.max(freeMs, window.fromMs);
  const grant: Turn = { atMs, ratePerSecond: rate, pressed: freeMs > window.fromMs, isInquiry };
  const next = { ...state, nextFreeMs: freeMs + 1000 / rate };
  if (caps.concurrency === undefined) return { state: next, grant };
  const underWay = underWayOf(state, nowMs);
  if (underWay.length >= caps.concurrency) return none(nowMs + 1_000);
  return { state: { ...next, underWay: [...underWay, atMs + exchangeMs] }, grant };
}

/** True while a turn may be used: the lane is open, and not much slower than when it was taken. */
export function isGood({ ratePerSecond, probe, isInquiry }: Turn, state: LaneState, nowMs: number): boolean {
  if (state.paused) return false;
  if (probe) return true;
  const isOpen = !state.closed || (isInquiry === true && isAboutOrders(state.closed));
  return isOpen && isWithin({ ratePerSecond }, state) && state.notBeforeMs <= nowMs;
}

/** False for a turn that was taken at a much higher rate. */
export const isWithin = (
  { ratePerSecond }: Pick<Turn, 'ratePerSecond'>,
  state: Pick<LaneState, 'ratePerSecond' | 'caps'>,
): boolean => ratePerSecond <= rateOf(state) * voidFrom;

/** The lane after a request's sign: its pace, then its brake. */
export function learned(state: LaneState, sign: Sign, nowMs: number): LaneState {
  return braked(paced(arrived(state, sign.turn), sign, nowMs), sign, nowMs);
}

/** The lane without the turn's place among the requests under way. */
function arrived(state: LaneState, { atMs }: Turn): LaneState {
  const mine = state.underWay?.indexOf(atMs + exchangeMs) ?? -1;
  return state.underWay && mine >= 0 ? { ...state, underWay: state.underWay.toSpliced(mine, 1) } : state;
}

/** The lane after a turn in which nothing was sent: its probe or its place is free again. */
export function unsent(state: LaneState, turn: Turn): LaneState {
  const next = { ...arrived(state, turn) };
  if (!next.closed || !turn.probe) return next;
  return { ...next, closed: { ...next.closed, probingUntilMs: undefined, nextProbeAtMs: turn.atMs } };
}

const [latelyMs, usualMs] = [300_000, 86_400_000];

/** The state to write: with its version, its time, and its rate since the last write. Rest counts as a minute at most. */
export function asWritten(next: LaneState, before: LaneState, nowMs: number): LaneState {
  const rate = rateOf(before);
  const { lately, usual } = before.used ?? { lately: 0, usual: 0 };
  const ms = Math.min(Math.max(nowMs - before.writtenAtMs, 0), 60_000);
  const now = lately + ((rate - lately) * ms) / latelyMs;
  const used = { lately: now, usual: Math.max(now, usual + ((now - usual) * ms) / usualMs) };
  const { paused, closed } = before;
  return { ...next, version: before.version + 1, writtenAtMs: nowMs, used: paused || closed ? next.used : used };
}

/** The store of lanes, one item each; every adapter keeps these promises. A write that is lost or late costs pace, never money. */
export interface Lanes {
  /** The latest state, read consistently; undefined for a lane that was never written. Rejects if it can't be read. */
  read(lane: LaneName): Promise<LaneState | undefined>;
  /**
   * Writes `next` if the stored state is of the version before it (none, for version 1); otherwise answers with the stored
   * state. A call that rejects may have written.
   */
  write(lane: LaneName, next: LaneState): Promise<'written' | LaneState>;
  /** False if there was no room for its name: `all` does not show it. */
  isNamed(lane: LaneName): Promise<boolean>;
  /** Every lane that was ever written; without its state if newer code wrote it. */
  all(): Promise<readonly (LaneName & { readonly state?: LaneState })[]>;
}
