// What one worker holds of one lane: slots and turns that it took beforehand, what it has learned and not told yet, what it
// has under way. Much can be said from it without a call.
import {
  type LaneCaps,
  type LaneName,
  laneStanding,
  type LaneState,
  exchangeMs,
  rateOf,
  shortestWaitMs,
  sliceMs,
  type LaneNow,
  servingNow,
} from './lane.ts';
import type { Sign } from './lane-brake.ts';
import type { LaneTime } from './lane-time.ts';
import {
  firstWaitMs,
  inVainMs,
  isFarBelowUsual,
  turnAtMs,
  type LaneAsk,
  type LaneGrant,
  type Slot,
} from './lane-line.ts';
import { fewMs, isUnclaimed, leadMs, take } from './lane-slots.ts';

/** What is under way for so long never comes to an end. */
const forgottenMs = 4 * (sliceMs + exchangeMs);
/** What was read is good for so long where it says only that somebody must wait. */
const waitServesMs = 3_000;
/** That slots are being lost is soon known to somebody else too. */
const freeServesMs = 500;
/** A slot in hand that is later than this, or a quarter of a gap later, is lost: made up for, it would come in a burst. */
const lateMs = 150;
/** So many requests without a word for so long, and for several times as long as is usual: nothing more is sent. */
const silent = { requests: 5, ms: 3_000, timesUsual: 5 };
/** Nobody can say what the lane lets through. */
export interface LaneUnknown {
  readonly kind: 'wait';
  readonly because: 'lane-unknown';
}

/** Somebody who waits to be told. */
export interface LaneAsker {
  readonly ask: LaneAsk;
  readonly resolve: (grant: LaneGrant | LaneUnknown) => void;
}

/** What the worker holds of one lane. */
export interface Share {
  readonly lane: LaneName;
  readonly time: LaneTime;
  caps: LaneCaps;
  state?: LaneState;
  /** Others have written it since this worker saw it before. */
  isShared: boolean;
  /** When the state came, in ticks of this process. */
  seenTickMs: number;
  slots: Slot[];
  turns: number[];
  asking: LaneAsker[];
  signs: Sign[];
  /** By the slot as its holder knows it: since when, in ticks of this process, and the slot by the lanes' time. */
  readonly underWay: Map<Slot, { readonly sinceTickMs: number; readonly slot: Slot }>;
  /** Somebody asks, or something must be known to all. */
  hasNews: boolean;
  /** Sends and new turns since, and how many a second there were lately. */
  asks: { sinceTickMs: number; count: number; perSecond: number; turnsPerSecond: number; turns: number };
  writing?: Promise<void> | undefined;
  reading?: Promise<void> | undefined;
}

/** Nothing in hand. */
export function newShare(lane: LaneName, time: LaneTime): Share {
  const asks = { sinceTickMs: time.tickMs(), count: 0, perSecond: 0, turns: 0, turnsPerSecond: 0 };
  return {
    lane,
    time,
    caps: {},
    isShared: false,
    seenTickMs: -Infinity,
    slots: [],
    turns: [],
    asking: [],
    signs: [],
    underWay: new Map(),
    hasNews: false,
    asks,
  };
}

/** What the store answered, and when. */
export function hear(share: Share, atMs: number, state: LaneState | undefined): void {
  share.time.heard(atMs);
  if (state) Object.assign(share, { state, seenTickMs: share.time.tickMs() });
}

/** The lane's time: that of the store, and never before the time at which the lane was written. */
export function nowOf({ time, state, seenTickMs }: Share): number {
  const sinceWrittenMs = state ? state.linesAtMs + time.tickMs() - seenTickMs : 0;
  return Math.max(time.nowMs(), sinceWrittenMs);
}

/** Failures must be known to all at once; so must an end of flight, where others wait for it. */
export function isUrgent({ says, probe, generation }: Sign, { state, caps }: Share): boolean {
  if (probe || caps.concurrency !== undefined) return true;
  if (says === 'slow-down') return state === undefined || generation >= (state.validFrom ?? state.generation);
  return says !== 'accepted' && says !== 'answered' && says !== 'nothing';
}

/** How many sends and new turns a second there are, by the last seconds. */
export function countSend({ asks, time }: Share): void {
  const nowMs = time.tickMs();
  const ms = nowMs - asks.sinceTickMs;
  if (ms >= 1_000) {
    const share = Math.min(ms / 4_000, 1);
    asks.perSecond += ((asks.count * 1_000) / ms - asks.perSecond) * share;
    asks.turnsPerSecond += ((asks.turns * 1_000) / ms - asks.turnsPerSecond) * share;
    Object.assign(asks, { sinceTickMs: nowMs, count: 0, turns: 0 });
  }
  asks.count += 1;
}

/** What can be said without a call; undefined where the lane must be asked. */
export function answerInHand(share: Share, ask: LaneAsk): LaneGrant | undefined {
  const { state, caps, time } = share;
  const nowMs = nowOf(share);
  if (isSilent(share)) return { kind: 'wait', because: 'pace', untilMs: nowMs + silent.ms * 3 };
  if (!state) return undefined;
  const isOpen = laneStanding(state, nowMs).kind === 'go';
  dropStale(share);
  const name = ask.class === 'inquiry' ? undefined : ask.class;
  const isRecent = time.tickMs() - share.seenTickMs < waitServesMs;
  const asking = { nowMs, caps };
  const [next] = share.slots;
  const isFree = next ? next.atMs <= nowMs : isUnclaimed(state, nowMs);
  if (name && ask.turn !== undefined && !isFree && isRecent && isOpen && isFarOff(state, name, ask.turn, asking))
    return { kind: 'wait', because: 'pace', untilMs: turnAtMs(state, name, ask.turn, asking), turn: ask.turn };
  const isFirst = ask.turn !== undefined || name !== 'row' || state.row.issued - state.row.serving < 1;
  if (next && next.atMs <= nowMs + (isFirst ? leadMs[ask.class] : 0)) return share.slots.shift();
  if (!isRecent) return undefined;
  // All slots that it might have are given; it would ask in vain.
  const fullUntilMs = state.cursorMs - leadMs[ask.class];
  if (name && isOpen && ask.turn !== undefined && fullUntilMs > nowMs) {
    const untilMs = Math.max(fullUntilMs + shortestWaitMs, nowMs + inVainMs(state, name, ask.turn, asking));
    return { kind: 'wait', because: 'pace', untilMs, turn: ask.turn };
  }
  if (!isOpen) return waitOfClosed(state, ask, asking);
  const turn = name === 'row' && ask.turn === undefined ? share.turns.shift() : undefined;
  if (turn === undefined) return undefined;
  share.asks.turns += 1;
  const waitMs = turnAtMs(state, 'row', turn, asking) - nowMs;
  return { kind: 'wait', because: 'pace', untilMs: nowMs + firstWaitMs(waitMs, turn), turn };
}

/** They lie in the order of their times: the first that is good says enough of the others. */
function dropStale(share: Share): void {
  const { slots, state, caps } = share;
  const nowMs = nowOf(share);
  const late = lateMs + (state ? 250 / rateOf(state, caps) : 0);
  const first = slots.findIndex((slot) => slot.atMs > nowMs - late && isGood(slot, share));
  if (first !== 0) slots.splice(0, first < 0 ? slots.length : first);
}

/** True while the turn is so far off that asking the lane is of no use. */
function isFarOff(state: LaneState, name: 'urgent' | 'row', turn: number, it: LaneNow): boolean {
  const soon = rateOf(state, it.caps) * (leadMs.row / 1000);
  return turn < state[name].issued && turn > servingNow(state, name, it) + soon;
}

/** True while the slot may be used: the lane is open, and no slower than when it was given. */
export function isGood({ untilMs, generation, probe }: Slot, share: Share): boolean {
  const { state } = share;
  const nowMs = nowOf(share);
  if (probe || !state) return true;
  return (
    untilMs > nowMs && generation >= (state.validFrom ?? state.generation) && laneStanding(state, nowMs).kind === 'go'
  );
}

/** True where somebody probably has to wait and what is known of the lane is old: a read may spare it a write. */
export function wantsRead(share: Share, { turn }: LaneAsk): boolean {
  const { state, time, seenTickMs } = share;
  const nowMs = nowOf(share);
  if (!state || time.tickMs() - seenTickMs < (isUnclaimed(state, nowMs) ? freeServesMs : waitServesMs)) return false;
  return turn !== undefined || state.row.issued - state.row.serving >= 1 || laneStanding(state, nowMs).kind !== 'go';
}

/** A closed lane is asked only by those to whom it may say something else than to come back late. */
function waitOfClosed(state: LaneState, ask: LaneAsk, { nowMs, caps }: LaneNow) {
  const it = { by: '', nowMs, caps, inFlight: 0, spareSlots: 0, spareTurns: 0 };
  const { grants, next } = take(state, [ask], it);
  const [grant] = grants;
  const isNew = ask.class !== 'inquiry' && (ask.class === 'urgent' ? !ask.turn : ask.turn === undefined);
  return grant?.kind === 'wait' && !isNew && next.closed === state.closed ? grant : undefined;
}

function isSilent({ underWay, state, time }: Share): boolean {
  if (underWay.size < silent.requests) return false;
  const longMs = Math.max(silent.ms, (state?.usualLatencyMs ?? 0) * silent.timesUsual);
  const nowMs = time.tickMs();
  let waiting = 0;
  for (const [slot, { sinceTickMs }] of underWay) {
    if (nowMs - sinceTickMs > longMs) waiting += 1;
    // Nobody would answer it now, and whoever held it is gone.
    if (nowMs - sinceTickMs > forgottenMs) underWay.delete(slot);
  }
  return waiting >= silent.requests;
}

/** Whoever waits for the pace of a lane that goes far below its usual one hears so. */
export function saidSlow(grant: LaneGrant | LaneUnknown, { state, caps }: Share): LaneGrant | LaneUnknown {
  const isSlow = grant.kind === 'wait' && grant.because === 'pace' && state && isFarBelowUsual(state, caps);
  return isSlow ? { ...grant, because: 'lane-slow' } : grant;
}

/** What others of this worker will ask for in the next seconds. */
export function spareOf({ asks, turns, slots }: Share, state: LaneState, asked: number) {
  if (asked === 0) return { spareSlots: 0, spareTurns: 0 };
  const sends = Math.min(asks.perSecond, rateOf(state, {}));
  const wanted = 1000 / rateOf(state, {}) > fewMs ? Math.round(sends) - asked : Math.round(sends * 3);
  return {
    spareSlots: Math.max(wanted - slots.length, 0),
    spareTurns: Math.max(Math.round(asks.turnsPerSecond * 2) - turns.length, 0),
  };
}
