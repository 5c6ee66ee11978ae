// `payouts report`: every row of a batch and what became of it, in the order of the file, rebuilt from the ledger. Exit
// codes: 0 written, 1 there is no such batch, or its sums are not those of the file, 2 bad input.
import { systemClock } from '../adapters/system.ts';
import { readBatch } from '../app/read-batch.ts';
import type { Batch } from '../domain/batch.ts';
import { createProgressCounter } from '../domain/batch-progress.ts';
import { couldBear } from '../domain/job.ts';
import { type ReportColumn, reportColumns, reportLine, type ReportLine, totalLines } from '../domain/report-row.ts';
import { operatorPorts } from './batch-command.ts';
import { csvText } from './csv-text.ts';
import { openRowOutput } from './row-output.ts';
import { UsageError } from './usage-error.ts';

/** Options of `payouts report`. */
export interface ReportOptions {
  readonly format: 'csv' | 'jsonl';
  readonly output?: string;
}

const columns = Object.keys(reportColumns) as ReportColumn[];

/** How the lines of a report are written, by format. */
const formats: Readonly<
  Record<ReportOptions['format'], { readonly head: string; readonly text: (lines: readonly ReportLine[]) => string }>
> = {
  csv: {
    head: csvText([columns]),
    text: (lines) => csvText(lines.map((line) => columns.map((name) => line[name]))),
  },
  jsonl: {
    head: '',
    text: (lines) => lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  },
};

/** Runs the command; returns the exit code. */
export async function runReport(batchId: string, options: ReportOptions): Promise<number> {
  if (!couldBear({ batchId })) throw new UsageError(`no job could bear the batch id "${batchId}"`);
  const ports = operatorPorts();
  const batch = await ports.batches.find(batchId);
  if (!batch) {
    process.stderr.write(`payouts: there is no batch ${batchId}\n`);
    return 1;
  }
  return writeReport(batch, options, ports);
}

async function writeReport(
  batch: Batch,
  { format, output }: ReportOptions,
  ports: ReturnType<typeof operatorPorts>,
): Promise<number> {
  const out = await openRowOutput(output);
  const { head, text } = formats[format];
  const counter = createProgressCounter(systemClock.nowMs());
  await out.write(head);
  for await (const rows of readBatch(batch, ports)) {
    for (const { row, standing } of rows) counter.add(row, standing);
    await out.write(text(rows.map(({ index, row, standing }) => reportLine(index + 1, row, standing))));
  }
  const progress = counter.taken(batch);
  await out.write(text(totalLines(batch, progress)));
  await out.close();
  const missing = batch.rows - progress.rows;
  if (missing > 0) process.stderr.write(`payouts: ${missing} rows of the file are not uploaded yet, and not in it\n`);
  return progress.sums === 'unbalanced' ? 1 : 0;
}
