// A table in CSV: its header, and its rows in the file's order, one chunk at a time.
import { type CsvError, type Options, parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import type { FileFormat } from '../../batches/bulk-format.ts';
import { isOfTheTool } from '../../batches/bulk-columns.ts';
import type { BulkRow, CellReader } from '../../batches/bulk-row.ts';
import { jobBodyLimitBytes } from '../../payout/job-message.ts';
import type { BulkFile } from '../batches/bulk-file.ts';
import { unguardedFromSheet } from '../csv.ts';
import { UsageError } from '../usage-error.ts';
import { type BulkRows, type ReadingChoices, tableOf } from './bulk-rows.ts';
import { utf8Of } from './file-text.ts';

type CsvFormat = Extract<FileFormat, { kind: 'csv' }>;

/** Rows of CSV. Throws UsageError with everything that is wrong with its header. */
export async function csvRowsOf(file: BulkFile, format: CsvFormat, choices: ReadingChoices): Promise<BulkRows> {
  const { delimiter } = format;
  const header = await headerOf(file, format);
  const { readCells, ...table } = tableOf(file.name, header, choices);
  const readOwn: CellReader = (cells, row) => readCells(cells.map(unguardedFromSheet), row);
  const read = isOfTheTool(header) ? readOwn : readCells;
  return { ...table, delimiter, read: (onBytes) => csvRows(utf8Of(file.chunks(), format, onBytes), delimiter, read) };
}

const csvOptions = (delimiter: string): Options => ({
  delimiter,
  // All of them at once: a file that was put together by hand has several.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  max_record_size: 4 * jobBodyLimitBytes,
});

async function headerOf({ name, head }: BulkFile, format: CsvFormat): Promise<string[]> {
  try {
    const text: Buffer[] = [];
    for await (const some of utf8Of([head], format)) text.push(some);
    const [header = []] = parseAtOnce(Buffer.concat(text), {
      ...csvOptions(format.delimiter),
      to: 1,
    }) as unknown as string[][];
    return header;
  } catch (error) {
    throw new UsageError(`the header of ${name} ${csvFault(error)}`);
  }
}

async function* csvRows(
  bytes: AsyncIterable<Buffer>,
  delimiter: string,
  readCells: CellReader,
): AsyncGenerator<readonly BulkRow[]> {
  let records: string[][] = [];
  let row = 0;
  const onRecord = (cells: string[]) => void records.push(cells);
  const parser = parse({ ...csvOptions(delimiter), on_record: onRecord as never });
  let failure: unknown;
  // Told by the callbacks of write and end too; without a listener it would end the process.
  parser.on('error', (error) => (failure ??= error));
  const fed = (feed: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve) => feed((error) => resolve(void (failure ??= error ?? undefined))));

  function taken(): BulkRow[] {
    const first = row + 1;
    row += records.length;
    const read = records.flatMap((cells, index) =>
      first + index === 1 ? [] : (readCells(cells, first + index) ?? []),
    );
    records = [];
    return read;
  }

  for await (const chunk of bytes) {
    await fed((done) => parser.write(chunk, done));
    yield taken();
    if (failure !== undefined) break;
  }
  if (failure === undefined) await fed((done) => parser.end(done));
  yield taken();
  if (failure !== undefined) yield [{ row: row + 1, faults: [{ path: '', fault: csvFault(failure) }], cutOff: true }];
}

/** The parser's own words quote the file. */
function csvFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? (error as CsvError).code : undefined;
  const rest = 'what follows could not be read';
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_MAX_RECORD_SIZE':
      return `opens a quote (") that is never closed; ${rest}`;
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
      return `has a quote (") in the middle of a cell; put the cell in quotes and double the ones inside; ${rest}`;
    default:
      return `is not CSV (${code ?? 'unknown'}); ${rest}`;
  }
}
