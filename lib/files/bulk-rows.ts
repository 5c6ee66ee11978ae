// Rows as every format yields them, with their places, and what the formats of tables have in common.
import { type Column, type ColumnChoices, type FieldPath, mapHeader } from './bulk-columns.ts';
import type { Pain001Version } from './bulk-format.ts';
import type { FileReading } from './file-reading.ts';
import { type BulkRow, type CellReader, createCellReader, type GivenFields, type XmlPlace } from './bulk-row.ts';
import { UsageError } from './usage-error.ts';

/** A file whose form is understood. */
export interface BulkRows {
  /** The form in which refused rows are written, to be corrected and sent again. */
  readonly rejectsAs: 'csv' | 'jsonl';
  /** The delimiter of its cells, if it is CSV. */
  readonly delimiter?: string;
  /** Titles of the columns, in their order; undefined for JSON lines. */
  readonly columns?: readonly Column[];
  /** The field's name in a fault, as the file's owner knows it. */
  titleOf(path: FieldPath, place?: XmlPlace): string;
  /** Elements of the file that are not used, with how often, once it was read. */
  unused?(): readonly string[];
  /** The header of a file of payment messages, once it was read. */
  message?(): MessageHeader;
  /** The rows from the first to the last, a few at a time; every byte read on the way is shown to `onBytes`. */
  read(onBytes: (bytes: Buffer) => void): AsyncGenerator<readonly BulkRow[]>;
}

/** The header of a file of payment messages. */
export interface MessageHeader {
  readonly version: Pain001Version;
  readonly messageId?: string;
  readonly createdAt?: string;
  readonly count?: string;
  readonly sum?: string;
}

/** How the file is read. */
export interface ReadingChoices extends Pick<ColumnChoices, 'columns'>, Pick<FileReading, 'sheet' | 'decimal'> {
  readonly given: GivenFields;
  /** Makes the first layout of a table that has none. */
  readonly firstLayout?: (titles: readonly string[]) => Readonly<Record<string, string>>;
}

/** A reader of rows of cells under a header. */
interface TableReader extends Pick<BulkRows, 'rejectsAs' | 'titleOf'> {
  readonly columns: readonly Column[];
  readonly readCells: CellReader;
}

/** A table by its header. Throws UsageError with everything that is wrong with it. */
export function tableOf(name: string, cells: readonly string[], choices: ReadingChoices): TableReader {
  const { given, decimal, firstLayout } = choices;
  const columnChoices = firstLayout ? new Map(Object.entries(firstLayout(cells))) : choices.columns;
  const header = mapHeader(cells, { columns: columnChoices, given: new Set(Object.keys(given)) });
  if (header.kind === 'refused') throw new UsageError(`the header of ${name}:\n  ${header.faults.join('\n  ')}`);
  const { columns } = header;
  const titles = new Map(columns.flatMap(({ path, title }) => (path === undefined ? [] : [[path, title] as const])));
  return {
    rejectsAs: 'csv',
    columns,
    titleOf: (path) =>
      titles.get(path) ?? (given[path] === undefined ? path.replace('params.', '') : `--${path.replace('Id', '')}`),
    readCells: createCellReader(columns, given, decimal),
  };
}

/** Throws UsageError if the caller gave a form of cells. */
export function notForTables({ columns, decimal, sheet }: Partial<ReadingChoices>, why: string): void {
  if ((columns?.size ?? 0) > 0 || decimal === 'comma' || sheet !== undefined)
    throw new UsageError(`the layout names columns, a sheet or a decimal sign, which are for tables; ${why}`);
}
