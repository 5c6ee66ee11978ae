// One row of a file as its job message. The only faults judged here are those that the job's own rules can't see: how
// many cells a row has, and how its amounts are written.
import { inbound, inboundObject, twiceFault, withDecimalComma } from '../payout/message/inbound.ts';
import { type Column, type FieldPath, isColumnOfTheTool } from './bulk-columns.ts';
import type { FileReading } from './file-reading.ts';
import { printable } from '../payout/message/job.ts';
import type { RowFault, RowWarning } from './row-findings.ts';

/** A row as it was read. */
export interface BulkRow {
  /** The row's number in a spreadsheet: the header is row 1. In a file of JSON lines, the line. */
  readonly row: number;
  /** The message, as far as it could be made; absent if the row could not be read at all. */
  readonly message?: Readonly<Record<string, unknown>>;
  readonly faults: readonly RowFault[];
  /** Changes in reading it, which a person must know. */
  readonly warnings?: readonly RowWarning[];
  /** Cells of a table, or the object of a JSON line, to be shown (masked) beside the faults; absent if unreadable. */
  readonly original?: readonly string[] | Readonly<Record<string, unknown>>;
  /** Its place in a file that has no rows. */
  readonly place?: XmlPlace;
  /** A fault of the file and not of a row: it could not be read to its end, or contradicts itself. No row can be left out for it. */
  readonly cutOff?: true;
}

/** A place in a file of XML. */
export interface XmlPlace {
  /** From 1. */
  readonly line: number;
  /** The path of elements, as in `PmtInf[2]/CdtTrfTxInf[14]`. */
  readonly element: string;
}

/** Fields that are the same in every row, by the command line. */
export type GivenFields = Readonly<Record<string, string>>;

/** Reads rows of cells under one header. */
export interface CellReader {
  /** Undefined for a blank row. */
  row(cells: readonly string[], row: number): BulkRow | undefined;
}

interface FilledColumn extends Column {
  readonly path: FieldPath;
  readonly index: number;
}

type Decimal = NonNullable<FileReading['decimal']>;

/** The reader of a file's rows. */
export function createCellReader(columns: readonly Column[], given: GivenFields, decimal: Decimal = 'dot'): CellReader {
  const payees = columns.flatMap(({ path }, index) => (path !== undefined && isPayee(path) ? [index] : []));
  const filled = columns.flatMap(({ title, path }, index): FilledColumn[] =>
    path === undefined ? [] : [{ title, path, index }],
  );
  return {
    row(cells, row) {
      if (cells.every((cell) => cell.trim() === '')) return undefined;
      const fault = widthFault(cells, columns.length);
      if (fault !== undefined) return { row, faults: [{ path: '', fault }] };
      if (payees.length > 0 && payees.every((index) => cells[index]?.trim() === '') && isTotals(cells))
        return { row, faults: [{ path: '', fault: totalsFault }], original: cells };
      return { row, ...messageOf(cells, filled, given, decimal), original: cells };
    },
  };
}

/** The fault of a line whose number of cells is not the header's: its cells may be in wrong columns. Blank cells at the end do not count. */
export function widthFault(cells: readonly string[], columns: number): string | undefined {
  if (cells.length >= columns && cells.slice(columns).every((cell) => cell.trim() === '')) return undefined;
  return `has ${cells.length} cells where the header has ${columns}; put quotes around a cell that holds the delimiter`;
}

const isPayee = (path: FieldPath) => /^params\.(account_number|(destination|credit)[-_]card.*)$/.test(path);

/** The names of a table's last line that is no payment; payees have these names too, so a row with a payee is never one. */
const totalWords =
  /^\s*(?:grand |sub-? ?)?(?:total(?:s|e|en|i)?|sum|summe|somme|suma|gesamt(?:summe|betrag)?|summa|итого|всего|合计|合計)(?![\p{L}\p{N}])/iu;
/** True for a line that adds the others up. */
export const isTotals = (cells: readonly string[]): boolean => cells.some((cell) => totalWords.test(cell));
const totalsFault = 'looks like a line of totals, and is no payment; remove it from the file';

function messageOf(
  cells: readonly string[],
  columns: readonly FilledColumn[],
  given: GivenFields,
  decimal: Decimal,
): Pick<BulkRow, 'message' | 'faults'> {
  const message: Record<string, unknown> = { version: 1, ...given };
  // Pairs: an object would take "__proto__", a column like any other, for something of its own.
  const params: [name: string, value: string][] = [];
  const context: [name: string, value: string][] = [];
  const faults: RowFault[] = [];
  for (const { index, path } of columns) {
    const cell = (cells[index] ?? '').trim();
    if (cell === '') continue;
    const read = path === 'params.amount' ? amountOf(cell, decimal) : { value: cell };
    if (read.fault !== undefined) faults.push({ path, fault: read.fault });
    if (path.startsWith('params.')) params.push([path.slice('params.'.length), read.value]);
    else if (path.startsWith('context.')) context.push([path.slice('context.'.length), cell]);
    else message[path] = cell;
  }
  message['params'] = Object.fromEntries(params);
  if (context.length > 0) message['context'] = Object.fromEntries(context);
  return { message, faults };
}

/** The amount with a dot, and why it is none if only the file knows the remedy. */
function amountOf(cell: string, decimal: Decimal): { readonly value: string; readonly fault?: string } {
  if (decimal === 'dot' && !cell.includes(',')) return { value: cell };
  const read = decimal === 'comma' ? withDecimalComma(cell) : inbound('amount', cell);
  if (read.kind === 'text') return { value: read.text };
  const remedy = decimal === 'dot' ? ', or say "decimal": "comma" in a layout where all amounts have commas' : '';
  return { value: cell, fault: `${read.fault}${remedy}` };
}

/** Reads one line of JSON; undefined for a blank line. A value of the command line may not contradict the line. */
export function readJsonLine(line: string, row: number, given: GivenFields): BulkRow | undefined {
  if (line.trim() === '') return undefined;
  const unreadable = (fault: string): BulkRow => ({ row, faults: [{ path: '', fault }] });
  if (line.includes('\ufffd')) return unreadable('has characters that are not UTF-8; write the file as UTF-8');
  const read = inboundObject(line);
  if (read.kind === 'fault')
    return unreadable(
      `${read.fault}; write ${read.fault === 'is not JSON' ? 'one whole object per line' : 'a job message as README.md shows it'}`,
    );
  if (isDeeper(read.value, deepest))
    return unreadable(`has more than ${deepest} values within values; write a job message as README.md shows it`);
  if (read.twice) return { row, faults: [{ path: read.twice.map(printable).join('.'), fault: twiceFault }] };
  // The columns of a file of rejects beside the refused job (payouts_row, payouts_faults) are none of it.
  const original: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(read.value).filter(([name]) => !isColumnOfTheTool(name)),
  );
  const faults = Object.entries(given)
    .filter(([name, text]) => original[name] !== undefined && original[name] !== text)
    .map(([path]) => ({ path, fault: 'is not what the command line says; leave one of them out' }));
  return { row, message: { version: 1, ...given, ...original }, faults, original };
}

/** More than a job can have: its context is short. What walks a value that is much deeper breaks off. */
const deepest = 100;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((it) => isDeeper(it, levels - 1)));
