// When the rows of a batch may go: all from one moment on, or spread evenly over a span, in the file's order. Kept with the
// batch, so that whoever sends its rows, however often and from wherever, gives each the same moment.
import type { RowTimes } from './batch.ts';
import type { CheckedRow, GoodRow } from './check-rows.ts';

/** The moment of a row, by its place among so many rows of the file; whole seconds. A row's own later one counts. */
function momentOf({ row, job }: GoodRow, { fromMs, overMs }: RowTimes, rowsOfFile: number): number {
  const share = Math.min(1, Math.max(0, (row - 1) / Math.max(rowsOfFile, 1)));
  return Math.max(fromMs + Math.floor((overMs * share) / 1000) * 1000, job.notBeforeMs ?? 0);
}

/** The rows with their moments in them; what two readings of a file are compared by stays as it is. */
export async function* timedRows(
  rows: AsyncIterable<readonly CheckedRow[]>,
  times: RowTimes,
  rowsOfFile: number,
): AsyncGenerator<readonly CheckedRow[]> {
  for await (const some of rows) {
    yield some.map((row): CheckedRow => {
      if (row.kind === 'rejected') return row;
      const notBeforeMs = momentOf(row, times, rowsOfFile);
      const notBefore = new Date(notBeforeMs).toISOString();
      return { ...row, message: { ...row.message, notBefore }, job: { ...row.job, notBeforeMs } };
    });
  }
}

/** The first row that would expire before it may go; undefined where there is none. */
export async function firstTooLate(
  timed: AsyncIterable<readonly CheckedRow[]>,
): Promise<{ readonly row: number; readonly notBeforeMs: number; readonly expiresAtMs: number } | undefined> {
  for await (const some of timed) {
    for (const it of some) {
      if (it.kind === 'rejected') continue;
      const { notBeforeMs = 0, expiresAtMs = Infinity } = it.job;
      if (notBeforeMs >= expiresAtMs) return { row: it.row, notBeforeMs, expiresAtMs };
    }
  }
  return undefined;
}
