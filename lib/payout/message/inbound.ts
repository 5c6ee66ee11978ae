// THE ONE GATE for text from outside: from a job on the queue, a line of JSON, a cell, an element of pain.001 or a line of the gateway's
// report. A text leaves in the one form that is checked, compared, signed and sent, or it is refused. A damaged account number is another
// person's account, so damage that cannot be undone is refused. No fault repeats a value: it may be a card number.
import { currencyFault } from '../../gateway/currencies.ts';
import { type Field, fieldFault } from '../../gateway/fields.ts';
import { isIban } from '../../gateway/check-digits.ts';
import { givenTwice } from './json-text.ts';

/**
 * What a text is. `id`, `account` and `digits`: identifiers, every character of which counts. `bank`: a text that says where an account
 * is. `text`: words for people.
 */
type TextKind = 'id' | 'account' | 'digits' | 'amount' | 'currency' | 'bank' | 'text';

/** The text as it is used, or why it is not taken. */
export type Inbound =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fault'; readonly fault: string };

const taken = (text: string): Inbound => ({ kind: 'text', text });
const refused = (fault: string): Inbound => ({ kind: 'fault', fault });

/** A JSON object, or why there is none; `twice`: the path of a name that it gives twice. */
type InboundObject =
  | { readonly kind: 'object'; readonly value: Readonly<Record<string, unknown>>; readonly twice?: readonly string[] }
  | { readonly kind: 'fault'; readonly fault: 'is not JSON' | 'is not an object' };

/** Reads a JSON object, whose names must be given once each (RFC 8259, section 4), but for those of the sender's own context. */
export function inboundObject(text: string): InboundObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'fault', fault: 'is not JSON' };
  }
  if (!isRecord(value)) return { kind: 'fault', fault: 'is not an object' };
  return { kind: 'object', value, twice: givenTwice(text, 'context') };
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fault of a name that is given twice. */
export const twiceFault = 'is given twice; write each name once';

/** The kind of a field of the gateway. */
export function textKindOf(field: Field): TextKind {
  if (field.bankAccount) return 'account';
  if (field.bank) return 'bank';
  switch (field.kind) {
    case 'amount':
    case 'currency':
      return field.kind;
    case 'digits':
    case 'month':
    case 'year':
      return 'digits';
    case 'boolean':
    case 'text':
    case 'url':
      return 'text';
  }
}

/** A value of a field of the gateway. */
export function inboundField(field: Field, value: unknown): Inbound {
  if (typeof value !== 'string') return refused('is not text; write every value as a string, amounts too');
  const read = inbound(textKindOf(field), value);
  if (read.kind === 'fault') return read;
  const fault = fieldFault(field, read.text) ?? (field.kind === 'currency' ? currencyFault(read.text) : undefined);
  return fault === undefined ? read : refused(fault);
}

/** A text of this kind. An empty one passes: whether it may be missing is asked elsewhere. */
export function inbound(kind: TextKind, value: string): Inbound {
  // The fast path: most texts are plain, and there are millions of them.
  const text = (kind === 'account' ? isBare : isPlain).test(value) ? value : canonical(kind, value);
  if (text === undefined) return refused(invisible);
  for (const { shape, fault } of damageOf[kind]) if (shape.test(text)) return refused(fault);
  return taken(text);
}

/** Letters and digits, with single signs between them that mean nothing to a spreadsheet. */
const isPlain = /^[A-Za-z0-9]+(?:[ _.:/#-][A-Za-z0-9]+)*$/;
/** An account number may be written in groups. */
const isBare = /^[A-Z0-9]+$/;

/** Format characters that no word needs: directions, byte order marks, soft hyphens. Joiners shape letters. */
const unneeded = /(?![\u200c\u200d])\p{Cf}/gu;
/** Characters around a text that are no part of it. */
const around = /^[\p{Cf}\p{Z}\t\n\v\f\r\u0085]+|[\p{Cf}\p{Z}\t\n\v\f\r\u0085]+$/gu;
const lineBreaks = /\p{Z}*[\n\v\f\r\u0085\u2028\u2029][\p{Z}\n\v\f\r\u0085]*/gu;
const blanks = /(?! )\p{Zs}/gu;
const invisibles = /(?! )[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

const invisible = 'has an invisible character in it, or a blank of another kind; type it again, and do not copy it';

/** The text in its one form; undefined if it has an invisible character, which may have been meant. */
function canonical(kind: TextKind, value: string): string | undefined {
  const bare = unwrapped(value.replaceAll(around, ''));
  if (kind === 'bank' || kind === 'text')
    return bare.replaceAll(lineBreaks, ' ').replaceAll(unneeded, '').replaceAll(blanks, ' ').replaceAll(around, '');
  const text = bare.replace(/^'+/, '');
  if (kind === 'account') {
    const grouped = text.replaceAll(blanks, ' ');
    if (isIban(grouped)) return grouped.replaceAll(/[ .-]/g, '').toUpperCase();
  }
  return kind !== 'amount' && invisibles.test(text) ? undefined : text;
}

/** `="00123"` is how zeros are kept for a spreadsheet: its value is the text within. */
function unwrapped(text: string): string {
  const within = /^="((?:[^"]|"")*)"$/.exec(text)?.[1];
  return within === undefined ? text : within.replaceAll('""', '"').replaceAll(around, '');
}

// What programs and spreadsheets do to values, recognised by its shape.

interface Damage {
  readonly in: readonly TextKind[];
  readonly shape: RegExp;
  readonly fault: string;
}

const identifiers: readonly TextKind[] = ['id', 'account', 'digits'];
const exported = 'format the column as text in the source and export it again';
/** The remedy for an amount that was written for people. */
const plainly = 'write it without thousands separators and with a dot, as in "1234.56"';

const year = '(?:19|20)\\d\\d';
const day = '(?:0?[1-9]|[12]\\d|3[01])';
const month = '(?:0?[1-9]|1[0-2])';
const dates = new RegExp(
  `^(?:${year}([-/.])${month}\\1${day}(?:[T ]\\d\\d:\\d\\d.*)?|${day}([-/.])${month}\\2${year}|${month}([-/.])${day}\\3${year})$`,
);

const emptyWord = /^(?:nan|[(<]?null[)>]?|none|nil|undefined|n\/a|n\.a\.|not ?provided|-+)$/i;

/** True for a word by which a program says that there is no value. */
export const isEmptyWord = (text: string): boolean => emptyWord.test(text.trim());

const otherScript = 'has letters, digits or signs of another width or script; type it again in plain ones';

/** Of Excel, Google Sheets and LibreOffice. */
const marksOfErrors =
  /^(?:#(?:(?:REF|VALUE|NUM|NULL|ERROR|SPILL|CALC|FIELD|BLOCKED|CONNECT|UNKNOWN|BUSY|EXTERNAL|PYTHON)!|N\/A|NAME\?|DIV\/0!|GETTING_DATA|#{2,})|Err:\d{3})$/;

/** The first that fits wins. */
const damages: readonly Damage[] = [
  {
    in: [...identifiers, 'amount', 'currency', 'bank', 'text'],
    shape: /\ufffd/,
    fault: 'has characters that are not UTF-8; save the file again as "CSV UTF-8"',
  },
  {
    in: [...identifiers, 'amount', 'currency', 'bank', 'text'],
    shape: marksOfErrors,
    fault: "is the spreadsheet's mark of an error, not a value; correct the cell",
  },
  {
    in: [...identifiers, 'amount', 'currency', 'bank'],
    shape: emptyWord,
    fault: 'is a placeholder for no value; write the value, or leave it out',
  },
  {
    in: [...identifiers, 'amount'],
    shape: /^[+-]?\d+(?:(?:[.,]\d+)?[eE][+-]|[.,]\d+[eE])\d+$/,
    fault: `is in exponent form: the spreadsheet has dropped digits that cannot be put back; ${exported}`,
  },
  { in: identifiers, shape: /^\d+[.,]0+$/, fault: `was turned into a decimal number; ${exported}` },
  {
    in: identifiers,
    shape: /^[1-9]\d{14}0{3,}$/,
    fault: `ends in the zeros that a spreadsheet leaves after fifteen digits; ${exported}`,
  },
  { in: identifiers, shape: /^(?:true|false)$/i, fault: 'is "true" or "false", and names nothing; correct the cell' },
  { in: identifiers, shape: dates, fault: `was turned into a date, or is one, and names nothing; ${exported}` },
  { in: ['id'], shape: /(?![0-9])\p{N}|[\uff01-\uff5e]/u, fault: otherScript },
  // What looks like a sign of an account makes it another account, or none.
  { in: ['account'], shape: /[^ -~]/, fault: otherScript },
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
  // "1,234" may be a thousand or one and a bit: no guess. "1.234" is left to the currency's digits.
  { in: ['amount'], shape: /^\d{1,3}(,\d{3})+(\.\d+)?$/, fault: `has commas; ${plainly}` },
  { in: ['amount'], shape: /^\d{1,3}(\.\d{3})+,\d*$/, fault: `has dots and a comma; ${plainly}` },
  { in: ['amount'], shape: /^\d+,\d+$/, fault: 'has a decimal comma; write a dot, as in "10.42"' },
  { in: ['amount'], shape: /^\d{1,3}(\.\d{3}){2,}$/, fault: `has several dots; ${plainly}` },
  {
    in: ['amount'],
    shape: /\p{Sc}|^\s*[A-Za-z]{1,3}\s?\d|\d\s?[A-Za-z]{3}\s*$/u,
    fault: 'has a currency beside the number; write the number alone, as in "10.42"',
  },
  {
    in: ['amount'],
    shape: /\d['’\p{Z}\p{Cf}]+\d/u,
    fault: `has blanks or marks between its digits; ${plainly}`,
  },
  { in: ['amount'], shape: invisibles, fault: invisible },
];

const kinds: readonly TextKind[] = [...identifiers, 'amount', 'currency', 'bank', 'text'];
const damageOf = Object.fromEntries(
  kinds.map((kind) => [kind, damages.filter((it) => it.in.includes(kind))]),
) as unknown as Readonly<Record<TextKind, readonly Damage[]>>;

/**
 * The identifiers of one column. A number of sixteen digits may end in a zero by chance. If each number of more than fifteen digits ends in
 * zeros, a spreadsheet has put them there.
 */
export function createRoundedColumn() {
  let [rounded, zeros, whole] = [0, 0, 0];
  return {
    add(text: string): void {
      const end = /^[1-9]\d{14}(\d+)$/.exec(text)?.[1];
      if (end === undefined) return;
      if (/[1-9]/.test(end)) whole += 1;
      else [rounded, zeros] = [rounded + 1, zeros + end.length];
    },
    fault: (): string | undefined =>
      whole === 0 && rounded > 1 && zeros > 1
        ? `has no number of more than fifteen digits that does not end in zeros, as a spreadsheet leaves them; ${exported}`
        : undefined,
  };
}

/** An amount with a comma before the cents, and dots, blanks or apostrophes before thousands, as its file was said to write them. */
export function withDecimalComma(text: string): Inbound {
  const value = text.trim();
  if (/^(?:\d{1,3}(?:([.'’\p{Zs}])\d{3})(?:\1\d{3})*|\d+),\d+$/u.test(value))
    return taken(value.replaceAll(/[.'’\p{Zs}]/gu, '').replace(',', '.'));
  return /^\d+\.[\d.]*$/.test(value)
    ? refused('has a dot and no comma, where amounts are said to have commas; write it as in "1234,56"')
    : taken(value);
}

/** The moment (epoch ms) of a time with its zone; undefined for a day that the month does not have, and for any other text. */
export function momentOf(text: string): number | undefined {
  const [, date = '', , offset = '0'] = isoTime.exec(text) ?? [];
  const midnight = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(date.slice(8)) || Number(offset) > 14)
    return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}

const isoTime = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3])(?::[0-5]\d){1,2}(?:\.\d{1,9})?(Z|[+-](\d\d):?[0-5]\d)$/;
