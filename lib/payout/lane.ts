// THE LANE: one merchant at one endpoint, the unit of pace and brake (DESIGN 4.6). Its state is data, one item that all
// workers share; the one decision (go, wait until t, probe) is made of state and time alone. Slots to send at are a
// virtual schedule: whoever takes some moves the cursor on, and a slot that nobody used is lost, never made up for. Who
// finds no slot gets a turn in the line, a number; it comes back when the line is about to reach that number.

/** The names of a lane. */
export interface LaneName {
  readonly merchant: string;
  readonly endpointId: string;
}

/** What the profile allows all workers together: requests a second, and under way at once. */
export interface LaneCaps {
  readonly ratePerSecond?: number | undefined;
  readonly concurrency?: number | undefined;
}

/** What closes a lane. `refused`: one and the same refusal of orders, again and again; a person says whether it goes on. */
export type ClosingCause =
  | 'not-connected'
  | 'no-answer'
  | 'server-error'
  | 'unclear'
  | 'credentials'
  | 'address'
  | 'account'
  | 'refused';

/** A lane whose brake is on; without a next probe a person must say so first. */
export interface Closed {
  readonly cause: ClosingCause;
  /** For `account` and `refused`. */
  readonly code?: string;
  readonly sinceMs: number;
  /** Probes made so far. */
  readonly probes: number;
  readonly nextProbeAtMs?: number;
  /** Probes for which a waiting job was told to come back in time. */
  readonly duties: number;
  /** Orders meet silence, questions are answered: inquiries pass. */
  readonly answersInquiries?: boolean;
  /** Until `untilMs` nobody else probes. */
  readonly lastProbe?: { readonly order: string; readonly by: string; readonly atMs: number; readonly untilMs: number };
}

/** Consecutive bad signs. `order` and `sentAtMs` are the last one's: one order alone closes no lane. */
export interface Streak {
  readonly cause: ClosingCause;
  readonly code?: string;
  readonly order: string;
  readonly count: number;
  readonly sentAtMs?: number;
}

/**
 * Answers lately, and those that said "slow down" (ones); said since the rate was lowered, and running; taken in a minute;
 * when the latest taken one (lastMs) and the latest refused one (lastOneMs) were sent.
 */
export type Slowed = Readonly<
  Record<'answers' | 'ones' | 'since' | 'run' | 'before' | 'taken' | 'fromMs' | 'lastMs' | 'lastOneMs', number>
>;

/** Numbers that were given to those who wait, and how far they were called. */
interface Line {
  readonly issued: number;
  readonly serving: number;
}

/** What all workers know of a lane. Times are epoch ms. */
export interface LaneState {
  /** Counts writes; 0 was never written. */
  readonly version: number;
  /** Of the last write, by which its writer knows it again. */
  readonly writer?: string;
  readonly ratePerSecond: number;
  /** The rate at which the gateway last said "slow down"; absent while it never did. */
  readonly ceilingPerSecond?: number;
  /** Slots in use above the ceiling since, in ms of the lane's time: so long the ceiling held nobody back. */
  readonly aboveMs: number;
  /** Counts decreases: a slot of an earlier generation was given at another pace. */
  readonly generation: number;
  /** Slots of earlier generations are void; absent: only those of this one are valid. */
  readonly validFrom?: number;
  readonly loweredAtMs: number;
  readonly slowed?: Slowed;
  /** Its pace over the last five minutes of use, and the best of those, which is forgotten within a day of use. */
  readonly used?: { readonly lately: number; readonly usual: number };
  /** When the next slot is free. */
  readonly cursorMs: number;
  /** The gateway's own word (Retry-After). */
  readonly notBeforeMs: number;
  /** Time to a whole answer: lately, and where it lies when nothing is the matter. */
  readonly latencyMs?: number;
  readonly usualLatencyMs?: number;
  readonly urgent: Line;
  readonly row: Line;
  /** When a worker wrote it last, by the lanes' time; the lines were moved on then. */
  readonly linesAtMs: number;
  readonly trouble?: Streak;
  readonly refusals?: Streak;
  readonly closed?: Closed;
  /** What was sent before then says nothing about now. */
  readonly openedAtMs: number;
  /** A person has stopped it. */
  readonly paused?: { readonly by: string; readonly reason: string; readonly atMs: number };
  /** Requests that workers may have under way, by worker; kept where the profile caps their number. */
  readonly flights: Readonly<Record<string, { readonly count: number; readonly untilMs: number }>>;
}

/** A lane that nobody has used yet starts with this many a second. */
const startRatePerSecond = 20;
/** A slice and a probe end so long after they were taken; the POST is held to it. */
export const sliceMs = 10_000;
/** The longest that an exchange lasts after its slice (limits.ts: gatewayTotalTimeoutMs). */
export const exchangeMs = 30_000;
export const shortestWaitMs = 1_000;
/** SQS's longest delay, and the longest time between two probes. */
export const longestWaitMs = 900_000;

/** A lane of which nothing is known. */
export function newLane({ ratePerSecond }: LaneCaps, nowMs: number): LaneState {
  // Turn 0 is that of those who had a slot before: they were called long ago.
  const line = { issued: 1, serving: 1 };
  return {
    version: 0,
    ratePerSecond: ratePerSecond ?? startRatePerSecond,
    aboveMs: 0,
    generation: 0,
    loweredAtMs: 0,
    cursorMs: 0,
    notBeforeMs: 0,
    urgent: line,
    row: line,
    linesAtMs: nowMs,
    openedAtMs: 0,
    flights: {},
  };
}

/** The lane's rate now, under its cap. */
export const rateOf = ({ ratePerSecond }: Pick<LaneState, 'ratePerSecond'>, caps: LaneCaps): number =>
  Math.min(ratePerSecond, caps.ratePerSecond ?? Infinity);

/** Why somebody waits for a lane; `lane-slow` is the pace of one that goes far below its usual one. */
export type LaneWait = 'pace' | 'lane-slow' | 'lane-closed' | 'lane-paused';

/** The one decision. */
type LaneStanding =
  | { readonly kind: 'go' }
  /** Without a time: until a person says otherwise. */
  | { readonly kind: 'wait'; readonly because: LaneWait; readonly untilMs?: number }
  | { readonly kind: 'probe' };

/** What the lane lets anybody do now. */
export function laneStanding({ paused, closed, notBeforeMs }: LaneState, nowMs: number): LaneStanding {
  if (paused) return { kind: 'wait', because: 'lane-paused' };
  if (closed) {
    const { nextProbeAtMs, lastProbe } = closed;
    if (nextProbeAtMs === undefined) return { kind: 'wait', because: 'lane-closed' };
    const untilMs = Math.max(nextProbeAtMs, lastProbe?.untilMs ?? 0);
    return nowMs < untilMs ? { kind: 'wait', because: 'lane-closed', untilMs } : { kind: 'probe' };
  }
  const waits = notBeforeMs > nowMs && notBeforeMs <= nowMs + 3_600_000;
  return waits ? { kind: 'wait', because: 'pace', untilMs: notBeforeMs } : { kind: 'go' };
}

// The line of those who wait for a slot: numbers, and how far they have been called by now. It moves on by itself while the
// lane is open, so that whoever waits can tell when to come back without a call (lane-line.ts).

/** When it is, and what the profile allows. */
export interface LaneNow {
  readonly nowMs: number;
  readonly caps: LaneCaps;
}

/** Jobs without a batch have a line of their own. */
export type LineName = 'urgent' | 'row';

/** The line is called a little faster than slots come: a slot without anybody is lost. */
const calledAhead = 1.05;
/** The number up to which a line has been called by now; it moves on by itself while the lane is open. */
export function servingNow(state: LaneState, name: LineName, { nowMs, caps }: LaneNow): number {
  const { serving, issued } = state[name];
  if (laneStanding(state, nowMs).kind !== 'go') return serving;
  const called = (Math.max(nowMs - state.linesAtMs, 0) / 1000) * rateOf(state, caps) * calledAhead;
  return Math.min(serving + called, issued);
}

/** When the store answered. */
export interface LaneMoment {
  /**
   * Epoch ms by the store's own clock, which is one for all processes and never this machine's, in whole seconds rounded
   * down: the store wrote its answer then, or within the second that followed.
   */
  readonly atMs: number;
}

/** What stood there when the store answered. */
export type LaneRead = LaneMoment & { readonly state?: LaneState };

/** What became of a write. */
type LaneWritten = LaneMoment & ({ readonly kind: 'written' } | { readonly kind: 'lost'; readonly state: LaneState });

/** One item per lane, in words that every adapter keeps. What is lost or late costs pace, never money. */
export interface Lanes {
  /** The latest state, read consistently; none for a lane that was never written. Rejects when it can't be told. */
  read(lane: LaneName): Promise<LaneRead>;
  /**
   * Writes `next` if what stands there is of the version before it (none, for version 1); otherwise answers with what
   * stands there. A call that rejects may have written.
   */
  write(lane: LaneName, next: LaneState): Promise<LaneWritten>;
  /** Every lane that was ever written. */
  all(): Promise<readonly (LaneName & { readonly state: LaneState })[]>;
}
