// A table in CSV: its header, and its rows in the file's order, one chunk at a time.
import { parse as parseAtOnce } from 'csv-parse/sync';
import type { FileFormat } from './bulk-format.ts';
import { isOfTheTool } from './bulk-columns.ts';
import type { BulkRow, CellReader } from './bulk-row.ts';
import { type BulkFile, utf8Of } from './bulk-file.ts';
import { csvFault, csvOptions, csvRecords, unguardedFromSheet } from './csv.ts';
import { UsageError } from './usage-error.ts';
import { type BulkRows, type ReadingChoices, tableOf } from './bulk-rows.ts';

type CsvFormat = Extract<FileFormat, { kind: 'csv' }>;

/** Rows of CSV. Throws UsageError with everything that is wrong with its header. */
export async function csvRowsOf(file: BulkFile, format: CsvFormat, choices: ReadingChoices): Promise<BulkRows> {
  const { delimiter } = format;
  const header = await headerOf(file, format);
  const { readCells, ...table } = tableOf(file.name, header, choices);
  const readOwn: CellReader = { row: (cells, row) => readCells.row(cells.map(unguardedFromSheet), row) };
  const read = isOfTheTool(header) ? readOwn : readCells;
  return { ...table, delimiter, read: (onBytes) => rowsOf(utf8Of(file.chunks(), format, onBytes), delimiter, read) };
}

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

async function* rowsOf(
  text: AsyncIterable<Buffer>,
  delimiter: string,
  readCells: CellReader,
): AsyncGenerator<readonly BulkRow[]> {
  let row = 0;
  for await (const { records, failure } of csvRecords(text, delimiter)) {
    const first = row + 1;
    row += records.length;
    yield records.flatMap((cells, index) => (first + index === 1 ? [] : (readCells.row(cells, first + index) ?? [])));
    if (failure !== undefined) yield [{ row: row + 1, faults: [{ path: '', fault: csvFault(failure) }], cutOff: true }];
  }
}
