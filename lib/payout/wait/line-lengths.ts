// How long the lines are, lane by lane, for people: over the index of the table `waiting`, so late by a moment.
import { type LaneName, type LineClass } from '../pace/lane-state.ts';
import { type Lanes } from '../pace/lane.ts';
import { lineCountedTo, type LineLength, type ParkedJobs } from './parked-job.ts';

/** The classes, in the order in which they go. */
export const lineClasses = ['urgent', 'row'] as const satisfies readonly LineClass[];

/** The sources of lines. */
export interface LineSources {
  readonly lanes: Pick<Lanes, 'all'>;
  readonly waiting: { readonly jobs: Pick<ParkedJobs, 'length'> };
}

/** The lines of a lane. */
export type Lines = Readonly<Record<LineClass, LineLength>>;

/** Lanes that are measured at the same time. */
const lanesAtOnce = 10;

/** The lines of these lanes, as they are now. */
export async function* lengthsOf<T extends LaneName>(
  lanes: readonly T[],
  { waiting: { jobs } }: Pick<LineSources, 'waiting'>,
): AsyncIterable<T & { readonly lines: Lines }> {
  for (let at = 0; at < lanes.length; at += lanesAtOnce) {
    const some = lanes.slice(at, at + lanesAtOnce).map(async (lane) => {
      const [urgent, row] = await Promise.all([jobs.length(lane, 'urgent'), jobs.length(lane, 'row')]);
      return { ...lane, lines: { urgent, row } };
    });
    yield* await Promise.all(some);
  }
}

/** A line as a person looks at it. */
export interface LineView {
  readonly class: LineClass;
  /** Exact below ten thousand. */
  readonly rows: number;
  /** Ten thousand, and perhaps more. */
  readonly isMore: boolean;
  /** Since when its first job waits; absent if that waits for a moment of its own. */
  readonly oldestSinceMs?: number;
  /** When the line will be worked off at this pace, or at the earliest if `isMore`; absent while the lane is stopped. */
  readonly endsAtMs?: number;
}

/** The lines of a lane in which jobs wait. `ratePerSecond`: undefined while the lane is stopped. Jobs without a batch go first. */
export function linesAsSeen(lines: Lines, ratePerSecond: number | undefined, nowMs: number): readonly LineView[] {
  const before = { urgent: 0, row: lines.urgent.rows };
  return lineClasses.flatMap((of): LineView[] => {
    const { rows, oldestSinceMs = nowMs } = lines[of];
    if (rows === 0) return [];
    // If all jobs wait for moments of their own, none goes before the first of these.
    const beginsAtMs = Math.max(oldestSinceMs, nowMs);
    return [
      {
        class: of,
        rows,
        isMore: rows >= lineCountedTo,
        oldestSinceMs: oldestSinceMs <= nowMs ? oldestSinceMs : undefined,
        endsAtMs: ratePerSecond && beginsAtMs + Math.ceil((before[of] + rows) / ratePerSecond) * 1000,
      },
    ];
  });
}
