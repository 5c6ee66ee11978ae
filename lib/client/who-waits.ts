// The rows in the lines of a lane, for a person: order, moment, reason and money in clear. No body is opened: its key is the
// worker's alone.
import type { LaneName } from '../payout/lanes/lane.ts';
import { couldBear } from '../payout/message/job.ts';
import { lineClasses, shardsOf, type WaitingRow, type WaitingRows } from '../payout/waiting/waiting-row.ts';

/** The first rows of the lines. */
export interface WhoWaits {
  readonly rows: readonly WaitingRow[];
  /** There are others behind them. */
  readonly mayBeMore: boolean;
}

/** The rows that may go first, by the index, each read anew: one that has gone meanwhile is left out. Throws RangeError. */
export async function whoWaits(
  { merchant, endpointId }: LaneName,
  atMost: number,
  waiting: Pick<WaitingRows, 'heads' | 'read'>,
): Promise<WhoWaits> {
  if (!couldBear({ merchant, endpointId }))
    throw new RangeError(`no job could bear the names "${merchant}" and "${endpointId}"`);
  const lane = { merchant, endpointId };
  const shards = lineClasses.flatMap((of) => shardsOf(lane, of));
  const heads = (await Promise.all(shards.map((shard) => waiting.heads(shard, undefined, atMost + 1)))).flat();
  const first = heads.toSorted((a, b) => a.goAtMs - b.goAtMs).slice(0, atMost);
  const rows = await Promise.all(first.map((place) => waiting.read(place)));
  return { rows: rows.filter((it) => it !== undefined), mayBeMore: heads.length > atMost };
}
