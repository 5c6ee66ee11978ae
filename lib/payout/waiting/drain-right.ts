// THE RIGHT TO DRAIN a lane's line: who has it takes the heads, and hands it on with the line's message before he submits them. Its number
// fences: a message of an earlier number, or a second delivery of one, finds another standing and does nothing. A right
// that lapsed was lost with its worker: the next one begins at the head again.
import type { LaneMoment, LaneName } from '../lane.ts';
import type { LineClass, LinePlace } from './waiting-row.ts';

/** One item per lane, beside the lane's own. Times are epoch ms by the store's clock. */
export interface DrainRight {
  /** Counts writes; the message that may go on bears it. */
  readonly number: number;
  /** Of the last write, by which its writer knows it again. */
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

/** What stood there when the store answered. */
export type DrainRead = LaneMoment & { readonly right?: DrainRight };
type DrainWritten = LaneMoment & ({ readonly kind: 'written' } | { readonly kind: 'lost' });

/** The rights. Losing one costs time, never money. */
export interface DrainRights {
  /** Read consistently. */
  read(lane: LaneName): Promise<DrainRead>;
  /** Writes `next` if what stands there is of the number before it (none, for number 1). A call that rejects may have written. */
  write(lane: LaneName, next: DrainRight): Promise<DrainWritten>;
  /**
   * Lanes that have had a line; as many as the register holds, which senders may fill: whoever must find all goes over the index
   * of what waits.
   */
  all(): Promise<readonly (LaneName & { readonly right: DrainRight })[]>;
}
