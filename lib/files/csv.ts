// CSV as the tool reads and writes it, and what is wrong with a file that it was given.
import { type Options, parse } from 'csv-parse';
import { recognizeFormat } from './bulk-format.ts';
import { jobBodyLimitBytes } from '../payout/message/job-fields.ts';
import { codeOfError } from './file-failure.ts';
import { openBulkFile, utf8Of } from './bulk-file.ts';
import { UsageError } from './usage-error.ts';

/** Records of CSV as they come, and why what follows could not be read, if so. */
interface SomeRecords {
  readonly records: readonly string[][];
  readonly failure?: unknown;
}

/** How records are separated. */
export const csvOptions = (delimiter: string): Options => ({
  delimiter,
  // All of them at once: a file that was put together by hand has several.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  max_record_size: 4 * jobBodyLimitBytes,
});

/** All records of a text in UTF-8, blank lines too, some at a time. */
export async function* csvRecords(text: AsyncIterable<Buffer>, delimiter: string): AsyncGenerator<SomeRecords> {
  let records: string[][] = [];
  const onRecord = (cells: string[]) => void records.push(cells);
  const parser = parse({ ...csvOptions(delimiter), on_record: onRecord as never });
  let failure: unknown;
  // The callbacks of write and end get it as well; without a listener it would end the process.
  parser.on('error', (error) => (failure ??= error));
  const fed = (feed: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve) => feed((error) => resolve(void (failure ??= error ?? undefined))));
  const taken = () => {
    const some = records;
    records = [];
    return { records: some, failure };
  };
  for await (const chunk of text) {
    await fed((done) => parser.write(chunk, done));
    if (failure !== undefined) return yield taken();
    yield taken();
  }
  await fed((done) => parser.end(done));
  yield taken();
}

// The rows of a CSV file, one after the other: delimiter, encoding, byte order mark and line ends as they come.

/** Rows of cells, the header first; blank lines are left out. Throws UsageError if the file can't be read as CSV. */
export async function* csvRows(path: string, onBytes: (bytes: number) => void): AsyncGenerator<string[]> {
  const file = await openBulkFile(path);
  try {
    const format = recognizeFormat(file.head, path);
    if (format.kind !== 'csv') throw new UsageError(`${path} ${format.kind === 'refused' ? format.why : 'is not CSV'}`);
    const text = utf8Of(file.chunks(), format, (bytes) => onBytes(bytes.length));
    for await (const { records, failure } of csvRecords(text, format.delimiter)) {
      if (failure !== undefined) throw new UsageError(`${path} ${csvFault(failure)}`);
      for (const cells of records) if (cells.length > 1 || cells[0] !== '') yield cells.map(unguarded);
    }
  } finally {
    await file.close();
  }
}

/** Why what follows could not be read; the parser's own words quote the file. */
export function csvFault(error: unknown): string {
  const code = codeOfError(error);
  const rest = 'what follows could not be read';
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_MAX_RECORD_SIZE':
      return `opens a quote (") that is never closed; ${rest}`;
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
      return `has a quote (") in the middle of a cell; put the cell in quotes and double the ones inside; ${rest}`;
    default:
      return `is not CSV (${code}); ${rest}`;
  }
}

// Guarded cells: text of these files comes from outside, and a spreadsheet that opens a report must not run it. A text that looks
// like a formula, at the beginning of a cell or behind a character that some spreadsheet takes for a separator, gets one more
// apostrophe before its sign. Removing one apostrophe restores any text.

const formulas = /(^|[,;\t|\r\n])((?:[^\S\t\r\n]|["\u0085\p{Cf}])*'*)(?=[=+@\uff1d\uff0b\uff0d\uff20-])/gu;
const guardedFormulas = /(^|[,;\t|\r\n])((?:[^\S\t\r\n]|["\u0085\p{Cf}])*'*)'(?=[=+@\uff1d\uff0b\uff0d\uff20-])/gu;
/** An amount that came back: no formula. */
const negativeNumber = /^-\d+(?:[.,]\d+)?$/;
/** Texts that a spreadsheet would change: leading zeros, more digits than it keeps, and what looks like a number or a day. */
const numbers = /^('*)(?=0\d+$|\d{12,}$|\d+[eE]\d+$|(?!\d{4}-\d{2}-\d{2}$)\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,4})?$)/;
const guardedNumbers = /^('*)'(?=0\d+$|\d{12,}$|\d+[eE]\d+$|(?!\d{4}-\d{2}-\d{2}$)\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,4})?$)/;

/** The text, which a spreadsheet shows and does not run. */
export const guarded = (text: string): string => (negativeNumber.test(text) ? text : text.replace(formulas, "$1$2'"));

/** The text as it was before it was {@link guarded}. */
export const unguarded = (text: string): string => (text.includes("'") ? text.replace(guardedFormulas, '$1$2') : text);

/** Guarded, and numbers that are names as well: a spreadsheet drops their zeros and their last digits. */
export const guardedForSheet = (text: string): string => guarded(text).replace(numbers, "$1'");

/** The text as it was before it was {@link guardedForSheet}. */
export const unguardedFromSheet = (text: string): string =>
  text.includes("'") ? unguarded(text.replace(guardedNumbers, '$1')) : text;

/** How lines of CSV are written. */
export interface CsvStyle {
  /** Default a comma. */
  readonly delimiter?: string;
  readonly guard?: (text: string) => string;
}

/** The style of a file that a person opens in a spreadsheet. */
export const sheetStyle = (delimiter?: string): CsvStyle => ({ delimiter, guard: guardedForSheet });

type Cell = string | number | boolean | undefined;

/** A line of CSV (RFC 4180, a line feed at its end). */
export function csvLine(cells: readonly Cell[], { delimiter = ',', guard = guarded }: CsvStyle = {}): string {
  return `${cells.map((it) => quoted(typeof it === 'string' ? guard(it) : String(it ?? ''))).join(delimiter)}\n`;
}

const quoted = (text: string) => (/[",;|\r\n\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Rows as lines of CSV; empty text for no rows. */
export function csvText(rows: readonly (readonly Cell[])[], style?: CsvStyle): string {
  return rows.map((row) => csvLine(row, style)).join('');
}

// All faults of an input file together, each with its place.

const faultsAtMost = 10;

/** Collects faults of one file; none yet. */
export function createInputFaults(path: string) {
  const faults: string[] = [];
  function end(more = ''): void {
    if (faults.length > 0) throw new UsageError(`${path}:\n  ${faults.join('\n  ')}${more}`);
  }
  return {
    /** Throws as soon as there are so many that the file is of another kind. */
    add(fault: string): void {
      faults.push(fault);
      if (faults.length === faultsAtMost) end('\n  … and maybe more');
    },
    /** Throws UsageError if there was any. */
    end: () => end(),
  };
}
