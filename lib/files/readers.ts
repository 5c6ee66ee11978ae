// From a file to rows: a table of formats, a reader each.
import { type FileFormat, recognizeFormat } from './bulk-format.ts';
import type { BulkFile } from './bulk-file.ts';
import { UsageError } from './usage-error.ts';
import type { BulkRows, ReadingChoices } from './bulk-rows.ts';
import { csvRowsOf } from './csv-rows.ts';
import { jsonRowsOf } from './json-rows.ts';
import { pain001RowsOf } from './pain001-rows.ts';
import { xlsxRowsOf } from './xlsx-rows.ts';

type Readers = {
  readonly [Kind in FileFormat['kind']]: (
    file: BulkFile,
    format: Extract<FileFormat, { kind: Kind }>,
    choices: ReadingChoices,
  ) => BulkRows | Promise<BulkRows>;
};

const readers: Readers = { csv: csvRowsOf, jsonl: jsonRowsOf, xlsx: xlsxRowsOf, 'pain.001': pain001RowsOf };

/** Tells the form of the file. Throws UsageError with everything that is wrong with its header. */
export async function bulkRowsOf(file: BulkFile, choices: ReadingChoices): Promise<BulkRows> {
  const format = recognizeFormat(file.head, file.name);
  if (format.kind === 'refused')
    throw new UsageError(
      `${file.name} ${file.name === 'stdin' ? format.why : format.why.replaceAll('FILE', file.name)}`,
    );
  const read = readers[format.kind] as (
    file: BulkFile,
    format: FileFormat,
    choices: ReadingChoices,
  ) => Promise<BulkRows>;
  return read(file, format, choices);
}
