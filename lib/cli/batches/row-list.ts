// A list of what was found in a file: all of it in a file of its own, which is opened when the first entry comes, and the
// first few as a table for a terminal.
import { csvLine, type CsvStyle } from '../../files/csv.ts';
import { plainTable } from '../plain-table.ts';
import { openRowOutput, type RowOutput } from '../../files/row-output.ts';

/** Entries that a terminal shows; all of them are in the file. */
const shownEntries = 20;

/** A file that is written as it comes. */
export interface LineFile extends RowOutput {
  readonly path: string;
}

/** Opens a file of this user alone. Throws UsageError if it can't be written. */
export async function openLineFile(path: string, header: string): Promise<LineFile> {
  const file = await openRowOutput(path, 'goes');
  await file.write(header);
  return { path, ...file };
}

/** Entries under one head, none yet: a file without entries leaves none. */
export function createRowList(path: string, head: readonly string[], style?: CsvStyle) {
  const first: string[][] = [];
  let count = 0;
  let file: LineFile | undefined;
  return {
    async add(cells: readonly string[]): Promise<void> {
      file ??= await openLineFile(path, csvLine(head, style));
      if (first.length < shownEntries) first.push([...cells]);
      count += 1;
      await file.write(csvLine(cells, style));
    },
    /** Ends the file; answers with its path if there is one. */
    async close(): Promise<string | undefined> {
      await file?.close();
      return file?.path;
    },
    count: () => count,
    /** The first entries; empty if there are none. */
    table(): string {
      if (first.length === 0) return '';
      const more = count > first.length ? `… and ${count - first.length} more\n` : '';
      return `${plainTable(
        head,
        head.map(() => 'left'),
        first,
      )}\n${more}`;
    },
  };
}
