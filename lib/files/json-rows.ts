// JSON lines: one job message a line.
import type { FileFormat } from './bulk-format.ts';
import { type BulkRow, type GivenFields, readJsonLine } from './bulk-row.ts';
import { jobBodyLimitBytes } from '../payout/message/job-fields.ts';
import { type BulkFile, utf8Of } from './bulk-file.ts';
import { type BulkRows, notForTables, type ReadingChoices } from './bulk-rows.ts';
import { linesOf } from './json-lines.ts';

/** Rows of JSON lines. */
export function jsonRowsOf(
  file: BulkFile,
  format: Extract<FileFormat, { kind: 'jsonl' }>,
  choices: ReadingChoices,
): BulkRows {
  notForTables(choices, 'JSON lines are jobs');
  return {
    rejectsAs: 'jsonl',
    titleOf: (path) => path,
    read: (onBytes) => jsonRows(utf8Of(file.chunks(), format, onBytes), choices.given),
  };
}

async function* jsonRows(bytes: AsyncIterable<Buffer>, given: GivenFields): AsyncGenerator<readonly BulkRow[]> {
  let row = 0;
  for await (const lines of linesOf(bytes, jobBodyLimitBytes)) {
    yield lines.flatMap((line) => {
      row += 1;
      const tooLong = { row, faults: [{ path: '', fault: `is longer than ${jobBodyLimitBytes} bytes` }] };
      return line === undefined ? tooLong : (readJsonLine(line, row, given) ?? []);
    });
  }
}
