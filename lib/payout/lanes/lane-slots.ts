// The grants of a lane, all in one write: slots to send at, or a probe. Urgent jobs go first, then inquiries, then rows of
// batches; an asker from a line before a new one. A worker takes some more slots in the same write, to spend later without
// one; those that it does not use are lost.
import {
  exchangeMs,
  type LaneCaps,
  laneDecision,
  type LaneState,
  longestWaitMs,
  rateOf,
  shortestWaitMs,
  sliceMs,
  type LaneAsk,
  type LaneGrant,
  type Slot,
  goesAfter,
} from './lane.ts';
import { takeClosed } from './lane-brake.ts';

/** How far ahead each class may take slots, two seconds of pace at most: the nearer, the sooner a change of pace is felt. */
const leadMs: Readonly<Record<LaneAsk['class'], number>> = { urgent: 2_000, inquiry: 1_500, row: 1_100 };
/** An urgent job may have the slot behind a whole slice of a line, so that it need not come again and again. */
const urgentGapMs = 1_000;
/** How far ahead one of this class may take a slot, where they are this gap apart. */
export const leadOf = (of: LaneAsk['class'], gapMs: number): number =>
  leadMs[of] + (of === 'urgent' ? Math.min(gapMs, urgentGapMs) : 0);
/** How far ahead a worker takes slots to spend without a write; less than urgent jobs, which must find some. */
const spareLeadMs = 1_900;
/** From this gap on slots are few, and one that is lost is dear. */
export const fewMs = 50;
/** Slots that a lane of unknown limit gives at once. */
const burst = 10;
/** A slot that nobody has taken so long after its time is anybody's: those of the line are not there. */
const unclaimedMs = 50;
/** A slice of a line is two seconds of pace. */
const lineLeadMs = 2_000;
/** The next slice of the line comes within so long after a slice, or after a probe that is due. */
const lineServesMs = 15_000;

/** The taker, and how much it takes beside what is asked for. */
export interface Taking {
  /** The worker's process. */
  readonly by: string;
  /** By the lanes' time (lane-time.ts). */
  readonly nowMs: number;
  readonly caps: LaneCaps;
  /** Requests that the worker has under way, and slots that it has left. */
  readonly inFlight: number;
  /** Slots that it would use soon. */
  readonly spareSlots: number;
}

/** The outcome of a take; it counts only once `next` is written. */
interface Taken {
  readonly next: LaneState;
  /** In the order of the asks. */
  readonly grants: readonly LaneGrant[];
  readonly slots: readonly Slot[];
}

/** Takes for all of these asks at once. Time never goes back from one write to the next. */
export function take(state: LaneState, asks: readonly LaneAsk[], taking: Taking): Taken {
  const it = { ...taking, nowMs: Math.max(taking.nowMs, state.writtenAtMs) };
  const decision = laneDecision(state, it.nowMs);
  const next = withLines({ ...state, version: state.version + 1, writtenAtMs: it.nowMs }, asks, it.nowMs);
  if (decision.kind === 'go') return takeOpen(next, asks, it);
  // A gateway that refuses new orders of an account still answers inquiries about the old ones.
  const { cause, answersInquiries } = state.closed ?? {};
  const answers = !state.paused && (cause === 'account' || cause === 'refused' || answersInquiries === true);
  const inquiries = asks.filter((ask) => answers && ask.class === 'inquiry');
  const open = takeOpen(next, inquiries, { ...it, spareSlots: 0 });
  let { closed } = state;
  const hasLine = Object.values(state.lines ?? {}).some((untilMs) => untilMs > it.nowMs);
  const grants = asks.map((ask): LaneGrant => {
    const paced = open.grants[inquiries.indexOf(ask)];
    if (paced) return paced;
    if (!closed || state.paused) return decision.kind === 'wait' ? decision : noSlot;
    const answer = takeClosed(closed, ask, { ...it, hasLine }, decision.kind === 'probe');
    ({ closed } = answer);
    return answer.grant;
  });
  return { ...open, next: { ...open.next, ...(closed && { closed }) }, grants };
}

/** Askers from a line come again soon: in the next slice, or at the next probe. */
function withLines(state: LaneState, asks: readonly LaneAsk[], nowMs: number): LaneState {
  const classes = new Set(asks.flatMap((ask) => (ask.fromLine && ask.class !== 'inquiry' ? [ask.class] : [])));
  if (classes.size === 0) return state;
  const untilMs = Math.max(nowMs, state.closed?.nextProbeAtMs ?? 0) + lineServesMs;
  return { ...state, lines: { ...state.lines, ...Object.fromEntries([...classes].map((of) => [of, untilMs])) } };
}

function takeOpen(state: LaneState, asks: readonly LaneAsk[], it: Taking): Taken {
  const schedule = scheduleOf(state, it);
  const grants = new Map<LaneAsk, LaneGrant>();
  for (const ask of asks.toSorted((a, b) => rank[a.class] - rank[b.class]))
    grants.set(ask, grantOf(ask, state, it, schedule));
  const slots: Slot[] = [];
  while (slots.length < it.spareSlots) {
    const spare = schedule.slot(schedule.gapMs > fewMs ? leadMs.row : spareLeadMs);
    if (!spare) break;
    slots.push(spare);
  }
  return { next: { ...state, ...schedule.state() }, grants: asks.map((ask) => grants.get(ask) ?? noSlot), slots };
}

function grantOf(ask: LaneAsk, state: LaneState, { nowMs }: Taking, schedule: Schedule): LaneGrant {
  // Unless slots are being lost: then those of the line are not there.
  if (goesAfter(state, ask, nowMs) && !schedule.isUnclaimed) return noSlot;
  const slot = schedule.slot(ask.fromLine ? lineLeadMs : leadOf(ask.class, schedule.gapMs));
  if (slot) return slot;
  const untilMs = Math.min(Math.max(schedule.cursorMs(), nowMs + shortestWaitMs), nowMs + longestWaitMs);
  return { kind: 'wait', because: 'pace', untilMs };
}

const noSlot: LaneGrant = { kind: 'wait', because: 'pace' };
const rank: Readonly<Record<LaneAsk['class'], number>> = { urgent: 0, inquiry: 1, row: 2 };

type Schedule = ReturnType<typeof scheduleOf>;

/** True while slots are being lost: then no asker has one before it. */
export const isUnclaimed = ({ cursorMs }: Pick<LaneState, 'cursorMs'>, nowMs: number): boolean =>
  cursorMs < nowMs - unclaimedMs;

/** The virtual schedule: one slot after the other, a gap apart. */
function scheduleOf(state: LaneState, { nowMs, caps, by, inFlight }: Taking) {
  const gapMs = 1000 / rateOf(state, caps);
  const isKnown = state.ceilingPerSecond !== undefined || caps.ratePerSecond !== undefined;
  const lastMs = state.cursorMs;
  let cursorMs = Math.max(lastMs, nowMs - (isKnown ? 0 : (burst - 1) * gapMs));
  const others = Object.entries(state.flights).filter(([name, { untilMs }]) => name !== by && untilMs > nowMs);
  const underWay = others.reduce((sum, [, { count }]) => sum + count, 0);
  let mine = inFlight;
  return {
    gapMs,
    isUnclaimed: isUnclaimed({ cursorMs: lastMs }, nowMs),
    cursorMs: () => cursorMs,
    /** The next slot, where it is not further ahead than that. */
    slot(aheadMs: number): Slot | undefined {
      if (cursorMs > nowMs + aheadMs || underWay + mine >= (caps.concurrency ?? Infinity)) return undefined;
      const slot = { atMs: Math.max(cursorMs, nowMs), untilMs: nowMs + sliceMs, pressed: cursorMs > nowMs };
      cursorMs += gapMs;
      mine += 1;
      return { kind: 'slot', ...slot, generation: state.generation };
    },
    state() {
      // The cursor stays where it was without a slot taken: that shows that slots are being lost.
      if (mine === inFlight) return { cursorMs: lastMs, flights: state.flights };
      if (caps.concurrency === undefined) return { cursorMs, flights: {} };
      const own = mine > 0 ? { [by]: { count: mine, untilMs: nowMs + sliceMs + exchangeMs } } : {};
      return { cursorMs, flights: { ...Object.fromEntries(others), ...own } };
    },
  };
}
