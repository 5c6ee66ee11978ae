// `payouts report`: every row of a batch and what became of it, in the order of the file, rebuilt from the ledger. Exit
// codes: 0 written, 1 there is no such batch, or its sums are not those of the file, 2 bad input.
import { systemClock } from '../../aws/system.ts';
import {
  readBatch,
  type ReportColumn,
  reportColumns,
  reportLine,
  type ReportLine,
  totalLines,
} from '../../batches/batch-report.ts';
import type { Batch } from '../../batches/batch.ts';
import { createProgressCounter } from '../../batches/batch-progress.ts';
import { couldBear } from '../../payout/job.ts';
import { type BatchCommandPorts, batchPorts } from './batch-ports.ts';
import { csvText } from '../csv.ts';
import { openReportFile, type ReportedRow, type ReportFileOptions } from './report-file.ts';
import { openRowOutput } from '../row-output.ts';
import { UsageError } from '../usage-error.ts';

/** Options of `payouts report`. */
export interface ReportOptions extends ReportFileOptions {
  readonly format: 'csv' | 'jsonl';
  readonly output?: string;
  /** The file that was submitted. */
  readonly file?: string;
}

/** A line, beside the row of the file where the file is there. */
type Reported = Omit<ReportedRow, 'cells' | 'input'> & Partial<Pick<ReportedRow, 'cells' | 'input'>>;

/** Where the rows come from. */
interface Source {
  /** Of the file's own columns. */
  readonly titles: readonly string[];
  readonly rows: () => AsyncIterable<readonly Reported[]>;
  readonly close: () => Promise<void>;
}

const columns = Object.keys(reportColumns) as ReportColumn[];

/** Runs the command; returns the exit code. */
export async function runReport(batchId: string, options: ReportOptions): Promise<number> {
  if (!couldBear({ batchId })) throw new UsageError(`no job could bear the batch id "${batchId}"`);
  const ports = batchPorts();
  const batch = await ports.batches.find(batchId);
  if (!batch) {
    process.stderr.write(`payouts: there is no batch ${batchId}\n`);
    return 1;
  }
  const source =
    options.file === undefined ? rowsOf(batch, ports) : await openReportFile(options.file, batch, options, ports);
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
        line: reportLine(it.index + 1, it.row, it.standing, batch.closure?.firstAtMs),
        standing: it,
      }));
  }
  return { titles: [], rows, close: async () => {} };
}

async function writeReport(batch: Batch, source: Source, { format, output }: ReportOptions): Promise<number> {
  const out = await openRowOutput(output);
  const { head, text } = formats[format](source.titles);
  const counter = createProgressCounter(systemClock.nowMs());
  const notInBatch = new Map<string, number>();
  await out.write(head);
  for await (const rows of source.rows()) {
    for (const { standing, line } of rows) {
      if (standing) counter.add(standing.row, standing.standing);
      else notInBatch.set(String(line.status), (notInBatch.get(String(line.status)) ?? 0) + 1);
    }
    await out.write(text(rows));
  }
  const progress = counter.taken(batch);
  const others = [...notInBatch].map(([status, rows]): ReportLine => ({ record: 'total', status, rows }));
  await out.write(text([...others, ...totalLines(batch, progress)].map((line) => ({ line }))));
  await out.close();
  const missing = batch.rows - progress.rows;
  if (missing > 0) process.stderr.write(`payouts: ${missing} rows of the batch are not uploaded yet\n`);
  return progress.sums === 'unbalanced' ? 1 : 0;
}

interface Format {
  readonly head: string;
  readonly text: (rows: readonly Reported[]) => string;
}

/** How the lines of a report are written, by format. Beside the file's own columns ours bear a name of their own. */
const formats: Readonly<Record<ReportOptions['format'], (titles: readonly string[]) => Format>> = {
  csv: (titles) => {
    const names = titles.length === 0 ? columns : columns.map((name) => `payouts_${name}`);
    const none = titles.map(() => '');
    return {
      head: csvText([[...titles, ...names]]),
      text: (rows) =>
        csvText(
          rows.map(({ cells = [], line }) => [
            ...(cells.length > 0 ? cells : none),
            ...columns.map((name) => line[name]),
          ]),
        ),
    };
  },
  jsonl: () => ({
    head: '',
    text: (rows) => rows.map(({ input, line }) => `${JSON.stringify(input ? { ...line, input } : line)}\n`).join(''),
  }),
};
