// What is wrong with a file, written down: every fault in a file of its own, the first few as a table, and on request the
// rows themselves beside their faults, with everything masked that belongs to a card.
import type { BadRow } from '../../batches/check-rows.ts';
import { type Column } from '../../batches/bulk-columns.ts';
import { maskedCells, maskedMessage } from '../../batches/masked-rows.ts';
import { createRowList, csvLine, type LineFile, openLineFile } from './row-list.ts';

/** Where faults go. */
export interface FaultSink {
  add(row: BadRow): Promise<void>;
  /** Ends the files; answers with those that were written. */
  close(): Promise<readonly string[]>;
  /** The first faults as a table; empty where there are none. */
  table(): string;
  /** Faults so far: one row may have several. */
  count(): number;
}

/** How faults are written. */
export interface FaultSinkOptions {
  readonly faultsFile: string;
  /** Absent: the rows themselves are not written. */
  readonly rejectsFile?: string;
  /** Columns of CSV; absent for JSON lines. */
  readonly columns?: readonly Column[];
  readonly titleOf: (path: string) => string;
}

/** Opens its files when the first fault comes: a file without faults leaves none. */
export function createFaultSink({ faultsFile, rejectsFile, columns, titleOf }: FaultSinkOptions): FaultSink {
  const faults = createRowList(faultsFile, ['row', 'column', 'fault']);
  let rejects: LineFile | undefined;

  function rejectedLine({ row, faults: of, original }: BadRow): string {
    const told = of.map(({ path, fault }) => `${titleOf(path)} ${fault}`.trim());
    if (columns) return csvLine([...maskedCells(original, columns), String(row), told.join('; ')]);
    return `${JSON.stringify({ ...maskedMessage(original), rejectedRow: row, rejectedFor: told })}\n`;
  }

  const rejectsHeader = () => (columns ? csvLine([...columns.map((it) => it.title), 'row', 'fault']) : '');
  return {
    async add(bad) {
      for (const { path, fault } of bad.faults)
        await faults.add([String(bad.row), path === '' ? '' : titleOf(path), fault]);
      if (rejectsFile === undefined) return;
      rejects ??= await openLineFile(rejectsFile, rejectsHeader());
      await rejects.write(rejectedLine(bad));
    },
    async close() {
      const listed = await faults.close();
      await rejects?.close();
      return [...(listed === undefined ? [] : [listed]), ...(rejects ? [rejects.path] : [])];
    },
    count: faults.count,
    table: faults.table,
  };
}
