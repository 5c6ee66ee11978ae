// The time from which the rows of a batch may go, one for all. It is kept with the batch, so that each send of its rows, however
// often and from wherever, gives each the same time.
import type { CheckedRow } from '../files/check-rows.ts';

/** The rows with their times in them, a row's own later one winning; the text by which two readings of a file are compared stays. */
export async function* timedRows(
  rows: AsyncIterable<readonly CheckedRow[]>,
  fromMs: number,
): AsyncGenerator<readonly CheckedRow[]> {
  for await (const some of rows) {
    yield some.map((row): CheckedRow => {
      if (row.kind === 'rejected') return row;
      const notBeforeMs = Math.max(fromMs, row.job.notBeforeMs ?? 0);
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
