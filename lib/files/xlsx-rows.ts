// A workbook of Excel: one of its sheets, streamed. A cell is read as it is shown, or refused; what a person may not have seen (hidden rows,
// columns and sheets) is told.
import type { FileFormat } from './bulk-format.ts';
import type { Column } from './bulk-columns.ts';
import type { BulkRow } from './bulk-row.ts';
import type { RowFault, RowWarning } from './row-findings.ts';
import type { BulkFile } from './bulk-file.ts';
import { UsageError } from './usage-error.ts';
import { type BulkRows, type ReadingChoices, tableOf } from './bulk-rows.ts';
import {
  builtInFormat,
  isDayFormat,
  isScaled,
  momentOfDay,
  plainNumber,
  shownNumber,
  showsNothing,
} from './xlsx-numbers.ts';
import { damaged, openPackage, type XlsxPackage } from './xlsx-package.ts';

/** Rows of a workbook. Throws UsageError with everything that is wrong with its header. */
export async function xlsxRowsOf(
  file: BulkFile,
  _format: Extract<FileFormat, { kind: 'xlsx' }>,
  choices: ReadingChoices,
): Promise<BulkRows> {
  const workbook = await openWorkbook(file);
  const { sheet, header } = await sheetWithRows(workbook, choices.sheet);
  const { readCells, ...table } = tableOf(file.name, header.titles, choices);
  return {
    ...table,
    async *read(onBytes) {
      for await (const chunk of file.chunks()) onBytes(chunk);
      let isFirst = true;
      const merged: string[] = [];
      for await (const rows of sheetRows(workbook, sheet, merged)) {
        yield rows.flatMap((read): BulkRow[] => {
          if (read.row <= header.row) return [];
          const { texts, faults } = textsOf(read.cells, table.columns, workbook);
          const row = readCells.row(texts, read.row);
          if (!row) return faults.length === 0 ? [] : [{ row: read.row, faults, original: texts }];
          const warnings = [
            ...(isFirst ? warningsOf(sheet, read, table.columns) : []),
            ...(read.isHidden ? [hiddenRow] : []),
          ];
          isFirst = false;
          return [{ ...row, faults: [...row.faults, ...faults], warnings }];
        });
      }
      yield mergedRows(merged, header, table.columns);
    },
  };
}

const hidden = (path: string, warning: string): RowWarning => ({ kind: 'hidden', path, warning });
const hiddenRow = hidden('', 'is hidden in the spreadsheet, by a filter or by hand, and is sent all the same');

/** A cell that is merged over several rows is shown in each, and is in the first alone. */
function mergedRows(merged: readonly string[], header: Header, columns: readonly Column[]): BulkRow[] {
  const refs = merged.filter((ref) => {
    const [, from = '', first, to = '', last] = /^([A-Z]{1,3})(\d+):([A-Z]{1,3})(\d+)$/.exec(ref) ?? [];
    const isRead = columns.slice(placeOf(from), placeOf(to) + 1).some(({ path }) => path !== undefined);
    return isRead && Number(last) > Math.max(header.row, Number(first));
  });
  const fault = `has merged cells (${refs[0]}), whose value is in their first row alone; unmerge them, and write the value in each row`;
  return refs.length === 0 ? [] : [{ row: header.row, faults: [{ path: '', fault }], cutOff: true }];
}

/** What of the whole sheet a person may not have seen. */
function warningsOf({ name, isHidden }: Sheet, { hiddenColumns }: SheetRow, columns: readonly Column[]): RowWarning[] {
  const unseen = columns.flatMap(({ path }, index) =>
    path !== undefined && hiddenColumns(index)
      ? [hidden(path, 'is in a column that is hidden in the spreadsheet')]
      : [],
  );
  return [
    ...(isHidden ? [hidden('', `is on the sheet "${name}", which is hidden in the spreadsheet`)] : []),
    ...unseen,
  ];
}

// Cells as texts.

/** A cell as it is in the file. */
interface Cell {
  readonly kind: 'text' | 'number' | 'other' | 'unknown';
  readonly value: string;
  readonly format: string;
}

const unshown =
  'is a number that the sheet shows in a form of its own; format the column as text, and type the values again';

const valueless = 'is a formula without its value; open the file in the spreadsheet program, and save it again';

function textsOf(cells: readonly (Cell | undefined)[], columns: readonly Column[], workbook: Workbook) {
  const faults: RowFault[] = [];
  const texts = Array.from({ length: Math.max(columns.length, cells.length) }, (_, index) => {
    const cell = cells[index];
    if (!cell) return '';
    const path = columns[index]?.path;
    const text = textOf(cell, path, workbook);
    if (typeof text === 'string') return text;
    if (path !== undefined) faults.push({ path, fault: text.fault });
    return cell.value;
  });
  return { texts, faults };
}

/** The text of a cell under a column, or why there is none. */
function textOf({ kind, value, format }: Cell, path: string | undefined, { from1904 }: Workbook) {
  if (path === undefined || kind === 'other') return value;
  if (kind === 'unknown') return { fault: valueless };
  if (showsNothing(format, kind)) return { fault: 'has a format that shows nothing of it; format the cell as text' };
  if (kind === 'text') return value;
  const number = Number(value);
  if (!Number.isFinite(number)) return { fault: unshown };
  const day = isDayFormat(format) ? momentOfDay(number, from1904) : undefined;
  if (path === 'params.amount') {
    if (isScaled(format)) return { fault: 'is shown as a percentage or in thousands; format the column as a number' };
    return day ?? plainNumber(number);
  }
  if (path === 'notBefore' || path === 'expiresAt') return day ?? value;
  if (day !== undefined && path.startsWith('context.')) return day.replace('T00:00:00.000Z', '');
  if (day !== undefined && path === 'orderId') return day;
  return Math.abs(number) < 1e15 ? (shownNumber(number, format) ?? { fault: unshown }) : plainNumber(number);
}

// The workbook.

interface Sheet {
  readonly name: string;
  readonly path: string;
  readonly isHidden: boolean;
}

interface Workbook {
  readonly name: string;
  readonly parts: XlsxPackage;
  readonly sheets: readonly Sheet[];
  readonly from1904: boolean;
  /** A spreadsheet works its formulas out anew: the values in the file are not what it shows. */
  readonly isStale: boolean;
  /** By the style of a cell. */
  readonly formats: readonly string[];
  readonly strings: StringTable;
  readonly damage: () => UsageError;
}

/** A part read whole. */
async function drained(parsing: AsyncGenerator<void>): Promise<void> {
  for await (const _ of parsing) void _;
}

const isTrue = (text: string | undefined) => text === '1' || text === 'true';

async function openWorkbook(file: BulkFile): Promise<Workbook> {
  const damage = () => damaged(file.name);
  const parts = await openPackage(file);
  const book = [...(await relationsOf(parts, '_rels/.rels', '')).values()].find(
    ({ type }) => type === 'officeDocument',
  );
  if (!book) throw damage();
  const folder = book.path.slice(0, book.path.lastIndexOf('/') + 1);
  const relations = await relationsOf(parts, `${folder}_rels/${book.path.slice(folder.length)}.rels`, folder);
  const partOf = (type: string) => [...relations.values()].find((it) => it.type === type)?.path;
  const sheets: Sheet[] = [];
  let [from1904, isStale] = [false, false];
  await drained(
    parts.parse(book.path, {
      open(name, attribute) {
        if (name === 'workbookPr') from1904 = isTrue(attribute('date1904'));
        if (name === 'calcPr') isStale = isTrue(attribute('fullCalcOnLoad'));
        if (name !== 'sheet') return;
        const of = relations.get(attribute('r:id') ?? '');
        if (of?.type !== 'worksheet') return;
        // Each sheet is read for its header: one part under many names would be read as often.
        if (sheets.some(({ path }) => path === of.path)) throw damage();
        const isHidden = attribute('state') !== undefined && attribute('state') !== 'visible';
        sheets.push({ name: attribute('name') ?? '', path: of.path, isHidden });
      },
    }),
  );
  const [styles, strings] = [partOf('styles'), partOf('sharedStrings')];
  return {
    name: file.name,
    parts,
    sheets,
    from1904,
    isStale,
    damage,
    formats: styles === undefined ? [] : await formatsOf(parts, styles, damage),
    strings: strings === undefined ? createStringTable() : await stringsOf(parts, strings),
  };
}

interface Relation {
  readonly type: string;
  readonly path: string;
}

async function relationsOf(parts: XlsxPackage, path: string, folder: string): Promise<ReadonlyMap<string, Relation>> {
  const found = new Map<string, Relation>();
  await drained(
    parts.parse(path, {
      open(name, attribute) {
        if (name !== 'Relationship') return;
        const target = attribute('Target') ?? '';
        const type = attribute('Type')?.split('/').at(-1) ?? '';
        found.set(attribute('Id') ?? '', { type, path: target.startsWith('/') ? target.slice(1) : folder + target });
      },
    }),
  );
  return found;
}

/** No spreadsheet program takes a longer format, and a format is read again for each of its cells. */
const formatMostChars = 255;

async function formatsOf(parts: XlsxPackage, path: string, damage: () => UsageError): Promise<string[]> {
  const named = new Map<number, string>();
  const formats: string[] = [];
  let isInCells = false;
  await drained(
    parts.parse(path, {
      open(name, attribute) {
        if (name === 'numFmt') {
          const code = attribute('formatCode') ?? '';
          if (code.length > formatMostChars) throw damage();
          named.set(Number(attribute('numFmtId')), code);
        }
        if (name === 'cellXfs') isInCells = true;
        if (name !== 'xf' || !isInCells) return;
        const id = Number(attribute('numFmtId') ?? 0);
        formats.push(named.get(id) ?? builtInFormat(id));
      },
      close: (name) => void (isInCells &&= name !== 'cellXfs'),
    }),
  );
  return formats;
}

type StringTable = ReturnType<typeof createStringTable>;

/** Texts that cells name by their number: a million of them in as many bytes as they are long, while strings would take twice as much. */
function createStringTable() {
  let bytes = Buffer.allocUnsafe(1 << 16);
  let ends = new Uint32Array(1 << 10);
  let count = 0;
  const endOf = (index: number) => (index < 0 ? 0 : (ends[index] ?? 0));
  return {
    add(text: string): void {
      const begin = endOf(count - 1);
      const end = begin + Buffer.byteLength(text);
      if (end > bytes.length) bytes = Buffer.concat([bytes.subarray(0, begin)], Math.max(end, 2 * bytes.length));
      if (count === ends.length) {
        const larger = new Uint32Array(2 * count);
        larger.set(ends);
        ends = larger;
      }
      bytes.write(text, begin);
      ends[count] = end;
      count += 1;
    },
    at: (index: number) =>
      index >= 0 && index < count ? bytes.toString('utf8', endOf(index - 1), endOf(index)) : undefined,
  };
}

/** Text of elements `t`, without how it is pronounced (`rPh`), with the characters that XML can't have put back. */
function createTextReader() {
  let [text, isText, phonetic] = ['', false, 0];
  return {
    open(name: string): void {
      if (name === 'rPh') phonetic += 1;
      isText = name === 't' && phonetic === 0;
    },
    text: (some: string): void => void (isText && (text += some)),
    close(name: string): void {
      if (name === 'rPh') phonetic -= 1;
      isText = false;
    },
    taken(): string {
      const whole = escapedBack(text);
      text = '';
      return whole;
    },
  };
}

const escapedBack = (text: string) =>
  text.includes('_x')
    ? text.replaceAll(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

async function stringsOf(parts: XlsxPackage, path: string): Promise<StringTable> {
  const table = createStringTable();
  const reader = createTextReader();
  await drained(
    parts.parse(path, {
      ...reader,
      close(name) {
        reader.close(name);
        if (name === 'si') table.add(reader.taken());
      },
    }),
  );
  return table;
}

// A sheet.

/** A row of a sheet; cells that are not there are absent. */
interface SheetRow {
  readonly row: number;
  readonly cells: readonly (Cell | undefined)[];
  readonly isHidden: boolean;
  readonly hiddenColumns: (index: number) => boolean;
}

/** A spreadsheet has no more. */
const rowsMost = 1_048_576;
/** Each row is as wide as its last value. */
const columnsMost = 1000;
/** No table has so many; each is compared with its columns. */
const mergedMost = 100_000;
/** Less than a hair. */
const seenHeight = 1.5;
const seenWidth = 0.2;

// Long: one state, moved by what the parser meets; each of its functions is short.
async function* sheetRows(
  workbook: Workbook,
  { path }: Sheet,
  merged: string[] = [],
): AsyncGenerator<readonly SheetRow[]> {
  const { name: file, parts, formats, strings, isStale, damage } = workbook;
  const reader = createTextReader();
  const hiddenSpans: (readonly [from: number, to: number])[] = [];
  const seenSpans: (readonly [from: number, to: number])[] = [];
  let [hidesRows, hidesColumns] = [false, false];
  let rows: SheetRow[] = [];
  let [row, column, isHidden, isInData] = [0, -1, false, false];
  let cells: (Cell | undefined)[] = [];
  let [place, type, format, value, isValue, isFormula] = ['', '', 'General', '', false, false];
  const within = (spans: typeof hiddenSpans, index: number) => spans.some(([from, to]) => index >= from && index <= to);
  const hiddenColumns = (index: number) => within(hiddenSpans, index) || (hidesColumns && !within(seenSpans, index));

  type Attribute = (name: string) => string | undefined;
  const isLess = (text: string | undefined, least: number) => text !== undefined && Number(text) < least;
  const open: Readonly<Record<string, (attribute: Attribute) => void>> = {
    sheetFormatPr(attribute) {
      hidesRows = isTrue(attribute('zeroHeight')) || isLess(attribute('defaultRowHeight'), seenHeight);
      hidesColumns = isLess(attribute('defaultColWidth'), seenWidth);
    },
    col(attribute) {
      const isUnseen = isTrue(attribute('hidden')) || isLess(attribute('width'), seenWidth);
      (isUnseen ? hiddenSpans : seenSpans).push([Number(attribute('min')) - 1, Number(attribute('max')) - 1]);
    },
    sheetData: () => void (isInData = true),
    row(attribute) {
      const [before, height] = [row, attribute('ht')];
      row = Number(attribute('r') ?? before + 1);
      // Two rows of one number, or out of order: programs differ in which of them they show.
      if (!(row > before && row <= rowsMost)) throw damage();
      isHidden = isTrue(attribute('hidden')) || isLess(height, seenHeight) || (hidesRows && height === undefined);
      [cells, column] = [[], -1];
    },
    c(attribute) {
      const [before, name] = [column, attribute('r')];
      column = name === undefined ? before + 1 : columnOf(name, row);
      if (!(column > before)) throw damage();
      place = name ?? `${column + 1} of row ${row}`;
      [type, value, isFormula] = [attribute('t') ?? 'n', '', false];
      format = formats[Number(attribute('s') ?? 0)] ?? 'General';
    },
    f: () => void (isFormula = true),
    v: () => void (isValue = true),
    mergeCell(attribute) {
      if (merged.push(attribute('ref') ?? '') > mergedMost) throw damage();
    },
  };
  const close: Readonly<Record<string, () => void>> = {
    sheetData: () => void (isInData = false),
    v: () => void (isValue = false),
    c() {
      const cell = cellOf();
      if (cell.value === '' && cell.kind !== 'unknown') return;
      if (column >= columnsMost)
        throw new UsageError(
          `${file} has a value in cell ${place}, and only ${columnsMost} columns are read; delete the value`,
        );
      cells[column] = cell;
    },
    row() {
      if (cells.length > 0) rows.push({ row, cells, isHidden, hiddenColumns });
    },
  };

  function cellOf(): Cell {
    const inline = reader.taken();
    // A program that is no spreadsheet writes formulas, and works out none; the value of an empty text has a type of its own.
    if (isFormula && (isStale || (type === 'n' && value === ''))) return { kind: 'unknown', value: '', format };
    switch (type) {
      case 's': {
        const text = strings.at(Number(value));
        if (text === undefined) throw damage();
        return { kind: 'text', value: text, format };
      }
      case 'inlineStr':
        return { kind: 'text', value: inline, format };
      case 'str':
        return { kind: 'text', value: escapedBack(value), format };
      case 'n':
        return { kind: 'number', value, format };
      case 'b':
        return { kind: 'other', value: value === '1' ? 'TRUE' : 'FALSE', format };
      case 'e':
      case 'd':
        return { kind: 'other', value, format };
      default:
        throw damage();
    }
  }

  const parsing = parts.parse(path, {
    open(name, attribute) {
      if (!isInData && (name === 'row' || name === 'c' || name === 'v')) return;
      reader.open(name);
      open[name]?.(attribute);
    },
    text(some) {
      if (isValue) value += some;
      else reader.text(some);
    },
    close(name) {
      if (!isInData && (name === 'row' || name === 'c' || name === 'v')) return;
      reader.close(name);
      close[name]?.();
    },
  });
  for await (const _ of parsing) {
    void _;
    yield rows;
    rows = [];
  }
}

/** The place of a cell by its name, as in "AB12"; none, where that is of another row. */
function columnOf(name: string, row: number): number {
  const [, letters = '', digits] = /^([A-Z]{1,3})(\d+)$/.exec(name) ?? [];
  return Number(digits) === row ? placeOf(letters) : -1;
}

/** The place of a column, from 0. */
const placeOf = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

interface Header {
  readonly row: number;
  readonly titles: readonly string[];
}

/** The only sheet that has rows, or the one that is named, with its header. */
async function sheetWithRows(
  workbook: Workbook,
  wanted: string | undefined,
): Promise<{ readonly sheet: Sheet; readonly header: Header }> {
  const { name } = workbook;
  const filled: { sheet: Sheet; header: Header }[] = [];
  for (const sheet of workbook.sheets) {
    const header = await headerOf(workbook, sheet);
    if (header) filled.push({ sheet, header });
  }
  const names = filled.map(({ sheet }) => `"${sheet.name}"`).join(', ');
  const [only, ...others] = wanted === undefined ? filled : filled.filter(({ sheet }) => sheet.name === wanted);
  if (!only && wanted === undefined) throw new UsageError(`${name} is empty`);
  if (!only) throw new UsageError(`${name} has no rows on a sheet "${wanted}"; there are ${names || 'none'}`);
  if (others.length > 0)
    throw new UsageError(
      `${name} has rows on ${filled.length} sheets; say in a layout which is meant, as in {"sheet": "${filled[0]?.sheet.name}"}; there are ${names}`,
    );
  return only;
}

/** The first row with a text. */
async function headerOf(workbook: Workbook, sheet: Sheet): Promise<Header | undefined> {
  for await (const rows of sheetRows(workbook, sheet)) {
    const [first] = rows;
    if (!first) continue;
    const titles = Array.from(first.cells, (cell) => cell?.value ?? '');
    // Columns to the right that were used once and have no name now.
    return { row: first.row, titles: titles.slice(0, titles.findLastIndex((title) => title.trim() !== '') + 1) };
  }
  return undefined;
}
