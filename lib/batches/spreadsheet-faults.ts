// What spreadsheets do to values, recognised by its shape, with the remedy. Judged before the job's own rules: those
// would say that a value is wrong, these say how it came to be wrong.
import { contractFields, type Field, interfaceFields } from '../gateway/fields.ts';
import type { FieldPath } from './bulk-columns.ts';

interface Habit {
  /** The kinds of value that it is looked for in. */
  readonly in: readonly ValueKind[];
  readonly shape: RegExp;
  readonly fault: string;
}

/** `name`: an identifier whose every character counts; `text`: free words. */
export type ValueKind = 'amount' | 'number' | 'name' | 'text';

const everywhere: readonly ValueKind[] = ['amount', 'number', 'name', 'text'];
const separators = 'write it without thousands separators and with a dot, as in "1234.56"';

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
  // "1,234" may be a thousand or one and a bit: nobody may guess. "1.234" is left to the currency's digits.
  { in: ['amount'], shape: /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/, fault: `has commas; ${separators}` },
  { in: ['amount'], shape: /^[+-]?\d{1,3}(\.\d{3})+,\d*$/, fault: `has dots and a comma; ${separators}` },
  { in: ['amount'], shape: /^[+-]?\d{1,3}(\.\d{3}){2,}$/, fault: `has several dots; ${separators}` },
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

/** What a spreadsheet has done to a value of this kind; undefined for nothing that shows. Never repeats the value. */
export function spreadsheetFault(kind: ValueKind, value: string): string | undefined {
  for (const { shape, fault } of byKind[kind]) if (shape.test(value)) return fault;
  return undefined;
}
