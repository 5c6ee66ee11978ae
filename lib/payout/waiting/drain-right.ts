// THE RIGHT TO DRAIN a lane's line: its holder takes the heads, and hands it on with the line's message before it submits
// them. Its number fences: a message of an earlier number, or a second delivery of one, finds another number and does
// nothing. A right that lapsed was lost with its worker: the next one begins at the head again.
import type { LaneMoment, LaneName, LineClass } from '../lanes/lane.ts';
import { type LinePlace, lineShards, type RowHead } from './waiting-row.ts';

/** One item per lane, beside the lane's own. Times are epoch ms by the store's clock. */
export interface DrainRight {
  /** Counts writes; the message that may go on bears it. */
  readonly number: number;
  /** The mark of the last write, by which its writer knows it again. */
  readonly writer: string;
  /** When the message that was sent last will be there. */
  readonly nextAtMs: number;
  /** Over then: its worker or its message is lost. */
  readonly leaseUntilMs: number;
  /** The line was found empty: no message is on its way. */
  readonly isOver?: true;
  /** The end of the line was reached: then it is looked at from its head once more, for what the index showed too late. */
  readonly againAtMs?: number;
  /** How far the heads were taken, by shard. */
  readonly cursors: Readonly<Record<LineClass, readonly (LinePlace | null)[]>>;
}

/** The right as the store answered. */
export type DrainRead = LaneMoment & { readonly right?: DrainRight };
type DrainWritten = LaneMoment & ({ readonly kind: 'written' } | { readonly kind: 'lost' });

/** The rights. Losing one costs time, never money. */
export interface DrainRights {
  /** Read consistently. */
  read(lane: LaneName): Promise<DrainRead>;
  /** Writes `next` if the stored right is of the number before it (none, for number 1). A call that rejects may have written. */
  write(lane: LaneName, next: DrainRight): Promise<DrainWritten>;
  /**
   * Names a lane of which a row is about to be put: should its line's first message get lost, the sweeper finds it. Costs a read, once
   * a process and lane.
   */
  name(lane: LaneName): Promise<void>;
  /**
   * Lanes of whose jobs one has ever waited; as many as the register holds, which senders may fill: a search for all goes over the
   * index of what waits. No right: nobody has drained it yet. 'unreadable': newer code has written it.
   */
  all(): Promise<readonly (LaneName & { readonly right?: DrainRight | 'unreadable' })[]>;
}

/** True while a worker has the right, and a message of it is on its way. */
export const isLive = ({ isOver, leaseUntilMs }: DrainRight, atMs: number): boolean => !isOver && atMs < leaseUntilMs;

/** True where nobody may work the line until a person has decided, which the sweeper sees within a minute. */
export const rests = ({ isOver, leaseUntilMs, nextAtMs }: DrainRight): boolean => !isOver && leaseUntilMs <= nextAtMs;

/** A message that comes so much later than it was to come is lost. */
const leaseAfterMs = 60_000;
/** Once the end of a line is reached, it is looked at from its head once more after so long: rows that were taken are gone by then. */
export const againAfterMs = 40_000;

/** A right under which nothing was taken. */
const atHead: DrainRight['cursors'] = {
  urgent: Array.from({ length: lineShards }, () => null),
  row: Array.from({ length: lineShards }, () => null),
};

/** How a message of the line begins. */
type TakeUp =
  /** Another worker has the right, by a later message. */
  | { readonly kind: 'drop' }
  /** `isSuspect`: its worker or its message was lost. */
  | { readonly kind: 'go'; readonly cursors: DrainRight['cursors']; readonly isSuspect: boolean };

/**
 * The rights of a message of this number under the stored right. One that comes again was received by a worker that is lost, mostly over
 * one of the rows that it had taken when it had passed the line on: it takes the right, and they are looked at one by one.
 */
export function takeUp({ right, atMs }: DrainRead, number: number, isAgain = false): TakeUp {
  if (!right) return { kind: 'go', cursors: atHead, isSuspect: false };
  if (!isLive(right, atMs)) return { kind: 'go', cursors: atHead, isSuspect: !right.isOver && !rests(right) };
  if (right.number !== number) return isAgain ? { kind: 'go', cursors: atHead, isSuspect: true } : { kind: 'drop' };
  return { kind: 'go', cursors: isLookedAtAgain({ right, atMs }) ? atHead : right.cursors, isSuspect: false };
}

/** True where the line is to be looked at from its head now. */
export const isLookedAtAgain = ({ right, atMs }: DrainRead): boolean =>
  right?.againAtMs !== undefined && atMs >= right.againAtMs;

/** True where heads were taken since the line was begun. */
export const isUnderWay = ({ urgent, row }: DrainRight['cursors']): boolean =>
  [...urgent, ...row].some((it) => it !== null);

/** The cursors behind these heads, which were taken in their order. */
export function movedOver(cursors: DrainRight['cursors'], taken: readonly RowHead[]): DrainRight['cursors'] {
  const of = (name: LineClass) =>
    cursors[name].map((before, shard) => {
      const last = taken.findLast((it) => it.class === name && it.shard === shard);
      return last ? { key: last.key, slot: last.slot, goAtMs: last.goAtMs } : before;
    });
  return { urgent: of('urgent'), row: of('row') };
}

/** The right as the taker of these heads hands it on; `inMs`: until its message is there, none where the line has ended. */
export function handedOn(
  { right, atMs }: DrainRead,
  next: {
    readonly cursors: DrainRight['cursors'];
    readonly writer: string;
    readonly inMs: number | undefined;
    readonly againAtMs?: number | undefined;
    /** The line rests until a person or the sweeper begins it. */
    readonly isResting?: boolean;
  },
): DrainRight {
  const { cursors, writer, inMs, againAtMs, isResting = false } = next;
  const number = (right?.number ?? 0) + 1;
  const base = { number, writer, cursors, ...(againAtMs !== undefined && { againAtMs }) };
  if (isResting) return { ...base, nextAtMs: atMs, leaseUntilMs: atMs };
  if (inMs === undefined) return { ...base, cursors: atHead, nextAtMs: atMs, leaseUntilMs: atMs, isOver: true };
  return { ...base, nextAtMs: atMs + inMs, leaseUntilMs: atMs + inMs + leaseAfterMs };
}
