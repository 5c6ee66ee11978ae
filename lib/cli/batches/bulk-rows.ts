// From bytes to rows: CSV by its header, or JSON lines; in the file's order and one chunk at a time.
import { type CsvError, type Options, parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import { type Column, type ColumnChoices, type FieldPath, mapHeader } from '../../batches/bulk-columns.ts';
import { type FileFormat, tellFormat } from '../../batches/bulk-format.ts';
import { type BulkRow, createCellReader, type GivenFields, readJsonLine } from '../../batches/bulk-row.ts';
import { jobBodyLimitBytes } from '../../payout/job-message.ts';
import type { BulkFile } from './bulk-file.ts';
import { UsageError } from '../usage-error.ts';

/** A file whose form is understood. */
export interface BulkRows {
  readonly format: FileFormat['kind'];
  /** Titles of the columns, in their order; undefined for JSON lines. */
  readonly columns?: readonly Column[];
  /** How a fault names this field to whoever sees the file. */
  titleOf(path: FieldPath): string;
  /** The rows from the first to the last, a few at a time; every byte read on the way is shown to `onBytes`. */
  read(onBytes: (bytes: Buffer) => void): AsyncGenerator<readonly BulkRow[]>;
}

/** What the command line says of the file. */
export interface ReadingChoices extends Omit<ColumnChoices, 'given'> {
  readonly format?: FileFormat['kind'];
  readonly given: GivenFields;
}

/** Tells the form of the file. Throws UsageError with everything that is wrong with its header. */
export function bulkRowsOf(file: BulkFile, choices: ReadingChoices): BulkRows {
  const format = tellFormat(file.head, file.name, choices.format);
  if (format.kind === 'refused')
    throw new UsageError(
      `${file.name} ${file.name === 'stdin' ? format.why : format.why.replaceAll('FILE', file.name)}`,
    );
  return format.kind === 'csv' ? csvRowsOf(file, format, choices) : jsonRowsOf(file, format, choices);
}

function jsonRowsOf(file: BulkFile, format: FileFormat, { given, maps, ignored }: ReadingChoices): BulkRows {
  if (maps.size > 0 || ignored.size > 0) throw new UsageError('--map and --ignore are for CSV; JSON lines are jobs');
  return {
    format: 'jsonl',
    titleOf: (path) => path,
    read: (onBytes) => jsonRows(withoutStart(file.chunks(), format.skipBytes, onBytes), given),
  };
}

function csvRowsOf(
  file: BulkFile,
  format: Extract<FileFormat, { kind: 'csv' }>,
  { given, maps, ignored }: ReadingChoices,
): BulkRows {
  const header = mapHeader(headerOf(file, format), { given: new Set(Object.keys(given)), maps, ignored });
  if (header.kind === 'refused') throw new UsageError(`the header of ${file.name}:\n  ${header.faults.join('\n  ')}`);
  const { columns } = header;
  const titles = new Map(columns.flatMap(({ path, title }) => (path === undefined ? [] : [[path, title] as const])));
  return {
    format: 'csv',
    columns,
    titleOf: (path) =>
      titles.get(path) ?? (given[path] === undefined ? path.replace('params.', '') : `--${path.replace('Id', '')}`),
    read: (onBytes) => {
      const bytes = withoutStart(file.chunks(), format.skipBytes, onBytes);
      return csvRows(bytes, format.delimiter, createCellReader(columns, given));
    },
  };
}

const csvOptions = (delimiter: string): Options => ({
  delimiter,
  // All of them at once: a file that was put together by hand has several.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  max_record_size: 4 * jobBodyLimitBytes,
});

function headerOf({ name, head }: BulkFile, format: Extract<FileFormat, { kind: 'csv' }>): string[] {
  try {
    const options = { ...csvOptions(format.delimiter), to: 1 };
    const [header = []] = parseAtOnce(head.subarray(format.skipBytes), options) as unknown as string[][];
    return header;
  } catch (error) {
    throw new UsageError(`the header of ${name} ${csvFault(error)}`);
  }
}

async function* csvRows(
  bytes: AsyncIterable<Buffer>,
  delimiter: string,
  readCells: ReturnType<typeof createCellReader>,
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

async function* jsonRows(bytes: AsyncIterable<Buffer>, given: GivenFields): AsyncGenerator<readonly BulkRow[]> {
  let row = 0;
  for await (const lines of linesOf(bytes)) {
    yield lines.flatMap((line) => {
      row += 1;
      const tooLong = { row, faults: [{ path: '', fault: `is longer than ${jobBodyLimitBytes} bytes` }] };
      return line === undefined ? tooLong : (readJsonLine(line, row, given) ?? []);
    });
  }
}

/** Lines by line feeds alone: other signs that end a line may stand in JSON text. Undefined for one that is too long. */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<readonly (string | undefined)[]> {
  let rest: Buffer = Buffer.alloc(0);
  let tooLong = false;
  const textOf = (line: Buffer) => (tooLong || line.length > jobBodyLimitBytes ? undefined : line.toString());
  for await (const chunk of bytes) {
    const lines: (string | undefined)[] = [];
    let buffer: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = buffer.indexOf(0x0a); end >= 0; end = buffer.indexOf(0x0a)) {
      lines.push(textOf(buffer.subarray(0, end)));
      tooLong = false;
      buffer = buffer.subarray(end + 1);
    }
    tooLong ||= buffer.length > jobBodyLimitBytes;
    rest = tooLong ? Buffer.alloc(0) : buffer;
    yield lines;
  }
  if (rest.length > 0 || tooLong) yield [textOf(rest)];
}

/** Without what stands before the header. */
async function* withoutStart(
  chunks: AsyncIterable<Buffer>,
  skipBytes: number,
  onBytes: (bytes: Buffer) => void,
): AsyncGenerator<Buffer> {
  let toSkip = skipBytes;
  for await (const chunk of chunks) {
    onBytes(chunk);
    if (chunk.length > toSkip) yield chunk.subarray(toSkip);
    toSkip = Math.max(0, toSkip - chunk.length);
  }
}
