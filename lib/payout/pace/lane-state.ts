// THE STATE OF A LANE: what all workers share of one merchant at one endpoint, as data (infra/docs/lanes.md). lane.ts, learning.ts and
// brake.ts decide by it.

import type { Saying } from '../operate/control.ts';
import { whereSet } from '../where-set.ts';

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

/** The profile's caps for all workers together: requests a second, requests under way at once, money in doubt by currency. */
export interface LaneCaps {
  readonly ratePerSecond?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly doubtLimits?: Readonly<Record<string, string>> | undefined;
}

/** The caps of a profile, without its other settings. */
export const capsOf = ({ ratePerSecond, concurrency, doubtLimits = {} }: LaneCaps): LaneCaps =>
  whereSet<LaneCaps>({
    ratePerSecond,
    concurrency,
    doubtLimits: Object.keys(doubtLimits).length > 0 ? doubtLimits : undefined,
  });

/** The causes that close a lane. `refused`: many orders in a row were refused with one code; a person decides whether the lane goes on. */
export type ClosingCause =
  | 'not-connected'
  | 'no-answer'
  | 'server-error'
  | 'unclear'
  | 'credentials'
  | 'address'
  | 'account'
  | 'refused';

/** Permission to send one request at a moment. */
export interface Turn {
  readonly atMs: number;
  /** The lane's rate when the turn was taken: a turn of a much higher rate is void. */
  readonly ratePerSecond: number;
  /** True if a request had to wait for the turn: only then its answer shows whether the gateway takes this rate. */
  readonly pressed: boolean;
  readonly probe?: true;
  readonly isInquiry?: true;
}

/** What one request showed of the gateway, or of the account there. */
export interface Sign {
  /**
   * `accepted`: the gateway takes orders. `answered`: it answered about the order. `refused`: it refused the order with a code.
   * `slow-down`: too many requests. All else is trouble.
   */
  readonly says: 'accepted' | 'answered' | 'slow-down' | ClosingCause;
  readonly turn: Turn;
  /** The order's key. */
  readonly order: string;
  readonly sentAtMs: number;
  readonly tookMs: number;
  readonly code?: string;
  readonly retryAfterSeconds?: number;
  /** True for HTTP 503. */
  readonly isBusy?: boolean;
}

/** The classes of jobs: those without a batch go first. */
export type LineClass = 'urgent' | 'row';

/** The class of a job. */
export const lineClassOf = ({ batchId }: { readonly batchId?: string | undefined }): LineClass =>
  batchId === undefined ? 'urgent' : 'row';

/** The state of a lane, one for all workers. Times are epoch ms. */
export interface LaneState {
  /** Number of writes; 0 was never written. */
  readonly version: number;
  readonly writtenAtMs: number;
  readonly ratePerSecond: number;
  /** The rate at which the gateway last said "slow down"; absent while it never did. */
  readonly ceilingPerSecond?: number;
  /** When the next turn is free. */
  readonly nextFreeMs: number;
  readonly loweredAtMs: number;
  /** The gateway's own time (Retry-After). */
  readonly notBeforeMs: number;
  /**
   * `answers`, `slow`: recent answers, and those that said "slow down"; both are halved when many. `since`, `ok`: answers since the last
   * decrease that said so, and others. `run`: answers in a row that said so.
   */
  readonly heard: Readonly<Record<'answers' | 'slow' | 'since' | 'ok' | 'run', number>>;
  /**
   * `lastMs`: when the latest request was sent that the gateway took. `thisMinute`, `lastMinute`: how many it took in that minute of the
   * clock, and in the one before.
   */
  readonly taken: Readonly<Record<'lastMs' | 'thisMinute' | 'lastMinute', number>>;
  /** Moving averages of the time to an answer: now, and usually. */
  readonly latency?: { readonly nowMs: number; readonly usualMs: number };
  /** The lane's rate over the last five minutes of use, and the best of these values, which fades within a day of use. */
  readonly used?: { readonly lately: number; readonly usual: number };
  readonly streak?: Streak;
  readonly closed?: Closed;
  /** When the lane last opened. Earlier requests show nothing about now. */
  readonly openedAtMs: number;
  /** A person has stopped it. */
  readonly paused?: Saying;
  /** Until then parked urgent jobs are due: newcomers leave turns for them. */
  readonly urgentUntilMs?: number;
  /** The profile's caps as a worker read them last: the leader reads no profile. */
  readonly caps: LaneCaps;
  /** If the profile caps concurrency: for each request under way, when it is given up for lost. */
  readonly underWay?: readonly number[];
}

/** A lane whose brake is on; without a next probe a person must open it. */
export interface Closed {
  readonly cause: ClosingCause;
  /** For `account` and `refused`. */
  readonly code?: string;
  readonly sinceMs: number;
  /** Probes made so far. */
  readonly probes: number;
  /** Questions without an answer since an order probed last. */
  readonly asked: number;
  readonly nextProbeAtMs?: number;
  /** Until then a probe may be under way. */
  readonly probingUntilMs?: number;
}

/** Bad signs in a row. `order` and `sentAtMs` are the last one's: one order alone closes no lane. */
interface Streak {
  readonly says: ClosingCause;
  readonly code?: string;
  readonly order: string;
  readonly count: number;
  readonly sentAtMs: number;
}

/** When a turn is useful, and who asks for it. */
export interface TurnWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly isInquiry?: true;
  /** The leader asks, for parked jobs. Only the leader probes with orders. */
  readonly isLeader?: true;
}

/** An unused lane starts with this many a second. */
const startRatePerSecond = 20;

/** A lane of which nothing is known. */
export const newLane = (caps: LaneCaps): LaneState => ({
  version: 0,
  writtenAtMs: 0,
  ratePerSecond: caps.ratePerSecond ?? startRatePerSecond,
  nextFreeMs: 0,
  loweredAtMs: 0,
  notBeforeMs: 0,
  heard: { answers: 0, slow: 0, since: 0, ok: 0, run: 0 },
  taken: { lastMs: 0, thisMinute: 0, lastMinute: 0 },
  openedAtMs: 0,
  caps: capsOf(caps),
});

/** The lane's rate now, under its cap. */
export const rateOf = ({ ratePerSecond, caps }: Pick<LaneState, 'ratePerSecond' | 'caps'>): number =>
  Math.min(ratePerSecond, caps.ratePerSecond ?? Infinity);

/** True if the pace is below a quarter of the usual one, or of what the profile allows now. */
export const isFarBelowUsual = ({ used, caps }: Pick<LaneState, 'used' | 'caps'>): boolean =>
  used !== undefined && used.lately * 4 < Math.min(used.usual, caps.ratePerSecond ?? Infinity);
