// CSV as the tool reads and writes it, and what is wrong with a file that it was given.
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { sniffedBytes, tellFormat } from '../batches/bulk-format.ts';
import { chunksOf } from './json-lines.ts';
import { UsageError } from './usage-error.ts';

// The rows of a CSV file, one after the other: delimiter, byte order mark and line ends as they come.

/** Rows of cells, the header first; blank lines are left out. Throws UsageError where the file can't be read as CSV. */
export async function* csvRows(path: string, onBytes: (bytes: number) => void): AsyncGenerator<string[]> {
  let parser: ReturnType<typeof parse> | undefined;
  let rows: string[][] = [];
  let failure: unknown;
  const start = (head: Buffer) => {
    const format = tellFormat(head.subarray(0, sniffedBytes), path, 'csv');
    if (format.kind !== 'csv') throw new UsageError(`${path} ${format.kind === 'refused' ? format.why : 'is not CSV'}`);
    const onRecord = (cells: string[]) => void rows.push(cells.map(withoutGuard));
    const options = { delimiter: format.delimiter, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true };
    const started = parse({ ...options, skip_empty_lines: true, on_record: onRecord as never });
    started.on('error', (error) => (failure ??= error));
    return { parser: started, skipBytes: format.skipBytes };
  };
  for await (const chunk of chunksOf(path)) {
    let bytes = chunk;
    if (!parser) {
      const started = start(chunk);
      parser = started.parser;
      bytes = chunk.subarray(started.skipBytes);
    }
    const feeding = parser;
    await new Promise<void>((resolve) => feeding.write(bytes, () => resolve()));
    if (failure !== undefined) throw notCsv(path, failure);
    onBytes(chunk.length);
    yield* rows;
    rows = [];
  }
  if (!parser) throw new UsageError(`${path} is empty`);
  const ending = parser;
  await new Promise<void>((resolve) => ending.end(() => resolve()));
  if (failure !== undefined) throw notCsv(path, failure);
  yield* rows;
}

/** The apostrophe that {@link csvText} puts in front is no part of the value: rows that were refused come back mended. */
const withoutGuard = (cell: string) => (/^'[=+@\t\r\uff1d\uff0b\uff0d\uff20-]/.test(cell) ? cell.slice(1) : cell);

/** The parser's own words quote the file. */
function notCsv(path: string, error: unknown): UsageError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new UsageError(`${path} is not CSV (${code}); look for a quote (") that is never closed`);
}

// Rows as CSV text. A cell that a spreadsheet would take for a formula gets an apostrophe in front: text of these files
// comes from outside, and opening a report must not run it.

/** Rows as lines of CSV (RFC 4180, line feeds); empty text for no rows. */
export function csvText(rows: readonly (readonly (string | number | boolean | undefined)[])[]): string {
  return stringify(
    rows.map((row) => [...row]),
    { escape_formulas: true, cast: { boolean: String } },
  );
}

// Everything that is wrong with an input file, told together, each with its place.

/** Collects faults of one file. */
export interface InputFaults {
  /** Throws as soon as there are so many that the file is of another kind. */
  add(fault: string): void;
  /** Throws UsageError if there was any. */
  end(): void;
}

const faultsAtMost = 10;

/** No faults yet. */
export function createInputFaults(path: string): InputFaults {
  const faults: string[] = [];
  function end(more = ''): void {
    if (faults.length > 0) throw new UsageError(`${path}:\n  ${faults.join('\n  ')}${more}`);
  }
  return {
    add(fault) {
      faults.push(fault);
      if (faults.length === faultsAtMost) end('\n  … and maybe more');
    },
    end: () => end(),
  };
}
