// A PARKED JOB: an item of the table `waiting`, under its order's key and the digest of its whole message. Its moment is also its lease: a
// worker that takes it, or parks it again, names the moment that it saw. The index is late: it may lack jobs, and may show jobs that are
// gone.
import { createHash } from 'node:crypto';
import type { LaneName, LineClass } from '../pace/lane-state.ts';
import { longestWaitMs } from '../limits.ts';
import { waitsInLine } from './reasons.ts';

/** The proven jobs that one order can have parked. */
export const parkedOfOrder = 8;
/** The jobs of an order that are read. More unproven ones may wait. */
export const shownOfOrder = 2 * parkedOfOrder;
/** Partitions that hold one line of a lane. */
export const lineShards = 4;
/** A line is counted up to this many, then it is "more". */
export const lineCountedTo = 10_000;

/** The place of a job in the table. */
export interface JobPlace {
  /** The order's key. */
  readonly key: string;
  /** The digest of the whole message; for an unproven one, behind a tilde. */
  readonly digest: string;
}

/** The digest under which an unproven message is parked: it takes no place from proven ones. */
export const unproven = (digest: string): string => `~${digest}`;
/** True for the place of an unproven message. */
export const isUnproven = ({ digest }: Pick<JobPlace, 'digest'>): boolean => digest.startsWith('~');

/** A body under a data key, and that key wrapped (body-seal.ts). All base64url. */
export interface SealedBody {
  readonly wrappedKey: string;
  readonly iv: string;
  readonly text: string;
}

/** A reason, and the moment from which the job may go (epoch ms). */
export interface Wait {
  readonly because: string;
  readonly goAtMs: number;
}

/** The index's fields of a job: enough to find, count and order it, and no body. */
export interface ParkedHead extends JobPlace, Wait {
  /** Absent in the common line: its merchant or its approval is not known. */
  readonly lane?: LaneName;
  readonly class: LineClass;
  /** When its message was sent. */
  readonly sinceMs: number;
  /** When the job was first sent, if its message is a redriven one. Not in the index. */
  readonly firstSentAtMs?: number;
  /** Its own moment: before that it is not late. */
  readonly notBeforeMs?: number;
  readonly expiresAtMs?: number;
  readonly batchId?: string;
  readonly money?: { readonly currency: string; readonly minorUnits: bigint };
}

/** A parked job. */
export interface ParkedJob extends ParkedHead {
  readonly messageId: string;
  /** How often the message came back from the dead-letter queue; absent when never. */
  readonly redrives?: number;
  readonly groupId?: string;
  readonly sealed: SealedBody;
  /** Beginnings in a row that came to no end. */
  readonly begun: number;
}

/** A job that waits for pace is in the line of its class; any other in the line of moments. */
export type Line = LineClass | 'moments';

/** The line of a job. */
export const parkedLine = ({ lane, class: of, because }: Pick<ParkedHead, 'lane' | 'class' | 'because'>): Line =>
  lane && waitsInLine(because) ? of : 'moments';

/** The shard of a job's lines. */
export const lineShardOf = (key: string): number => createHash('sha256').update(key).digest().readUInt8(0) % lineShards;

/** When it is too late to send the job: at its expiry, or after the longest that any job waits. */
export const overAtMs = ({ expiresAtMs = Infinity, sinceMs }: Pick<ParkedHead, 'expiresAtMs' | 'sinceMs'>): number =>
  Math.min(expiresAtMs, sinceMs + longestWaitMs);

/** How long a line is. Jobs whose order is in doubt or held are not counted. */
export interface LineLength {
  /** Exact up to `lineCountedTo`; there it may be more. */
  readonly rows: number;
  /** Since when its first job waits. In the future if all jobs wait for moments of their own; absent if the line is empty. */
  readonly oldestSinceMs?: number;
}

/** Since when the job waits: at its own moment at the earliest. */
export const waitsSinceMs = ({ sinceMs, notBeforeMs = 0 }: Pick<ParkedHead, 'sinceMs' | 'notBeforeMs'>): number =>
  Math.max(sinceMs, notBeforeMs);

/** The table `waiting`. Each call rejects if it is unknown whether it was done. */
export interface ParkedJobs {
  /** Puts the job unless the same is there. `full`: its order has as many as it may have. */
  put(job: ParkedJob): Promise<'parked' | 'full'>;
  /** The jobs of an order, read strongly: all that are proven, and the first of the others. */
  ofOrder(key: string): Promise<readonly ParkedHead[]>;
  /** Counts a beginning, once per lease; undefined if the job is gone, or has another moment. */
  begin(place: JobPlace, leaseMs: number): Promise<ParkedJob | undefined>;
  /** Gives the job another wait. False if it is gone, or has another moment. Without `begun` the count stays. */
  move(
    job: JobPlace & Pick<ParkedHead, 'lane' | 'class'>,
    leaseMs: number,
    to: Wait & { readonly begun?: number },
  ): Promise<boolean>;
  /** Removes a job that has ended, whatever its lease. */
  remove(place: JobPlace): Promise<void>;
  /** The first jobs of a line, or of the common line, in the order of their moments, up to `untilMs`; by the index. */
  first(lane: LaneName | undefined, line: Line, atMost: number, untilMs?: number): Promise<readonly ParkedHead[]>;
  /** Expired jobs in the lines of the lane's classes; a job in the line of moments comes at its expiry by its moment. By the index. */
  expired(lane: LaneName, nowMs: number, atMost: number): Promise<readonly ParkedHead[]>;
  /** By the index. */
  length(lane: LaneName, of: LineClass): Promise<LineLength>;
  /** All jobs, or a part of them, by the index, in no order. */
  all(part?: { readonly part: number; readonly of: number }): AsyncIterable<ParkedHead>;
}
