// The faults of a file, written down: all of them in a file of their own, the first few as a table, and on request the
// rows themselves beside their faults, with everything masked that belongs to a card: corrected, that file is sent as it is.
import type { BadRow } from '../../files/check-rows.ts';
import { isColumnOfTheTool } from '../../files/bulk-columns.ts';
import { maskedCells, maskedMessage } from '../../files/masked-rows.ts';
import { csvLine, sheetStyle } from '../../files/csv.ts';
import type { BulkRows } from '../../files/bulk-rows.ts';
import { createRowList, type LineFile, openLineFile } from './row-list.ts';

/** Where faults go. */
export type FaultSink = ReturnType<typeof createFaultSink>;

/** How faults are written. */
interface FaultSinkOptions extends Pick<BulkRows, 'columns' | 'titleOf' | 'delimiter'> {
  readonly faultsFile: string;
  /** Absent: the rows themselves are not written. */
  readonly rejectsFile?: string;
}

/** The columns beside a row that was refused. Read again, columns of these names are left out. */
const besideRejects = ['payouts_row', 'payouts_fault'];

/** Opens its files when the first fault comes: a file without faults leaves none. */
export function createFaultSink({ faultsFile, rejectsFile, columns, titleOf, delimiter }: FaultSinkOptions) {
  const style = sheetStyle(delimiter);
  const faults = createRowList(faultsFile, ['row', 'column', 'fault'], style);
  let rejects: LineFile | undefined;

  function rejectedLine({ row, faults: of, original, place }: BadRow): string {
    const named = of.map(({ path, fault }) => `${titleOf(path, place)} ${fault}`.trim());
    if (!columns) return `${JSON.stringify({ ...maskedMessage(original), payouts_row: row, payouts_faults: named })}\n`;
    // Columns that were counted from the XML (payouts_…) are no part of a row that is sent again.
    const cells = maskedCells(original, columns).filter((_, index) => isSentAgain(columns[index]?.title));
    return csvLine([...cells, String(row), named.join('; ')], style);
  }

  const titles = (columns ?? []).map(({ title }) => title).filter(isSentAgain);
  const rejectsHeader = () => (columns ? csvLine([...titles, ...besideRejects], style) : '');
  return {
    async add(bad: BadRow): Promise<void> {
      for (const { path, fault } of bad.faults)
        await faults.add([String(bad.row), path === '' && !bad.place ? '' : titleOf(path, bad.place), fault]);
      if (rejectsFile === undefined) return;
      rejects ??= await openLineFile(rejectsFile, rejectsHeader());
      await rejects.write(rejectedLine(bad));
    },
    /** Ends the files; answers with those that were written. */
    async close(): Promise<readonly string[]> {
      const listed = await faults.close();
      await rejects?.close();
      return [...(listed === undefined ? [] : [listed]), ...(rejects ? [rejects.path] : [])];
    },
    /** Faults so far: one row may have several. */
    count: faults.count,
    /** The first faults as a table; empty if there are none. */
    table: faults.table,
  };
}

const isSentAgain = (title: string | undefined) => title !== undefined && !isColumnOfTheTool(title);
