// A workbook of Excel: one of its sheets, read whole. Cells are what they are shown as, but for what Excel keeps of them: a
// number has fifteen digits, and a day is a moment of UTC.
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import readWorkbook, { type CellValue } from 'read-excel-file/node';
import type { FileFormat } from '../../batches/bulk-format.ts';
import type { RowWarning } from '../../batches/row-findings.ts';
import type { BulkFile } from './bulk-file.ts';
import { UsageError } from '../usage-error.ts';
import { type BulkRows, type ReadingChoices, tableOf } from './bulk-rows.ts';

/** About four hundred thousand rows: a workbook is read whole, some 3 kB of memory a row. */
const workbookLimitBytes = 16 << 20;

/** Rows of a workbook. Throws UsageError with everything that is wrong with its header. */
export async function xlsxRowsOf(
  file: BulkFile,
  _format: Extract<FileFormat, { kind: 'xlsx' }>,
  choices: ReadingChoices,
): Promise<BulkRows> {
  if (file.sizeBytes > workbookLimitBytes)
    throw new UsageError(
      `${file.name} is a workbook of more than ${workbookLimitBytes >> 20} MB, which is read whole; save it as "CSV UTF-8 (comma delimited)"`,
    );
  const chunks: Buffer[] = [];
  for await (const chunk of file.chunks()) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { bytes: whole, hidden } = readable(file.name, bytes);
  const [header = [], ...rows] = await sheetOf(file.name, whole, choices.sheet);
  const { readCells, ...table } = tableOf(file.name, withoutEnd(header), choices);
  return {
    ...table,
    async *read(onBytes) {
      onBytes(bytes);
      yield rows.flatMap((cells, index) => {
        const read = readCells.row(cells, index + 2);
        if (!read || !hidden.has(read.row)) return read ?? [];
        return { ...read, warnings: [...(read.warnings ?? []), hiddenWarning] };
      });
      yield readCells.end();
    },
  };
}

const hiddenWarning: RowWarning = {
  kind: 'hidden',
  path: '',
  warning: 'is hidden in the spreadsheet, by a filter or by hand, and is sent all the same',
};

/** The rows of the only sheet that has some, or of the one that is named. */
async function sheetOf(name: string, bytes: Uint8Array, wanted: string | undefined): Promise<string[][]> {
  const sheets = await workbookOf(name, bytes);
  const filled = sheets.filter(({ data }) => data.some((row) => row.some((cell) => cell !== null)));
  const names = filled.map(({ sheet }) => `"${sheet}"`).join(', ');
  const [only, ...others] = wanted === undefined ? filled : filled.filter(({ sheet }) => sheet === wanted);
  if (!only && wanted === undefined) throw new UsageError(`${name} is empty`);
  if (!only) throw new UsageError(`${name} has no rows on a sheet "${wanted}"; there are ${names || 'none'}`);
  if (others.length > 0)
    throw new UsageError(`${name} has rows on ${filled.length} sheets; say --sheet with one of ${names}`);
  return only.data.map((row) => row.map(cellText));
}

async function workbookOf(name: string, bytes: Uint8Array) {
  try {
    return await readWorkbook(Buffer.from(bytes), { parseNumber: numberText });
  } catch {
    throw damaged(name);
  }
}

/** The largest size of an unpacked workbook: a small file may hold any. */
const unpackedLimitBytes = 512 << 20;

/** A workbook as it is read. */
interface Readable {
  readonly bytes: Uint8Array;
  /** Rows that are hidden, on whichever sheet. */
  readonly hidden: ReadonlySet<number>;
}

/**
 * The parts that the workbook's directory names, packed anew, as spreadsheet programs read no others: the reader takes whatever lies in the
 * file, so that a part beside the directory would be sent in the place of the one that a person was shown, or unpack without end.
 *
 * And two things that the reader leaves out. A cell with an error is an empty one to it: as text it is a fault of its row, as in CSV. And a
 * person who has filtered a list may not know of the rows that are hidden.
 */
function readable(name: string, bytes: Uint8Array): Readable {
  const files = partsOf(name, bytes);
  const hidden = new Set<number>();
  for (const [path, content] of Object.entries(files)) {
    if (!/^xl\/worksheets\/[^/]+\.xml$/.test(path)) continue;
    const xml = strFromU8(content);
    for (const [row] of xml.matchAll(/<row\b[^<>]*\shidden="(?:1|true)"[^<>]*>/g))
      hidden.add(Number(/\sr="(\d+)"/.exec(row)?.[1]));
    const changed = xml.replaceAll(/(<c\b[^<>]*\st=)"e"/g, '$1"str"');
    if (changed !== xml) files[path] = strToU8(changed);
  }
  return { bytes: zipSync(files, { level: 0 }), hidden };
}

function partsOf(name: string, bytes: Uint8Array) {
  let unpackedBytes = 0;
  const filter = ({ originalSize }: { readonly originalSize: number }) => {
    unpackedBytes += originalSize;
    return unpackedBytes <= unpackedLimitBytes;
  };
  try {
    const files = unzipSync(bytes, { filter });
    if (unpackedBytes <= unpackedLimitBytes) return files;
  } catch {
    throw damaged(name);
  }
  throw new UsageError(`${name} is too large when it is unpacked; save it as CSV`);
}

const damaged = (name: string) =>
  new UsageError(`${name} is a damaged workbook; open it in the spreadsheet program and save it again as XLSX`);

/** Beyond fifteen digits Excel has none: the rest of a longer number is reported as cut off (bulk-row.ts). */
function numberText(text: string): string {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  return Math.abs(value) < 1e15 ? String(Number(value.toPrecision(15))) : value.toExponential(14);
}

function cellText(cell: CellValue<string> | null): string {
  if (cell === null) return '';
  return cell instanceof Date ? cell.toISOString() : String(cell);
}

/** Columns to the right that were used once and have no name now. */
function withoutEnd(header: readonly string[]): readonly string[] {
  return header.slice(0, header.findLastIndex((cell) => cell.trim() !== '') + 1);
}
