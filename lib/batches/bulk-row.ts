// One row of a file as its job message. The only faults judged here are those that the job's own rules can't see: how
// many cells a row has, and what a spreadsheet has done to them.
import { contractFields, type Field, interfaceFields } from '../gateway/fields.ts';
import type { Column, FieldPath } from './bulk-columns.ts';
import type { RowFault, RowWarning } from './row-findings.ts';

/** A row as it was read. */
export interface BulkRow {
  /** The row's number in a spreadsheet: the header is row 1. In a file of JSON lines, the line. */
  readonly row: number;
  /** The message, as far as it could be made; absent where the row could not be read at all. */
  readonly message?: Readonly<Record<string, unknown>>;
  readonly faults: readonly RowFault[];
  /** Changes in reading it, which a person must know. */
  readonly warnings?: readonly RowWarning[];
  /** Cells of a table, or the object of a JSON line, to be shown (masked) beside the faults; absent where unreadable. */
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
export type CellReader = (cells: readonly string[], row: number) => BulkRow | undefined;

interface FilledColumn extends Column {
  readonly path: FieldPath;
  readonly index: number;
  readonly kind: ValueKind;
}

/** The separator of whole numbers and cents: given on the command line, and never guessed. */
export type Decimal = 'dot' | 'comma';

/** The reader of a file's rows. Answers with undefined for a blank row. */
export function createCellReader(columns: readonly Column[], given: GivenFields, decimal: Decimal = 'dot'): CellReader {
  const payees = columns.flatMap(({ path }, index) => (path !== undefined && isPayee(path) ? [index] : []));
  const filled = columns.flatMap(({ title, path }, index): FilledColumn[] =>
    path === undefined ? [] : [{ title, path, index, kind: valueKindOf(path) }],
  );
  return (cells, row) => {
    if (cells.every((cell) => cell.trim() === '')) return undefined;
    const excess = cells.slice(columns.length);
    if (cells.length < columns.length || excess.some((cell) => cell.trim() !== '')) {
      const fault = `has ${cells.length} cells where the header has ${columns.length}; put quotes around a cell that holds the delimiter`;
      return { row, faults: [{ path: '', fault }] };
    }
    if (
      payees.length > 0 &&
      payees.every((index) => cells[index]?.trim() === '') &&
      cells.some((cell) => totalWords.test(cell))
    )
      return { row, faults: [{ path: '', fault: totalsFault }], original: cells };
    return { row, ...messageOf(cells, filled, given, decimal), original: cells };
  };
}

const isPayee = (path: FieldPath) => /^params\.(account_number|(destination|credit)[-_]card.*)$/.test(path);

/** The names of a table's last line that is no payment; payees have such names too, so a row with a payee is never one. */
const totalWords =
  /^\s*(?:grand |sub-? ?)?(?:total(?:s|e|en|i)?|sum|summe|somme|suma|gesamt(?:summe|betrag)?|summa|итого|всего|合计|合計)(?![\p{L}\p{N}])/iu;
const totalsFault = 'looks like a line of totals, and is no payment; remove it from the file';

function messageOf(
  cells: readonly string[],
  columns: readonly FilledColumn[],
  given: GivenFields,
  decimal: Decimal,
): Pick<BulkRow, 'message' | 'faults' | 'warnings'> {
  const message: Record<string, unknown> = { version: 1, ...given };
  // Pairs: an object would take "__proto__", a column like any other, for something of its own.
  const params: [name: string, value: string][] = [];
  const context: [name: string, value: string][] = [];
  const faults: RowFault[] = [];
  const warnings: RowWarning[] = [];
  for (const { index, path, kind } of columns) {
    let value = (cells[index] ?? '').trim();
    if (value === '') continue;
    // No gateway takes a line break; a context comes back as it was.
    if (kind === 'text' && path.startsWith('params.') && lineBreak.test(value)) {
      value = inOneLine(value);
      warnings.push({ kind: 'line-break', path, warning: 'has a line break in it, which becomes a space' });
    }
    const comma = decimal === 'comma' && kind === 'amount' ? withDot(value) : undefined;
    value = comma?.value ?? value;
    const fault = comma?.fault ?? spreadsheetFault(kind, value);
    if (fault !== undefined) faults.push({ path, fault });
    if (path.startsWith('params.')) params.push([path.slice('params.'.length), value]);
    else if (path.startsWith('context.')) context.push([path.slice('context.'.length), value]);
    else message[path] = value;
  }
  message['params'] = Object.fromEntries(params);
  if (context.length > 0) message['context'] = Object.fromEntries(context);
  return { message, faults, ...(warnings.length > 0 && { warnings }) };
}

const lineBreak = /[\r\n]/;
const inOneLine = (text: string) =>
  text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

/** An amount with a comma before the cents and dots before thousands. A dot alone might be either. */
function withDot(value: string): { readonly value?: string; readonly fault?: string } {
  if (/^(?:\d{1,3}(?:\.\d{3})+|\d+),\d+$/.test(value)) return { value: value.replaceAll('.', '').replace(',', '.') };
  if (!/^\d+\.[\d.]*$/.test(value)) return {};
  return { fault: 'has a dot and no comma: with --decimal comma write it as in "1234,56"' };
}

/** Reads one line of JSON; undefined for a blank line. A value of the command line may not contradict the line. */
export function readJsonLine(line: string, row: number, given: GivenFields): BulkRow | undefined {
  if (line.trim() === '') return undefined;
  const unreadable = (fault: string): BulkRow => ({ row, faults: [{ path: '', fault }] });
  if (line.includes('\ufffd')) return unreadable('has characters that are not UTF-8; write the file as UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return unreadable('is not JSON; write one whole object per line');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return unreadable('is not an object; write a job message as README.md shows it');
  // The columns of a file of rejects beside the refused job (payouts_row, payouts_faults) are none of it.
  const original: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(value).filter(([name]) => !name.startsWith('payouts_')),
  );
  const faults = Object.entries(given)
    .filter(([name, text]) => original[name] !== undefined && original[name] !== text)
    .map(([path]) => ({ path, fault: 'is not what the command line says; leave one of them out' }));
  return { row, message: { version: 1, ...given, ...original }, faults, original };
}

// Changes that spreadsheets make to values, recognised by their shape, with the remedy. Judged before the job's own rules: those
// would report that a value is wrong, these report how it came to be wrong.

interface Habit {
  /** The kinds of value in which it is looked for. */
  readonly in: readonly ValueKind[];
  readonly shape: RegExp;
  readonly fault: string;
}

/** `name`: an identifier whose every character counts; `text`: free words. */
type ValueKind = 'amount' | 'number' | 'name' | 'text';

const everywhere: readonly ValueKind[] = ['amount', 'number', 'name', 'text'];
const separators =
  'write it without thousands separators and with a dot, as in "1234.56", or say --decimal comma where all amounts have commas';

/** The first that fits wins. */
const habits: readonly Habit[] = [
  {
    in: everywhere,
    shape: /\ufffd/,
    fault: 'has characters that are not UTF-8; save the file again as "CSV UTF-8"',
  },
  {
    in: everywhere,
    shape: /^#(N\/A|NAME\?|DIV\/0!|(REF|VALUE|NUM|NULL|SPILL|CALC)!|#{2,})$/,
    fault: "is the spreadsheet's mark of an error, not a value; mend the cell",
  },
  {
    in: ['amount', 'number', 'name'],
    shape: /^[+-]?\d+(?:[.,]\d+)?[eE][+-]\d+$/,
    fault:
      'is in exponent form: the spreadsheet has dropped digits that nobody can put back; ' +
      'format the column as text in the source and export it again',
  },
  {
    in: ['number'],
    shape: /^\d+[.,]0+$/,
    fault: 'was turned into a decimal number; format the column as text in the source and export it again',
  },
  // The prefix that csvLine of csv.ts adds: here nobody knows whether it is part of the value.
  {
    in: ['name'],
    shape: /^'+[=+@\t\uff1d\uff0b\uff0d\uff20-]/,
    fault: 'begins with the apostrophe that is put before what a spreadsheet takes for a formula; take it away',
  },
  {
    in: ['amount'],
    shape: /^[-\u2212\u2013(]|\d-$/,
    fault: 'is negative: a payout sends money, and takes none back; leave the row out, or write the sum to be paid',
  },
  { in: ['amount'], shape: /^\+/, fault: 'has a sign in front; write the number alone, as in "10.42"' },
  {
    in: ['amount'],
    shape: /^(?:\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{4}-\d{2}-\d{2}T.*)$/,
    fault: 'was turned into a date by the spreadsheet; format the column as a number, and write the amount again',
  },
  // "1,234" may be a thousand or one and a bit: nobody may guess. "1.234" is left to the currency's digits.
  { in: ['amount'], shape: /^\d{1,3}(,\d{3})+(\.\d+)?$/, fault: `has commas; ${separators}` },
  { in: ['amount'], shape: /^\d{1,3}(\.\d{3})+,\d*$/, fault: `has dots and a comma; ${separators}` },
  { in: ['amount'], shape: /^\d+,\d+$/, fault: `has a decimal comma; ${separators}` },
  { in: ['amount'], shape: /^\d{1,3}(\.\d{3}){2,}$/, fault: `has several dots; ${separators}` },
  { in: ['amount'], shape: /\d['’ \u00a0\u202f]\d/, fault: `has blanks or marks between its digits; ${separators}` },
  {
    in: ['amount'],
    shape: /\p{Sc}|^\s*[A-Za-z]{1,3}[ \u00a0]?\d|\d[ \u00a0]?[A-Za-z]{3}\s*$/u,
    fault: 'has a currency beside the number; write the number alone, as in "10.42"',
  },
];

const fields: Readonly<Record<string, Field>> = { ...interfaceFields, ...contractFields };

/** The kind of the values that fill this path. */
export function valueKindOf(path: FieldPath): ValueKind {
  const name = path.replace(/^params\./, '');
  if (path === name) return path.startsWith('context.') ? 'text' : 'name';
  if (name === 'account_number') return 'name';
  switch (fields[name]?.kind) {
    case 'amount':
      return 'amount';
    case 'digits':
    case 'month':
    case 'year':
      return 'number';
    case 'boolean':
    case 'currency':
    case 'text':
    case 'url':
    case undefined:
      return 'text';
  }
}

const habitsOf = (kind: ValueKind) => habits.filter((habit) => habit.in.includes(kind));
const byKind: Readonly<Record<ValueKind, readonly Habit[]>> = {
  amount: habitsOf('amount'),
  number: habitsOf('number'),
  name: habitsOf('name'),
  text: habitsOf('text'),
};

/** The fault of a value of this kind that a spreadsheet has caused; undefined where none shows. Never repeats the value. */
export function spreadsheetFault(kind: ValueKind, value: string): string | undefined {
  for (const { shape, fault } of byKind[kind]) if (shape.test(value)) return fault;
  return undefined;
}
