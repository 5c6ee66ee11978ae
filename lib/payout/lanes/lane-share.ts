// One worker's share of one lane: the slots that it took beforehand, the signs that it has not written yet, the requests that it
// has under way. Many questions are answered from it without a call.
import {
  type LaneCaps,
  type LaneName,
  laneDecision,
  type LaneState,
  exchangeMs,
  rateOf,
  shortestWaitMs,
  sliceMs,
  isFarBelowUsual,
  type LaneAsk,
  type LaneGrant,
  type Slot,
  goesAfter,
} from './lane.ts';
import type { Sign } from './lane-brake.ts';
import type { LaneTime } from './lane-time.ts';
import { fewMs, isUnclaimed, leadOf, take } from './lane-slots.ts';

/** A request that is under way for so long never ends. */
const abandonedMs = 4 * (sliceMs + exchangeMs);
/** A state that was read serves for so long where it only makes an asker wait. */
const waitServesMs = 3_000;
/** The shorter time, while slots are being lost: another worker soon knows that too. */
const freeServesMs = 500;
/** A slot in hand that is later than this, or a quarter of a gap later, is lost: made up for, it would come in a burst. */
const lateMs = 150;
/** So many requests without an answer for so long, and for several times as long as is usual: nothing more is sent. */
const silent = { requests: 5, ms: 3_000, timesUsual: 5 };
/** The state of the lane could not be had. */
export interface LaneUnknown {
  readonly kind: 'wait';
  readonly because: 'lane-unknown';
}

/** An asker that waits for its answer. */
export interface LaneAsker {
  readonly ask: LaneAsk;
  readonly resolve: (grant: LaneGrant | LaneUnknown) => void;
}

/** The share of one worker in one lane. */
export interface Share {
  readonly lane: LaneName;
  readonly time: LaneTime;
  caps: LaneCaps;
  state?: LaneState;
  /** True once others have written the lane since this worker saw it before. */
  isShared: boolean;
  /** When the state came, in ticks of this process. */
  seenTickMs: number;
  /** When the store answered last, whatever its answer. */
  heardTickMs: number;
  slots: Slot[];
  asking: LaneAsker[];
  signs: Sign[];
  /** By the slot as its holder knows it: the start, in ticks of this process, and the slot by the lanes' time. */
  readonly underWay: Map<Slot, { readonly sinceTickMs: number; readonly slot: Slot }>;
  /** True where somebody asks, or a sign must reach all. */
  hasNews: boolean;
  /** The time of counting, the sends since, and how many a second there were lately. */
  asks: { sinceTickMs: number; count: number; perSecond: number };
  writing?: Promise<void> | undefined;
  reading?: Promise<void> | undefined;
}

/** A share with nothing in hand. */
export function newShare(lane: LaneName, time: LaneTime): Share {
  const asks = { sinceTickMs: time.tickMs(), count: 0, perSecond: 0 };
  return {
    lane,
    time,
    caps: {},
    isShared: false,
    seenTickMs: -Infinity,
    heardTickMs: -Infinity,
    slots: [],
    asking: [],
    signs: [],
    underWay: new Map(),
    hasNews: false,
    asks,
  };
}

/** Takes in the store's answer, and its time. */
export function hear(share: Share, atMs: number, state: LaneState | undefined): void {
  share.time.heard(atMs);
  share.heardTickMs = share.time.tickMs();
  if (state) Object.assign(share, { state, seenTickMs: share.time.tickMs() });
}

/** The lane's time: that of the store, and never before the time at which the lane was written. */
export function nowOf({ time, state, seenTickMs }: Share): number {
  const sinceWrittenMs = state ? state.writtenAtMs + time.tickMs() - seenTickMs : 0;
  return Math.max(time.nowMs(), sinceWrittenMs);
}

/** Failures must be known to all at once; so must an end of flight, where others wait for it. */
export function isUrgent({ says, probe, generation }: Sign, { state, caps }: Share): boolean {
  if (probe || caps.concurrency !== undefined) return true;
  if (says === 'slow-down') return state === undefined || generation >= (state.validFrom ?? state.generation);
  return says !== 'accepted' && says !== 'answered' && says !== 'nothing';
}

/** How many sends a second there are, by the last seconds. */
export function countSend({ asks, time }: Share): void {
  const nowMs = time.tickMs();
  const ms = nowMs - asks.sinceTickMs;
  if (ms >= 1_000) {
    const share = Math.min(ms / 4_000, 1);
    asks.perSecond += ((asks.count * 1_000) / ms - asks.perSecond) * share;
    Object.assign(asks, { sinceTickMs: nowMs, count: 0 });
  }
  asks.count += 1;
}

/** The answer that needs no call; undefined where the lane must be asked. */
export function answerInHand(share: Share, ask: LaneAsk): LaneGrant | undefined {
  const { state, time } = share;
  const nowMs = nowOf(share);
  if (isSilent(share)) return { kind: 'wait', because: 'pace', untilMs: nowMs + silent.ms * 3 };
  if (!state) return undefined;
  const isOpen = laneDecision(state, nowMs).kind === 'go';
  dropStale(share);
  const isRecent = time.tickMs() - share.seenTickMs < waitServesMs;
  const [next] = share.slots;
  const isFree = next ? next.atMs <= nowMs : isUnclaimed(state, nowMs);
  const gapMs = 1000 / rateOf(state, share.caps);
  const isBehind = goesAfter(state, ask, nowMs) && !isFree;
  if (isBehind && isRecent && isOpen) return { kind: 'wait', because: 'pace' };
  if (next && !isBehind && next.atMs <= nowMs + leadOf(ask.class, gapMs)) return share.slots.shift();
  if (!isRecent) return undefined;
  if (!isOpen) return waitOfClosed(share, state, ask);
  // All slots that this asker might get are taken; it would ask in vain.
  const fullUntilMs = state.cursorMs - leadOf(ask.class, gapMs);
  if (ask.class === 'inquiry' || ask.fromLine || fullUntilMs <= nowMs) return undefined;
  return { kind: 'wait', because: 'pace', untilMs: fullUntilMs + shortestWaitMs };
}

/** Slots in hand that nobody can use any more, and requests that nobody would hear of: neither is under way. */
export function dropLost(share: Share): void {
  dropStale(share);
  dropAbandoned(share);
}

/** Nobody would answer such a request now, and its holder is gone. */
function dropAbandoned({ underWay, time }: Share): void {
  const nowMs = time.tickMs();
  for (const [slot, { sinceTickMs }] of underWay) if (nowMs - sinceTickMs > abandonedMs) underWay.delete(slot);
}

/** Slots lie in the order of their times: the first that is good vouches for the others. */
function dropStale(share: Share): void {
  const { slots, state, caps } = share;
  const nowMs = nowOf(share);
  const late = lateMs + (state ? 250 / rateOf(state, caps) : 0);
  const first = slots.findIndex((slot) => slot.atMs > nowMs - late && isGood(slot, share));
  if (first !== 0) slots.splice(0, first < 0 ? slots.length : first);
}

/** True while the slot may be used: the lane is open, and no slower than when it was given. */
export function isGood({ untilMs, generation, probe }: Slot, share: Share): boolean {
  const { state } = share;
  const nowMs = nowOf(share);
  if (probe || !state) return true;
  return (
    untilMs > nowMs && generation >= (state.validFrom ?? state.generation) && laneDecision(state, nowMs).kind === 'go'
  );
}

/** True where the asker probably has to wait and the known state is old: a read may spare a write. */
export function wantsRead(share: Share, ask: LaneAsk): boolean {
  const { state, time, seenTickMs } = share;
  const nowMs = nowOf(share);
  if (!state || time.tickMs() - seenTickMs < (isUnclaimed(state, nowMs) ? freeServesMs : waitServesMs)) return false;
  return goesAfter(state, ask, nowMs) || laneDecision(state, nowMs).kind !== 'go';
}

/** The answer of a closed lane, which only those ask to whom it may say something else than to come back late. */
function waitOfClosed(share: Share, state: LaneState, ask: LaneAsk): LaneGrant | undefined {
  const it = { by: '', nowMs: nowOf(share), caps: share.caps, inFlight: 0, spareSlots: 0 };
  const { grants, next } = take(state, [ask], it);
  const [grant] = grants;
  return grant?.kind === 'wait' && next.closed === state.closed ? grant : undefined;
}

function isSilent(share: Share): boolean {
  const { underWay, state, time } = share;
  if (underWay.size < silent.requests) return false;
  const longMs = Math.max(silent.ms, (state?.usualLatencyMs ?? 0) * silent.timesUsual);
  const nowMs = time.tickMs();
  let waiting = 0;
  for (const { sinceTickMs } of underWay.values()) if (nowMs - sinceTickMs > longMs) waiting += 1;
  dropAbandoned(share);
  return waiting >= silent.requests;
}

/** The grant, as `lane-slow` where it waits for the pace of a lane that goes far below its usual one. */
export function saidSlow(grant: LaneGrant | LaneUnknown, { state, caps }: Share): LaneGrant | LaneUnknown {
  const isSlow = grant.kind === 'wait' && grant.because === 'pace' && state && isFarBelowUsual(state, caps);
  return isSlow ? { ...grant, because: 'lane-slow' } : grant;
}

/** The slots that others of this worker will ask for in the next seconds; a line takes its own, and none of these. */
export function spareOf({ asks, slots }: Share, state: LaneState, asking: readonly LaneAsk[]) {
  const asked = asking.filter(({ fromLine }) => !fromLine).length;
  if (asked === 0) return { spareSlots: 0 };
  const sends = Math.min(asks.perSecond, rateOf(state, {}));
  const wanted = 1000 / rateOf(state, {}) > fewMs ? Math.round(sends) - asked : Math.round(sends * 3);
  return { spareSlots: Math.max(wanted - slots.length, 0) };
}
