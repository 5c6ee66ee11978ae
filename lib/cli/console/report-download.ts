// The report of a batch as a file of the browser: the rows of `payouts report`, as they are read, and no more of them in memory than the
// browser takes. An obstacle is known before the first byte.
import * as v from 'valibot';
import type { Batch } from '../../batches/batch.ts';
import { couldBear } from '../../payout/message/job.ts';
import { shellWord, tool } from '../../payout/operate/spelling.ts';
import { toolPorts } from '../tool-ports.ts';
import { openReport, type ReportSource, writeReport } from '../batches/report-command.ts';
import { reportFormats } from '../batches/report-output.ts';
import type { RowOutput } from '../row-output.ts';

/** A name that a command line would take for an option is refused. */
const argument = (most: number) => v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(most), v.regex(/^[^-]/));

/** The forms of a download. */
export const downloadSchema = v.strictObject({
  batch: v.pipe(
    argument(200),
    v.check((batchId) => couldBear({ batchId })),
  ),
  format: v.picklist(['csv', 'pain.002']),
  /** The file that was submitted, on this machine. */
  file: v.exactOptional(argument(500)),
});

/** A report that is asked for. */
export type Download = v.InferOutput<typeof downloadSchema>;

/** Its file name and media type. */
export function fileOf({ batch, format }: Download): { readonly name: string; readonly type: string } {
  const base = batch.replaceAll(/[^\w.-]/g, '_');
  return format === 'csv'
    ? { name: `${base}.csv`, type: 'text/csv; charset=utf-8' }
    : { name: `${base}.pain.002.xml`, type: 'application/xml; charset=utf-8' };
}

/** The command that writes the same. */
export function reportCommandOf(it: Download): string {
  const { batch, format, file } = it;
  const options = { format, file, output: fileOf(it).name };
  const words = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return [`${tool} report`, ...[batch, ...words].map(shellWord)].join(' ');
}

/** Reports, as the console serves them. */
export interface ReportDownloads {
  /** Throws UsageError or RangeError with the obstacle. */
  check(it: Download): Promise<void>;
  /** The same, and then every row. */
  write(it: Download, stream: RowOutput): Promise<void>;
}

const nowhere: RowOutput = { write: async () => {}, close: async () => {} };

/** By the worker's settings, and the files of this machine. */
export const ledgerReports: ReportDownloads = {
  check: (it) =>
    opened(it, async (_, { columns, message }) => {
      // A format that this batch does not have fails with its head.
      await reportFormats[it.format]({ ...(columns && { columns }), stream: nowhere, ...(message && { message }) });
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
  if (!batch) throw new RangeError(`there is no batch ${batchId}`);
  const source = await openReport(batch, file, ports);
  try {
    await work(batch, source);
  } finally {
    await source.close();
  }
}
