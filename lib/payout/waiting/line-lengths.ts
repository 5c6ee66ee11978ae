// How long the lines are, lane by lane, for people: over the index of the table `waiting`, so that it is late by a moment. Lanes
// come from the rights to drain, which every lane has whose jobs have ever waited.
import { type LaneName, nameOfLane, type LineClass } from '../lanes/lane.ts';
import type { DrainRights } from './drain-right.ts';
import { lineClasses, lineCountedTo, type LineLength, type WaitingRows } from './waiting-row.ts';

/** The sources of lines. */
export interface LineSources {
  readonly drainRights: Pick<DrainRights, 'all'>;
  readonly waiting: Pick<WaitingRows, 'length'>;
}

/** The lines of a lane. */
export type Lines = Readonly<Record<LineClass, LineLength>>;

/** Lanes that are measured at the same time. */
export const lanesAtOnce = 10;

/** The lines of each lane whose jobs have ever waited, as they are now. */
export async function* linesOfLanes(
  { drainRights, waiting }: LineSources,
  merchant?: string,
): AsyncIterable<LaneName & { readonly lines: Lines }> {
  const lanes = (await drainRights.all()).filter((it) => merchant === undefined || it.merchant === merchant);
  for (let at = 0; at < lanes.length; at += lanesAtOnce) {
    const some = lanes.slice(at, at + lanesAtOnce).map(async ({ merchant, endpointId }) => {
      const lane = { merchant, endpointId };
      const [urgent, row] = await Promise.all([waiting.length(lane, 'urgent'), waiting.length(lane, 'row')]);
      return { ...lane, lines: { urgent, row } };
    });
    yield* await Promise.all(some);
  }
}

/** All lanes' lines, by {@link nameOfLane}. */
export async function linesByLane(ports: LineSources, merchant?: string): Promise<ReadonlyMap<string, Lines>> {
  const found = new Map<string, Lines>();
  for await (const it of linesOfLanes(ports, merchant)) found.set(nameOfLane(it), it.lines);
  return found;
}

/** A line as a person looks at it. */
export interface LineView {
  readonly class: LineClass;
  /** Exact below ten thousand. */
  readonly rows: number;
  /** Ten thousand, and perhaps more. */
  readonly isMore: boolean;
  /** Since when somebody in it waits; absent where the first waits for a moment of its own. */
  readonly oldestSinceMs?: number;
  /** When it will be worked off at this pace, at the earliest where it is more; absent while the lane is stopped. */
  readonly endsAtMs?: number;
}

/** Longest time between two looks at a job that waits for something else than its moment (submit/disposition.ts). */
const longestLookMs = 900_000;

/** Since when somebody waits; undefined where nobody is late: the first waits for a moment of its own. */
export function lateSinceMs({ oldestSinceMs, firstGoAtMs }: LineLength, nowMs: number): number | undefined {
  return (firstGoAtMs ?? 0) > nowMs + longestLookMs ? undefined : oldestSinceMs;
}

/** The lines of a lane in which jobs wait; `ratePerSecond` where it goes. Jobs without a batch go first. */
export function linesAsSeen(lines: Lines, ratePerSecond: number | undefined, nowMs: number): readonly LineView[] {
  const before = { urgent: 0, row: lines.urgent.rows };
  return lineClasses.flatMap((of): LineView[] => {
    const { rows } = lines[of];
    if (rows === 0) return [];
    const oldestSinceMs = lateSinceMs(lines[of], nowMs);
    // Where all of them wait for moments of their own, nobody goes before the first of these.
    const beginsAtMs = oldestSinceMs === undefined ? Math.max(lines[of].firstGoAtMs ?? 0, nowMs) : nowMs;
    return [
      {
        class: of,
        rows,
        isMore: rows >= lineCountedTo,
        ...(oldestSinceMs !== undefined && { oldestSinceMs }),
        ...(ratePerSecond && { endsAtMs: beginsAtMs + Math.ceil((before[of] + rows) / ratePerSecond) * 1000 }),
      },
    ];
  });
}
