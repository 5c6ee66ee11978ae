// THE LANE: one merchant at one endpoint, the unit of pace and brake (infra/docs/lanes.md). Its state is data, one item that
// all workers share; the one decision (go, wait until t, probe) is made of state and time alone. Slots to send at are a
// virtual schedule: a worker that takes some moves the cursor on, and an unused slot is lost, never made up for. A job that
// finds no slot waits shortly, or joins the lane's line in the table `waiting`, which is pulled (waiting/drain-lane.ts).

/** The names of a lane. */
export interface LaneName {
  readonly merchant: string;
  readonly endpointId: string;
}

/** A lane's name in one text. No merchant's name holds a slash (job.ts); an endpoint's may. */
export const nameOfLane = ({ merchant, endpointId }: LaneName): string => `${merchant}/${endpointId}`;

/** The lane of that name. */
export const laneOfName = (name: string): LaneName => ({
  merchant: name.slice(0, name.indexOf('/')),
  endpointId: name.slice(name.indexOf('/') + 1),
});

/** The profile's caps for all workers together: requests a second, and requests under way at once. */
export interface LaneCaps {
  readonly ratePerSecond?: number | undefined;
  readonly concurrency?: number | undefined;
}

/** The causes that close a lane. `refused`: one and the same refusal of orders, again and again; a person decides whether it goes on. */
export type ClosingCause =
  | 'not-connected'
  | 'no-answer'
  | 'server-error'
  | 'unclear'
  | 'credentials'
  | 'address'
  | 'account'
  | 'refused';

/** A lane whose brake is on; without a next probe a person must open it. */
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
 * Recent answers, and those that said "slow down" (ones); such answers since the rate was lowered, and in a row; requests taken
 * in a minute; when the latest taken one (lastMs) and the latest refused one (lastOneMs) were sent.
 */
export type Slowed = Readonly<
  Record<'answers' | 'ones' | 'since' | 'run' | 'before' | 'taken' | 'fromMs' | 'lastMs' | 'lastOneMs', number>
>;

/** The lines of a lane: jobs without a batch go first. */
export type LineClass = 'urgent' | 'row';

/** The state of a lane, one for all workers. Times are epoch ms. */
export interface LaneState {
  /** Number of writes; 0 was never written. */
  readonly version: number;
  /** The mark of the last write, by which its writer knows it again. */
  readonly writer?: string;
  readonly ratePerSecond: number;
  /** The rate at which the gateway last said "slow down"; absent while it never did. */
  readonly ceilingPerSecond?: number;
  /** Time of the slots used above the ceiling, in ms of the lane's time: for so long the ceiling held nobody back. */
  readonly aboveMs: number;
  /** Number of decreases: a slot of an earlier generation was given at another pace. */
  readonly generation: number;
  /** Slots of earlier generations are void; absent: only those of this one are valid. */
  readonly validFrom?: number;
  readonly loweredAtMs: number;
  readonly slowed?: Slowed;
  /** The lane's pace over the last five minutes of use, and the best of those, which fades within a day of use. */
  readonly used?: { readonly lately: number; readonly usual: number };
  /** When the next slot is free. */
  readonly cursorMs: number;
  /** The gateway's own time (Retry-After). */
  readonly notBeforeMs: number;
  /** Time to a whole answer: the recent one, and the usual one. */
  readonly latencyMs?: number;
  readonly usualLatencyMs?: number;
  /** Until when an asker of that line is about to come for slots: new askers wait behind it. */
  readonly lines?: Readonly<Partial<Record<LineClass, number>>>;
  /** When a worker wrote it last, by the lanes' time. */
  readonly writtenAtMs: number;
  readonly trouble?: Streak;
  readonly refusals?: Streak;
  readonly closed?: Closed;
  /** Requests that were sent before then show nothing about now. */
  readonly openedAtMs: number;
  /** A person has stopped it. */
  readonly paused?: { readonly by: string; readonly reason: string; readonly atMs: number };
  /** Requests that workers may have under way, by worker; kept where the profile caps their number. */
  readonly flights: Readonly<Record<string, { readonly count: number; readonly untilMs: number }>>;
}

/** A lane that nobody has used yet starts with this many a second. */
const startRatePerSecond = 20;
/** A slice and a probe end so long after they were taken; no POST of theirs starts later. */
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

/** True where the pace lies below a quarter of the usual one, or of what the profile allows now. */
export const isFarBelowUsual = ({ used }: Pick<LaneState, 'used'>, { ratePerSecond = Infinity }: LaneCaps): boolean =>
  used !== undefined && used.lately * 4 < Math.min(used.usual, ratePerSecond);

/** The reasons to wait for a lane; `lane-slow` is the pace of one that goes far below its usual one. */
type LaneWait = 'pace' | 'lane-slow' | 'lane-closed' | 'lane-paused';

/** The one decision of a lane. */
export type LaneDecision =
  | { readonly kind: 'go' }
  /** Without a time: until a person decides otherwise. */
  | { readonly kind: 'wait'; readonly because: LaneWait; readonly untilMs?: number }
  | { readonly kind: 'probe' };

/** The lane's decision now. */
export function laneDecision({ paused, closed, notBeforeMs }: LaneState, nowMs: number): LaneDecision {
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

/** The classes of askers, in the order in which they are served: a job without a batch, an inquiry, a row of a batch. */
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

/** True where another asker is about to come first: urgent jobs before rows, and each line before new askers. */
export function goesAfter(
  { lines }: Pick<LaneState, 'lines'>,
  { class: of, fromLine }: LaneAsk,
  nowMs: number,
): boolean {
  if (fromLine || of === 'inquiry') return false;
  return (lines?.urgent ?? 0) > nowMs || (of === 'row' && (lines?.row ?? 0) > nowMs);
}

/** The time of an answer of the store. */
export interface LaneMoment {
  /**
   * Epoch ms by the store's own clock, which is one for all processes and never this machine's, in whole seconds rounded
   * down: the store wrote its answer then, or within the second that followed.
   */
  readonly atMs: number;
}

/** The lane's state when the store answered. */
export type LaneRead = LaneMoment & { readonly state?: LaneState };

/** The outcome of a write. */
type LaneWritten = LaneMoment & ({ readonly kind: 'written' } | { readonly kind: 'lost'; readonly state: LaneState });

/** The store of lanes, one item each; every adapter keeps these promises. A write that is lost or late costs pace, never money. */
export interface Lanes {
  /** The latest state, read consistently; none for a lane that was never written. Rejects when it can't be read. */
  read(lane: LaneName): Promise<LaneRead>;
  /**
   * Writes `next` if the stored state is of the version before it (none, for version 1); otherwise answers with the stored
   * state. A call that rejects may have written.
   */
  write(lane: LaneName, next: LaneState): Promise<LaneWritten>;
  /** Every lane that was ever written; without its state where newer code wrote it. */
  all(): Promise<readonly (LaneName & { readonly state?: LaneState })[]>;
}
