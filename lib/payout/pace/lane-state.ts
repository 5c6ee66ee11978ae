// THE STATE OF A LANE: what all workers share of one merchant at one endpoint, as data (infra/docs/lanes.md).
// What is decided by these words is in lane.ts, learning.ts and brake.ts.

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

/** The caps alone, of a whole profile. */
export const capsOf = ({ ratePerSecond, concurrency, doubtLimits = {} }: LaneCaps): LaneCaps =>
  whereSet<LaneCaps>({
    ratePerSecond,
    concurrency,
    doubtLimits: Object.keys(doubtLimits).length > 0 ? doubtLimits : undefined,
  });

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

/** Leave to send one request. */
export interface Turn {
  readonly atMs: number;
  /** The lane's rate when the turn was taken: a turn of a much higher rate is void. */
  readonly ratePerSecond: number;
  /** Somebody had to wait for it: only then an answer shows what the gateway takes. */
  readonly pressed: boolean;
  readonly probe?: true;
  readonly isInquiry?: true;
}

/** What one request showed of the gateway, or of the account there. */
export interface Sign {
  /**
   * `accepted`: the gateway takes orders. `answered`: it is there, and this was about the order. `refused`: it is there and
   * refused the order with a code. `slow-down`: too many requests. Otherwise trouble.
   */
  readonly says: 'accepted' | 'answered' | 'slow-down' | ClosingCause;
  readonly turn: Turn;
  /** The order's key. */
  readonly order: string;
  readonly sentAtMs: number;
  readonly tookMs: number;
  readonly code?: string;
  readonly retryAfterSeconds?: number;
  /** 503. */
  readonly isBusy?: boolean;
}

/** The classes of jobs: those without a batch go first. */
export type LineClass = 'urgent' | 'row';

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
   * Recent answers, and those that said "slow down" (halved when many); since the last decrease those that did, and others; those that
   * did in a row.
   */
  readonly heard: Readonly<Record<'answers' | 'slow' | 'since' | 'ok' | 'run', number>>;
  /** When the latest request that was taken was sent; how many in that minute of the clock, and in the one before. */
  readonly taken: Readonly<Record<'lastMs' | 'thisMinute' | 'lastMinute', number>>;
  /** Moving averages of the time to an answer. */
  readonly latency?: { readonly nowMs: number; readonly usualMs: number };
  /** The lane's pace over the last five minutes of use, and the best of those, which fades within a day of use. */
  readonly used?: { readonly lately: number; readonly usual: number };
  readonly streak?: Streak;
  readonly closed?: Closed;
  /** Requests that were sent before then show nothing about now. */
  readonly openedAtMs: number;
  /** A person has stopped it. */
  readonly paused?: { readonly by: string; readonly reason: string; readonly atMs: number };
  /** Until then parked urgent jobs are due: newcomers leave turns for them. */
  readonly urgentUntilMs?: number;
  /** The profile's caps as a worker read them last: the leader reads no profile. */
  readonly caps: LaneCaps;
  /** Where the profile caps concurrency: when each request under way is given up for lost. */
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

/** When a turn is of use. */
export interface TurnWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly isInquiry?: true;
  /** The leader's: its jobs wait already. It alone probes with orders. */
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
