// The report of a batch as a file of the browser.
import * as v from 'valibot';
import { couldBear } from '../payout/message/job.ts';
import type { RowOutput } from '../files/row-output.ts';
import { shellWord, tool } from '../payout/operate/spelling.ts';
import { UsageError } from '../files/usage-error.ts';

/** A name that a command line would take for an option is refused. */
const argument = (most: number) => v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(most), v.regex(/^[^-]/));

const downloadSchema = v.strictObject({
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

/** Reports, as the console serves them. */
export interface ReportDownloads {
  /** Throws with the obstacle, so that it is known before the first byte. */
  check(it: Download): Promise<void>;
  /** Every row, no faster than it is taken. */
  write(it: Download, stream: RowOutput): Promise<void>;
}

/** The question in an address. Throws UsageError. */
export function downloadIn(search: URLSearchParams): Download {
  const read = v.safeParse(downloadSchema, Object.fromEntries(search));
  if (read.success) return read.output;
  throw new UsageError(`${String(read.issues[0].path?.[0]?.key ?? '')}: is not valid`);
}

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
