// JSON lines: one job message a line.
import type { FileFormat } from './bulk-format.ts';
import { type BulkRow, type GivenFields, readJsonLine } from './bulk-row.ts';
import { jobBodyLimitBytes } from '../payout/message/job-fields.ts';
import type { BulkFile } from './bulk-file.ts';
import { type BulkRows, notForTables, type ReadingChoices } from './bulk-rows.ts';
import { utf8Of } from './file-text.ts';

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
  for await (const lines of linesOf(bytes)) {
    yield lines.flatMap((line) => {
      row += 1;
      const tooLong = { row, faults: [{ path: '', fault: `is longer than ${jobBodyLimitBytes} bytes` }] };
      return line === undefined ? tooLong : (readJsonLine(line, row, given) ?? []);
    });
  }
}

/** Lines by line feeds alone: a text in JSON may hold other signs that end a line. Undefined for one that is too long. */
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
