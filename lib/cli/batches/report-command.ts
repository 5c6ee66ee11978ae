// `payouts report`: every row of a batch and what became of it, in the order of the file, rebuilt from the ledger. Exit
// codes: 0 written, 1 there is no such batch, or its sums are not those of the file, 2 bad input.
import { systemClock } from '../../aws/system.ts';
import { readBatch, reportLine, totalLines } from '../../batches/batch-report.ts';
import type { Batch } from '../../batches/batch.ts';
import { createProgressCounter } from '../../batches/batch-progress.ts';
import { couldBear } from '../../payout/message/job.ts';
import type { MessageHeader } from '../formats/bulk-rows.ts';
import { counted } from '../quantities.ts';
import { UsageError } from '../usage-error.ts';
import { type BatchCommandPorts, batchPorts } from './batch-ports.ts';
import { openReportFile, type ReportedRow, type ReportFileOptions } from './report-file.ts';
import { type ReportFormat, reportFormats, totalsText } from './report-output.ts';

/** Options of `payouts report`. */
export interface ReportOptions extends Omit<ReportFileOptions, 'format'> {
  readonly format: ReportFormat;
  readonly output?: string;
  /** Of whoever opens it in a spreadsheet. */
  readonly locale?: string;
  /** The file that was submitted. */
  readonly file?: string;
  /** How to read that file. */
  readonly fileFormat?: ReportFileOptions['format'];
}

/** A line, beside the row of the file where the file is there. */
type Reported = Omit<ReportedRow, 'cells' | 'input' | 'checked'> & Partial<Pick<ReportedRow, 'cells' | 'input'>>;

/** Where the rows come from. */
interface Source {
  /** Of the file's own columns. */
  readonly titles: readonly string[];
  readonly message?: MessageHeader;
  readonly rows: () => AsyncIterable<readonly Reported[]>;
  readonly close: () => Promise<void>;
}

/** Runs the command; returns the exit code. */
export async function runReport(batchId: string, options: ReportOptions): Promise<number> {
  if (!couldBear({ batchId })) throw new UsageError(`no job could bear the batch id "${batchId}"`);
  if (options.locale !== undefined && options.format !== 'csv')
    throw new UsageError('--locale is for CSV: the other formats are the same in every language');
  const ports = batchPorts();
  const batch = await ports.batches.find(batchId);
  if (!batch) {
    process.stderr.write(`payouts: there is no batch ${batchId}\n`);
    return 1;
  }
  const { fileFormat, format: _, ...reading } = options;
  const source =
    options.file === undefined
      ? rowsOf(batch, ports)
      : await openReportFile(options.file, batch, { ...reading, ...(fileFormat && { format: fileFormat }) }, ports);
  try {
    return await writeReport(batch, source, options);
  } finally {
    await source.close();
  }
}

function rowsOf(batch: Batch, ports: BatchCommandPorts): Source {
  async function* rows() {
    for await (const some of readBatch(batch, ports))
      yield some.map((it): Reported => ({
        line: reportLine(it.row, it.standing, batch.closure?.firstAtMs),
        standing: it,
      }));
  }
  return { titles: [], rows, close: async () => {} };
}

async function writeReport(
  batch: Batch,
  { titles, message, rows }: Source,
  { format, output, locale }: ReportOptions,
): Promise<number> {
  const out = await reportFormats[format]({
    titles,
    ...(output !== undefined && { output }),
    ...(locale !== undefined && { locale }),
    ...(message && { message }),
  });
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
  const files = await out.close(totals);
  const where = files.length === 0 ? '' : `; written: ${files.join(', ')}`;
  process.stderr.write(`${totalsText(totals)}payouts: ${counted(written, 'row')}${where}\n`);
  const missing = batch.rows - progress.rows;
  if (missing > 0)
    process.stderr.write(
      `payouts: ${counted(missing, 'row')} of the batch ${missing === 1 ? 'is' : 'are'} not uploaded yet\n`,
    );
  return progress.sums === 'unbalanced' ? 1 : 0;
}
