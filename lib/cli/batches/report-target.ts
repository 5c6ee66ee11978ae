// The interface of the formats of reports.
import type { Payout } from '../../batches/batch-payouts.ts';
import type { ReportLine, TotalLine } from '../../batches/batch-report.ts';
import type { Column } from '../../files/bulk-columns.ts';
import type { RowOutput } from '../../files/row-output.ts';
import type { MessageHeader } from '../../files/bulk-rows.ts';

/** A line, beside the row of the file where the file is there. */
export interface Reported {
  readonly line: ReportLine;
  /** Cells under the columns of the file; empty for a file of JSON lines. */
  readonly cells?: readonly string[];
  /** The same as an object, for reports in JSON. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Absent for a row of the file that is not in the batch. */
  readonly inBatch?: Payout;
}

/** A report under way. */
export interface ReportOutput {
  add(rows: readonly Reported[]): Promise<void>;
  /** Ends it with the sums; answers with the files that were written, if any. */
  close(totals: readonly TotalLine[]): Promise<readonly string[]>;
}

/** The report, and the file that it goes to. */
export interface ReportTarget {
  /** The file's own columns, none of JSON lines; absent without the file. */
  readonly columns?: readonly Column[];
  /** Default standard output, and the sums to standard error. */
  readonly output?: string;
  /** In the place of standard output. */
  readonly stream?: RowOutput;
  /** The header of a file of payment messages. */
  readonly message?: MessageHeader;
}
