// What a lane gives to those who ask, all in one write: slots to send at, a probe, or a turn in the line. Urgent jobs go
// first, then inquiries, then rows of batches by their turns. A worker takes some more in the same write, to spend later
// without one; what it does not use is lost.
import {
  exchangeMs,
  type LaneCaps,
  laneStanding,
  type LaneState,
  longestWaitMs,
  rateOf,
  shortestWaitMs,
  sliceMs,
  servingNow,
} from './lane.ts';
import { takeClosed } from './lane-brake.ts';
import { firstWaitMs, inVainMs, partOfWait, type LaneAsk, type LaneGrant, type Slot } from './lane-line.ts';

/** How far ahead each may take slots, two seconds of pace at most: the nearer, the sooner a change of pace is felt. */
export const leadMs: Readonly<Record<LaneAsk['class'], number>> = { urgent: 2_000, inquiry: 1_500, row: 1_100 };
/** How far ahead a worker takes slots to spend without a write; less than urgent jobs, which must find some. */
const spareLeadMs = 1_900;
/** From this gap on slots are few, and one that is lost is dear. */
export const fewMs = 50;
/** Slots that a lane of unknown limit gives at once. */
const burst = 10;
/** Who was called so lately and finds no slot was called too early. */
const justCalledMs = 10_000;
/** A slot that nobody has taken so long after its time is anybody's, and so are the next ones: who was called is not there. */
const unclaimedMs = 50;
const unclaimedLeadMs = 500;

/** Who takes, and how much beside what is asked for. */
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
  /** Turns that it would give to rows soon. */
  readonly spareTurns: number;
}

/** What was taken; it counts only once `next` is written. */
export interface Taken {
  readonly next: LaneState;
  /** In the order of the asks. */
  readonly grants: readonly LaneGrant[];
  readonly slots: readonly Slot[];
  readonly turns: readonly number[];
}

/** Takes for all of these asks at once. Time never goes back from one write to the next. */
export function take(state: LaneState, asks: readonly LaneAsk[], taking: Taking): Taken {
  const it = { ...taking, nowMs: Math.max(taking.nowMs, state.linesAtMs) };
  const standing = laneStanding(state, it.nowMs);
  const next = { ...state, version: state.version + 1 };
  if (standing.kind === 'go') return takeOpen(next, asks, it);
  // The gateway that refuses new orders of an account still answers how the old ones stand.
  const { cause, answersInquiries } = state.closed ?? {};
  const answers = !state.paused && (cause === 'account' || cause === 'refused' || answersInquiries === true);
  const inquiries = asks.filter((ask) => answers && ask.class === 'inquiry');
  const open = takeOpen(next, inquiries, { ...it, spareSlots: 0, spareTurns: 0 });
  let { closed } = state;
  const issued = { urgent: state.urgent.issued, row: state.row.issued };
  const grants = asks.map((ask): LaneGrant => {
    const paced = open.grants[inquiries.indexOf(ask)];
    if (paced) return paced;
    if (!closed || state.paused) return standing.kind === 'wait' ? standing : noSlot;
    const answer = takeClosed(closed, ask, it, standing.kind === 'probe');
    ({ closed } = answer);
    if (ask.class === 'inquiry' || answer.grant.kind === 'slot') return answer.grant;
    // An urgent job that had a slot before gets a number now, by which it is known to have waited.
    const turn = ask.class === 'urgent' ? ask.turn || undefined : ask.turn;
    return { ...answer.grant, turn: turn ?? (issued[ask.class] += 1) - 1 };
  });
  const lines = {
    urgent: { ...open.next.urgent, issued: issued.urgent },
    row: { ...open.next.row, issued: issued.row },
  };
  return { ...open, next: { ...open.next, ...lines, ...(closed && { closed }) }, grants };
}

function takeOpen(state: LaneState, asks: readonly LaneAsk[], it: Taking): Taken {
  const schedule = scheduleOf(state, it);
  const lines = linesOf(state, it, schedule);
  const grants = new Map<LaneAsk, LaneGrant>();
  for (const ask of asks.toSorted(
    (a, b) => rank[a.class] - rank[b.class] || (a.turn ?? Infinity) - (b.turn ?? Infinity),
  ))
    grants.set(ask, lines.grant(ask));
  const slots: Slot[] = [];
  while (slots.length < it.spareSlots) {
    const spare = schedule.slot(schedule.gapMs > fewMs ? leadMs.row : spareLeadMs);
    if (!spare) break;
    slots.push(spare);
  }
  const turns = lines.turns(it.spareTurns);
  const next = { ...state, ...lines.state(), ...schedule.state() };
  return { next, grants: asks.map((ask) => grants.get(ask) ?? noSlot), slots, turns };
}

const noSlot: LaneGrant = { kind: 'wait', because: 'pace' };
const rank: Readonly<Record<LaneAsk['class'], number>> = { urgent: 0, inquiry: 1, row: 2 };

type Schedule = ReturnType<typeof scheduleOf>;

/** True while slots are being lost: whoever is there now has no one before him. */
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
      // Without a slot taken it stays where it was, by which it is seen that slots are being lost.
      if (mine === inFlight) return { cursorMs: lastMs, flights: state.flights };
      if (caps.concurrency === undefined) return { cursorMs, flights: {} };
      const own = mine > 0 ? { [by]: { count: mine, untilMs: nowMs + sliceMs + exchangeMs } } : {};
      return { cursorMs, flights: { ...Object.fromEntries(others), ...own } };
    },
  };
}

/** The two lines. A slot that somebody without a turn has had calls the rows later; so does one who came in vain. */
function linesOf(state: LaneState, it: Taking, schedule: Schedule) {
  const { nowMs } = it;
  const { gapMs } = schedule;
  const called = { urgent: servingNow(state, 'urgent', it), row: servingNow(state, 'row', it) };
  const issued = { urgent: state.urgent.issued, row: state.row.issued };
  const serving = { ...called };
  let inVain = 0;
  const wait = (untilMs: number, turn?: number): LaneGrant => ({
    kind: 'wait',
    because: 'pace',
    untilMs: Math.min(Math.max(untilMs, nowMs + shortestWaitMs), nowMs + longestWaitMs),
    ...(turn !== undefined && { turn }),
  });
  return {
    grant(ask: LaneAsk): LaneGrant {
      const asker = ask.class;
      if (asker === 'inquiry') {
        const slot = schedule.slot(leadMs.inquiry);
        if (slot) serving.row -= 1;
        return slot ?? wait(schedule.cursorMs());
      }
      // A turn of another table's line, from before a restore, is none.
      const known = ask.turn !== undefined && ask.turn < issued[asker] ? ask.turn : undefined;
      const turn = known ?? issued[asker];
      const isCalled = turn <= called[asker] + 1000 / gapMs;
      const aheadMs = isCalled ? leadMs[asker] : schedule.isUnclaimed ? unclaimedLeadMs : undefined;
      const slot = aheadMs === undefined ? undefined : schedule.slot(aheadMs);
      if (slot) {
        if (asker === 'urgent') serving.row -= 1;
        return slot;
      }
      const sinceCalledMs = (called[asker] - turn) * gapMs;
      if (known === undefined) issued[asker] += 1;
      else if (sinceCalledMs >= 0 && sinceCalledMs < justCalledMs) serving[asker] -= 1;
      const waitMs = -sinceCalledMs * partOfWait;
      if (!isCalled) return wait(nowMs + (known === undefined ? firstWaitMs(waitMs, turn) : waitMs), turn);
      inVain += 1;
      return wait(schedule.cursorMs() + Math.max((inVain - 1) * gapMs, inVainMs(state, asker, turn, it)), turn);
    },
    turns(count: number): readonly number[] {
      const first = issued.row;
      issued.row += count;
      return Array.from({ length: count }, (_, index) => first + index);
    },
    state: () => ({
      urgent: { issued: issued.urgent, serving: serving.urgent },
      // Nobody waits: there is nobody to call later.
      row: { issued: issued.row, serving: called.row >= state.row.issued ? called.row : serving.row },
      linesAtMs: nowMs,
    }),
  };
}
