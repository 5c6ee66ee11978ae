// The progress of a batch, added up row by row: count and money by state and currency, rows that are not final, the oldest
// row that is still open, and how fast rows come to their end.
import type { Batch, BatchRow } from './batch.ts';
import {
  addedLines,
  balances,
  type ClosureStatus,
  type RowEnd,
  rowEnds,
  statusOfTally,
  type TallyLine,
} from './tally.ts';
import { type OpenRowState, openRowStates, type RowStatus } from './batch-row.ts';

/** The state of a row: open in some way, or at one of its ends. */
type ProgressState = OpenRowState | RowEnd;

/** The states in the order in which they are shown. */
const progressStates: readonly ProgressState[] = [...openRowStates, ...rowEnds];

/** Rows of one state and one currency. */
interface ProgressLine extends Omit<TallyLine, 'end'> {
  readonly state: ProgressState;
}

/** An open row, and the time of its last change; absent while no worker has begun it. */
export interface OpenRow {
  readonly orderKey: string;
  readonly state: OpenRowState;
  readonly sinceMs?: number;
}

/** The progress of a batch. */
export interface BatchProgress {
  /** Rows that are uploaded. */
  readonly rows: number;
  readonly ended: number;
  readonly lines: readonly ProgressLine[];
  readonly oldestOpen?: OpenRow;
  /** Rows that have come to their end in the last minute. */
  readonly endedLastMinute: number;
  /**
   * Rows are still open; or every row has ended and the sums are not those of the file; or they are, but of some rows
   * nobody knows whether their money moved; or all is accounted for.
   */
  readonly sums: 'open' | 'unbalanced' | 'in-doubt' | 'balanced';
}

/** Counts rows. */
interface ProgressCounter {
  add(row: BatchRow, status: RowStatus): void;
  taken(batch: Batch): BatchProgress;
}

const minuteMs = 60_000;

/** Nothing is counted yet. `nowMs`: for what has ended lately. */
export function createProgressCounter(nowMs: number): ProgressCounter {
  const lines = new Map<string, ProgressLine>();
  let [rows, ended, endedLastMinute] = [0, 0, 0];
  let oldest: OpenRow | undefined;

  function count(row: BatchRow, status: RowStatus): void {
    const state = status.kind === 'open' ? status.state : status.end;
    const name = `${String(progressStates.indexOf(state)).padStart(2)} ${row.money?.currency ?? ''}`;
    const line: ProgressLine = {
      state,
      ...(row.money && { currency: row.money.currency }),
      count: 1,
      minorUnits: row.money?.minorUnits ?? 0n,
      notFinal: status.kind === 'ended' && !status.final ? 1 : 0,
      elsewhere: status.kind === 'ended' && status.elsewhere ? 1 : 0,
      inDoubt: status.inDoubt ? 1 : 0,
    };
    const sum = lines.get(name);
    lines.set(name, sum ? addedLines(sum, line) : line);
  }

  return {
    add(row, status) {
      rows += 1;
      count(row, status);
      if (status.kind === 'ended') {
        ended += 1;
        if ((status.entry?.updatedAtMs ?? 0) > nowMs - minuteMs) endedLastMinute += 1;
        return;
      }
      const { state, entry } = status;
      const open = { orderKey: row.orderKey, state, ...(entry && { sinceMs: entry.createdAtMs }) };
      if (!oldest || (open.sinceMs ?? Infinity) < (oldest.sinceMs ?? Infinity)) oldest = open;
    },
    taken: (batch) => ({
      rows,
      ended,
      lines: [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line),
      ...(oldest && { oldestOpen: oldest }),
      endedLastMinute,
      sums: sumsOf([...lines.values()], batch),
    }),
  };
}

function sumsOf(lines: readonly ProgressLine[], batch: Batch): BatchProgress['sums'] {
  const isEnd = (state: ProgressState): state is RowEnd => rowEnds.some((end) => end === state);
  const tally = lines.flatMap(({ state, ...line }) => (isEnd(state) ? [{ ...line, end: state }] : []));
  const isWhole = batch.state === 'uploaded' || batch.state === 'closed';
  if (tally.length < lines.length || !isWhole) return 'open';
  if (!balances(tally, batch)) return 'unbalanced';
  return tally.some(({ inDoubt }) => inDoubt > 0) ? 'in-doubt' : 'balanced';
}

/** The state of a batch: a published state may be true no longer. */
type BatchStateShown = Exclude<Batch['state'], 'closed'> | ClosureStatus | 'unbalanced';

/** The state of a batch whose rows have come so far; without a look at its rows, as it was published last. */
export function batchStateShown(
  { state, closure }: Pick<Batch, 'state' | 'closure'>,
  progress?: Pick<BatchProgress, 'sums'>,
): BatchStateShown {
  if (state !== 'closed') return state;
  if (!progress) return closure ? statusOfTally(closure.tally) : state;
  const { sums } = progress;
  switch (sums) {
    case 'open':
      return 'reopened';
    case 'balanced':
      return 'closed';
    case 'in-doubt':
    case 'unbalanced':
      return sums;
  }
}
