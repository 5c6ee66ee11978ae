// `payouts report`: every row of a batch and what became of it, in the order of the file, rebuilt from the ledger. Exit
// codes: 0 written, 1 there is no such batch, or its sums are not those of the file, 2 bad input.
import type { Batch } from '../../batches/batch.ts';
import { couldBear } from '../../payout/message/job.ts';
import { counted } from '../quantities.ts';
import { UsageError } from '../usage-error.ts';
import { batchPorts } from './batch-ports.ts';
import type { ReportFileOptions } from './report-file.ts';
import { type ReportFormat, totalsText } from './report-output.ts';
import { openReport, type WrittenReport, writeReport } from './report-writing.ts';

/** Options of `payouts report`. */
interface ReportOptions extends Omit<ReportFileOptions, 'format'> {
  readonly format: ReportFormat;
  readonly output?: string;
  /** The locale of the spreadsheet that opens it. */
  readonly locale?: string;
  /** The file that was submitted. */
  readonly file?: string;
  /** How to read that file. */
  readonly fileFormat?: ReportFileOptions['format'];
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
  const { fileFormat, format, file, output, locale, ...reading } = options;
  const source = await openReport(batch, file, { ...reading, ...(fileFormat && { format: fileFormat }) }, ports);
  try {
    const form = { format, ...(output !== undefined && { output }), ...(locale !== undefined && { locale }) };
    return told(batch, await writeReport(batch, source, form));
  } finally {
    await source.close();
  }
}

function told(batch: Batch, { rows, totals, progress, files }: WrittenReport): number {
  const where = files.length === 0 ? '' : `; written: ${files.join(', ')}`;
  process.stderr.write(`${totalsText(totals)}payouts: ${counted(rows, 'row')}${where}\n`);
  const missing = batch.rows - progress.rows;
  if (missing > 0)
    process.stderr.write(
      `payouts: ${counted(missing, 'row')} of the batch ${missing === 1 ? 'is' : 'are'} not uploaded yet\n`,
    );
  return progress.sums === 'unbalanced' ? 1 : 0;
}
