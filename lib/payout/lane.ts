// THE LANE: one merchant at one endpoint, the unit of pace and brake (infra/docs/lanes.md). Its state is data, one item that all
// workers share; the one decision (go, wait until t, probe) is made of state and time alone. Slots to send at are a
// virtual schedule: whoever takes some moves the cursor on, and a slot that nobody used is lost, never made up for. Who
// finds no slot waits shortly, or joins the lane's line in the table of what waits, which is pulled (waiting/drain-lane.ts).

/** The names of a lane. */
export interface LaneName {
  readonly merchant: string;
  readonly endpointId: string;
}

/** A lane's name in one text. No merchant's name holds a slash (job-message.ts); an endpoint's may. */
export const nameOfLane = ({ merchant, endpointId }: LaneName): string => `${merchant}/${endpointId}`;

/** The lane of that name. */
export const laneOfName = (name: string): LaneName => ({
  merchant: name.slice(0, name.indexOf('/')),
  endpointId: name.slice(name.indexOf('/') + 1),
});

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

/** Which of a lane's lines: jobs without a batch go first. */
export type LineClass = 'urgent' | 'row';

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
  /** Until when somebody of that line is about to come for slots: who comes anew stands behind it. */
  readonly lines?: Readonly<Partial<Record<LineClass, number>>>;
  /** When a worker wrote it last, by the lanes' time. */
  readonly writtenAtMs: number;
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
  return {
    version: 0,
    ratePerSecond: ratePerSecond ?? startRatePerSecond,
    aboveMs: 0,
    generation: 0,
    loweredAtMs: 0,
    cursorMs: 0,
    notBeforeMs: 0,
    writtenAtMs: nowMs,
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
export type LaneStanding =
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
  /** Every lane that was ever written; without its state where newer code wrote it. */
  all(): Promise<readonly (LaneName & { readonly state?: LaneState })[]>;
}
