// A WAITING ROW: a message that we keep because its wait is longer than SQS should hold it. It has one of four places of its
// order, is in the line of its lane from the moment from which it may go, and bears its body sealed. Only the fields that
// find and count it are in clear. An index shows rows late and shows rows that are gone: each is read anew before it goes.
import type { SweepPart } from '../inquire/due-work.ts';
import type { LaneName, LineClass } from '../lanes/lane.ts';
import { longestWaitDays } from '../limits.ts';
import type { Controls } from '../operate/control.ts';
import type { Clock } from '../ports.ts';
import type { WaitName } from './waits.ts';

/** Rows that one order can have: as many messages of it wait at once. */
export const placesOfOrder = 4;
/** Partitions of the index that hold one class of a lane. */
export const lineShards = 4;
/** A line is counted up to this many, then it is "more". */
export const lineCountedTo = 10_000;

/** The place of a row in the table. */
export interface RowPlace {
  /** The order's key. */
  readonly key: string;
  readonly slot: number;
}

/** A body under a data key, and that key wrapped (body-seal.ts). All base64url. */
export interface SealedBody {
  readonly wrappedKey: string;
  readonly iv: string;
  readonly text: string;
}

/** The index's fields of a row: enough to find, count and order it, and no body. */
export interface RowHead extends RowPlace {
  readonly lane: LaneName;
  readonly class: LineClass;
  readonly shard: number;
  /** The moment from which it may go (epoch ms), by which the line is ordered. */
  readonly goAtMs: number;
  /** Since when its message waits: when its sender sent it (epoch ms). */
  readonly sinceMs: number;
  readonly expiresAtMs?: number;
  readonly batchId?: string;
  /** The reason of its wait (waits.ts). */
  readonly because: string;
  readonly money?: { readonly currency: string; readonly minorUnits: bigint };
}

/** A row. */
export interface WaitingRow extends RowHead {
  /** The mark of this put: another message, or the same once more, has another one. */
  readonly nonce: string;
  /** The digest of the body: SHA-256, base64url. */
  readonly digest: string;
  /** The message that the sender sent. */
  readonly messageId: string;
  /** Ends of a look at it that left it here; at least 1. */
  readonly waits: number;
  /** How often the message came back from the dead-letter queue; absent when never. */
  readonly redrives?: number;
  readonly groupId?: string;
  readonly sealed: SealedBody;
}

/** A row that was put, or that was looked at and stays. */
export interface JoinedRow extends Pick<WaitingRow, 'lane' | 'class' | 'shard' | 'key' | 'nonce' | 'goAtMs'> {
  readonly because: WaitName;
}

/** A place behind which a shard's next heads are. */
export interface LinePlace extends RowPlace {
  readonly goAtMs: number;
}

/** One shard of one line. */
export interface LineShard {
  readonly lane: LaneName;
  readonly class: LineClass;
  readonly shard: number;
}

/** The order in which rows go. */
export const lineClasses = ['urgent', 'row'] as const satisfies readonly LineClass[];

/** All shards of one line. */
export const shardsOf = (lane: LaneName, of: LineClass): readonly LineShard[] =>
  Array.from({ length: lineShards }, (_, shard) => ({ lane, class: of, shard }));

/** How long a line is. */
export interface LineLength {
  /** Exact up to `lineCountedTo`; there it may be more. */
  readonly rows: number;
  /** Since when the first of it waits; absent where nobody does. */
  readonly oldestSinceMs?: number;
  /** From when the first of it may go; one that waits for a moment of its own is not late. */
  readonly firstGoAtMs?: number;
}

/**
 * True where the row has expired, its batch was called off, or it has waited for as long as any may: nothing of it is sent any
 * more.
 */
export async function isOver(
  { lane, batchId, expiresAtMs = Infinity, sinceMs }: RowHead,
  { controls, clock }: { readonly controls: Controls; readonly clock: Pick<Clock, 'nowMs'> },
): Promise<boolean> {
  const nowMs = clock.nowMs();
  if (nowMs >= expiresAtMs || nowMs - sinceMs >= longestWaitDays * 86_400_000) return true;
  return batchId !== undefined && (await controls.of(lane.merchant, batchId)).batchCancelled;
}

/** The table `waiting`. Each call rejects where it is not known whether it was done. */
export interface WaitingRows {
  /**
   * Puts the row at the first place of its order that is free, or where a row of the same digest is, which it takes the
   * place of (so that a removal of that one, on its way, removes nothing). 'full': four other messages of the order wait.
   */
  put(row: Omit<WaitingRow, 'slot'>): Promise<'put' | 'full'>;
  /** The row as it is now, read strongly. */
  read(place: RowPlace): Promise<WaitingRow | undefined>;
  /** All rows of an order, read strongly. */
  ofOrder(key: string): Promise<readonly WaitingRow[]>;
  /** The next of a shard by goAtMs and then key, behind that place; at most so many. By the index: late, and with rows that are gone. */
  heads(shard: LineShard, after: LinePlace | undefined, atMost: number): Promise<readonly RowHead[]>;
  /** By the index. */
  length(lane: LaneName, of: LineClass): Promise<LineLength>;
  /** Moves the row to later, for another reason; false where the row of this nonce is no more there. */
  move(row: WaitingRow, to: { readonly goAtMs: number; readonly because: string }): Promise<boolean>;
  /** Removes the row of this nonce; false where another or none is there. */
  remove(row: RowPlace & Pick<WaitingRow, 'nonce'>): Promise<boolean>;
  /** All rows, or a part of them, by the index, in no order: a reader that looks for a batch, or for rows that are over, chooses. */
  all(part?: SweepPart): AsyncIterable<RowHead>;
}
