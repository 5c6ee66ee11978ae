// A report under way: the rows of a batch, beside those of its file where that is there, into whatever takes them.
import { systemClock } from '../../aws/system.ts';
import { readBatch, reportLine, type TotalLine, totalLines } from '../../batches/batch-report.ts';
import type { Batch } from '../../batches/batch.ts';
import { type BatchProgress, createProgressCounter } from '../../batches/batch-progress.ts';
import type { MessageHeader } from '../formats/bulk-rows.ts';
import type { RowOutput } from '../row-output.ts';
import type { BatchCommandPorts } from './batch-ports.ts';
import { openReportFile, type ReportedRow, type ReportFileOptions } from './report-file.ts';
import { type ReportFormat, reportFormats } from './report-output.ts';

/** A line, beside the row of the file where the file is there. */
type Reported = Omit<ReportedRow, 'cells' | 'input' | 'checked'> & Partial<Pick<ReportedRow, 'cells' | 'input'>>;

/** Where the rows come from. */
export interface ReportSource {
  /** The titles of the file's own columns. */
  readonly titles: readonly string[];
  readonly message?: MessageHeader;
  readonly rows: () => AsyncIterable<readonly Reported[]>;
  readonly close: () => Promise<void>;
}

/** Opens it: with the file, known to be the batch's, or by the ledger alone. Throws UsageError. */
export async function openReport(
  batch: Batch,
  file: string | undefined,
  reading: ReportFileOptions,
  ports: BatchCommandPorts,
): Promise<ReportSource> {
  return file === undefined ? rowsOf(batch, ports) : openReportFile(file, batch, reading, ports);
}

function rowsOf(batch: Batch, ports: BatchCommandPorts): ReportSource {
  async function* rows() {
    for await (const some of readBatch(batch, ports))
      yield some.map((it): Reported => ({
        line: reportLine(it.row, it.standing, batch.closure?.firstAtMs),
        standing: it,
      }));
  }
  return { titles: [], rows, close: async () => {} };
}

/** In which form it is written, and whereto. */
interface ReportForm {
  readonly format: ReportFormat;
  readonly output?: string;
  /** In the place of standard output. */
  readonly stream?: RowOutput;
  readonly locale?: string;
}

/** The report as it was written. */
export interface WrittenReport {
  readonly rows: number;
  readonly totals: readonly TotalLine[];
  readonly progress: BatchProgress;
  readonly files: readonly string[];
}

/** Writes it, a part of the batch at a time, no faster than it is taken. */
export async function writeReport(
  batch: Batch,
  { titles, message, rows }: ReportSource,
  { format, ...form }: ReportForm,
): Promise<WrittenReport> {
  const out = await reportFormats[format]({ titles, ...form, ...(message && { message }) });
  const counter = createProgressCounter(systemClock.nowMs());
  const notInBatch = new Map<string, number>();
  let written = 0;
  for await (const some of rows()) {
    for (const { standing, line } of some) {
      if (standing) counter.add(standing.row, standing.standing);
      else notInBatch.set(String(line.status), (notInBatch.get(String(line.status)) ?? 0) + 1);
    }
    written += some.length;
    await out.add(some);
  }
  const progress = counter.taken(batch);
  const others = [...notInBatch].map(([status, count]) => ({ record: 'total', status, rows: count }) as const);
  const totals = [...others, ...totalLines(batch, progress)];
  return { rows: written, totals, progress, files: await out.close(totals) };
}
