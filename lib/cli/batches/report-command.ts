// `payouts report`: every row of a batch and what became of it, in the order of the file, rebuilt from the ledger.
import { readBatch } from '../../batches/batch-payouts.ts';
import { reportLine, type TotalLine, totalLines } from '../../batches/batch-report.ts';
import { balances, createTally, payoutsIn, type Tally } from '../../batches/tally.ts';
import type { Batch } from '../../batches/batch.ts';
import type { MessageHeader } from '../../files/bulk-rows.ts';
import type { Reported, ReportTarget } from './report-target.ts';
import { noBatch } from '../command-line.ts';
import { counted } from '../../payout/operate/spelling.ts';
import { checkNames, UsageError } from '../../files/usage-error.ts';
import { type ToolPorts, toolPorts } from '../tool-ports.ts';
import { openReportFile } from './report-file.ts';
import { type ReportFormat, reportFormats, totalsText } from './report-output.ts';
import type { Download, ReportDownloads } from '../../console/downloads.ts';
import type { RowOutput } from '../../files/row-output.ts';

/** Options of `payouts report`. */
interface ReportOptions {
  readonly format: ReportFormat;
  readonly output?: string;
  /** The file that was submitted. */
  readonly file?: string;
}

/** Runs the command; returns the exit code. */
export async function runReport(batchId: string, options: ReportOptions): Promise<number> {
  checkNames({ batchId });
  const ports = toolPorts();
  const batch = await ports.batches.find(batchId);
  if (!batch) return noBatch(batchId);
  const { format, file, output } = options;
  const source = await openReport(batch, file, ports);
  try {
    return reported(batch, await writeReport(batch, source, { format, output }));
  } finally {
    await source.close();
  }
}

function reported(batch: Batch, { rows, totals, tally, files }: WrittenReport): number {
  const where = files.length === 0 ? '' : `; written: ${files.join(', ')}`;
  process.stderr.write(`${totalsText(totals)}payouts: ${counted(rows, 'row')}${where}\n`);
  const missing = batch.rows - payoutsIn(tally);
  if (missing > 0)
    process.stderr.write(
      `payouts: ${counted(missing, 'row')} of the batch ${missing === 1 ? 'is' : 'are'} not uploaded yet\n`,
    );
  return missing === 0 && !balances(tally, batch) ? 1 : 0;
}

// A report under way: the rows of a batch, beside those of its file where that is there, into whatever takes them.

/** Where the rows come from. */
interface ReportSource {
  readonly columns?: ReportTarget['columns'];
  readonly message?: MessageHeader;
  readonly rows: () => AsyncIterable<readonly Reported[]>;
  readonly close: () => Promise<void>;
}

/** Opens it: with the file, known to be the batch's, or by the ledger alone. Throws UsageError. */
async function openReport(batch: Batch, file: string | undefined, ports: ToolPorts): Promise<ReportSource> {
  return file === undefined ? rowsOf(batch, ports) : openReportFile(file, batch, ports);
}

function rowsOf(batch: Batch, ports: ToolPorts): ReportSource {
  async function* rows() {
    for await (const some of readBatch(batch, ports))
      yield some.map((it): Reported => ({
        line: reportLine(it, batch.closure?.firstAtMs),
        inBatch: it,
      }));
  }
  return { rows, close: async () => {} };
}

/** The report as it was written. */
interface WrittenReport {
  readonly rows: number;
  readonly totals: readonly TotalLine[];
  readonly tally: Tally;
  readonly files: readonly string[];
}

/** Writes it, a part of the batch at a time, no faster than it is taken. */
async function writeReport(
  batch: Batch,
  { columns, message, rows }: ReportSource,
  { format, ...form }: Omit<ReportTarget, 'columns' | 'message'> & { readonly format: ReportFormat },
): Promise<WrittenReport> {
  const out = await reportFormats[format]({ columns, ...form, message });
  const tally = createTally();
  const notInBatch = new Map<string, number>();
  let written = 0;
  for await (const some of rows()) {
    for (const { inBatch, line } of some) {
      if (inBatch) tally.add({ ...inBatch, money: inBatch.row.money });
      else notInBatch.set(String(line.status), (notInBatch.get(String(line.status)) ?? 0) + 1);
    }
    written += some.length;
    await out.add(some);
  }
  const others = [...notInBatch].map(([status, count]) => ({ record: 'total', status, rows: count }) as const);
  const totals = [...others, ...totalLines(batch, tally.taken())];
  return { rows: written, totals, tally: tally.taken(), files: await out.close(totals) };
}

// The reports of batches for the console: the rows of `payouts report`, as they are read, and no more of them in memory than the browser takes.

const nowhere: RowOutput = { write: async () => {}, close: async () => {} };
/** By the worker's settings, and the files of this machine. */
export const ledgerReports: ReportDownloads = {
  check: (it) =>
    opened(it, async (_, { columns, message }) => {
      // A format that this batch does not have fails with its head.
      await reportFormats[it.format]({ columns, stream: nowhere, message });
    }),
  write: (it, stream) =>
    opened(it, async (batch, source) => void (await writeReport(batch, source, { format: it.format, stream }))),
};

async function opened(
  { batch: batchId, file }: Download,
  work: (batch: Batch, source: ReportSource) => Promise<void>,
): Promise<void> {
  const ports = toolPorts();
  const batch = await ports.batches.find(batchId);
  if (!batch) throw new UsageError(`there is no batch ${batchId}`);
  const source = await openReport(batch, file, ports);
  try {
    await work(batch, source);
  } finally {
    await source.close();
  }
}
