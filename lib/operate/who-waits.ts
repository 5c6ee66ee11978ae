// The first jobs in the lines of a lane, for a person: order, moment, reason and money in clear. No body is opened: its key is the
// worker's alone.
import type { LaneName } from '../payout/pace/lane-state.ts';
import { couldBear } from '../payout/message/job.ts';
import type { ParkedHead, ParkedJobs } from '../payout/wait/parked-job.ts';
import { UsageError } from '../files/usage-error.ts';

/** The first jobs of the lines. */
export interface WhoWaits {
  readonly rows: readonly ParkedHead[];
  /** There are others behind them. */
  readonly mayBeMore: boolean;
}

/** The jobs that may go first, by the index, which may show one that has gone meanwhile. Throws UsageError. */
export async function whoWaits(
  { merchant, endpointId }: LaneName,
  atMost: number,
  waiting: Pick<ParkedJobs, 'first'>,
): Promise<WhoWaits> {
  if (!couldBear({ merchant, endpointId }))
    throw new UsageError(`no job could bear the names "${merchant}" and "${endpointId}"`);
  const lane = { merchant, endpointId };
  const lines = ['urgent', 'row', 'moments'] as const;
  const heads = (await Promise.all(lines.map((line) => waiting.first(lane, line, atMost + 1)))).flat();
  const first = heads.toSorted((a, b) => a.goAtMs - b.goAtMs).slice(0, atMost);
  return { rows: first, mayBeMore: heads.length > atMost };
}
