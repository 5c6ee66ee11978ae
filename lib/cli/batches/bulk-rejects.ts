// What is wrong with a file, written down: every fault in a file of its own, the first few as a table, and on request the
// rows themselves beside their faults, with everything masked that belongs to a card.
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import Table from 'cli-table3';
import type { BadRow } from '../../batches/check-rows.ts';
import { type Column } from '../../batches/bulk-columns.ts';
import { maskedCells, maskedMessage } from '../../batches/masked-rows.ts';
import { UsageError } from '../usage-error.ts';

/** Where faults go. */
export interface FaultSink {
  add(row: BadRow): Promise<void>;
  /** Ends the files; answers with those that were written. */
  close(): Promise<readonly string[]>;
  /** The first faults as a table; empty where there are none. */
  table(): string;
  /** Faults so far: one row may have several. */
  count(): number;
}

/** How faults are written. */
export interface FaultSinkOptions {
  readonly faultsFile: string;
  /** Absent: the rows themselves are not written. */
  readonly rejectsFile?: string;
  /** Columns of CSV; absent for JSON lines. */
  readonly columns?: readonly Column[];
  readonly titleOf: (path: string) => string;
}

/** Faults that a terminal shows; all of them are in the file. */
const shownFaults = 20;

/** What a spreadsheet would take for a formula is text: an apostrophe in front says so, and is taken away where it is read. */
const guarded = (text: string) => (/^[=+@\t\r\uff1d\uff0b\uff0d\uff20-]/.test(text) ? `'${text}` : text);
const quoted = (text: string) => (/[",;\r\n\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const line = (cells: readonly string[]) => `${cells.map((it) => quoted(guarded(it))).join(',')}\n`;

/** Opens its files when the first fault comes: a file without faults leaves none. */
export function createFaultSink({ faultsFile, rejectsFile, columns, titleOf }: FaultSinkOptions): FaultSink {
  const first: [row: string, column: string, fault: string][] = [];
  const open: { readonly path: string; readonly stream: WriteStream }[] = [];
  let count = 0;
  let faults: WriteStream | undefined;
  let rejects: WriteStream | undefined;

  async function opened(path: string, header: string): Promise<WriteStream> {
    const stream = createWriteStream(path, { mode: 0o600 });
    try {
      await once(stream, 'open');
    } catch (error) {
      throw new UsageError(
        `can't write ${path} (${error instanceof Error && 'code' in error ? error.code : 'unknown'})`,
      );
    }
    open.push({ path, stream });
    stream.write(header);
    return stream;
  }

  async function write(stream: WriteStream, text: string): Promise<void> {
    if (!stream.write(text)) await once(stream, 'drain');
  }

  function rejectedLine({ row, faults: of, original }: BadRow): string {
    const told = of.map(({ path, fault }) => `${titleOf(path)} ${fault}`.trim());
    if (columns) return line([...maskedCells(original, columns), String(row), told.join('; ')]);
    return `${JSON.stringify({ ...maskedMessage(original), rejectedRow: row, rejectedFor: told })}\n`;
  }

  const rejectsHeader = () => (columns ? line([...columns.map((it) => it.title), 'row', 'fault']) : '');
  return {
    async add(bad) {
      faults ??= await opened(faultsFile, 'row,column,fault\n');
      for (const { path, fault } of bad.faults) {
        const shown = [String(bad.row), path === '' ? '' : titleOf(path), fault] as const;
        if (first.length < shownFaults) first.push([...shown]);
        count += 1;
        await write(faults, line(shown));
      }
      if (rejectsFile === undefined) return;
      rejects ??= await opened(rejectsFile, rejectsHeader());
      await write(rejects, rejectedLine(bad));
    },
    async close() {
      await Promise.all(
        open.map(async ({ stream }) => {
          stream.end();
          await once(stream, 'close');
        }),
      );
      return open.map(({ path }) => path);
    },
    count: () => count,
    table() {
      if (first.length === 0) return '';
      const table = new Table({
        head: ['row', 'column', 'fault'],
        style: { head: [], border: [] },
        wordWrap: true,
        colWidths: [null, null, 80],
      });
      table.push(...first);
      const more = count > first.length ? `… and ${count - first.length} more\n` : '';
      return `${table.toString()}\n${more}`;
    },
  };
}
