// The field of a job for each column of a file. The gateway's own names come first; the other names are what people call the same
// thing. Capitals, blanks, dashes and underscores make no difference. The table of infra/docs/bulk-files.md is made from this.
import { currencies } from '../gateway/currencies.ts';
import { allFields, type interfaceFields } from '../gateway/fields.ts';
import { nearestName } from './nearest-name.ts';

/** Names of a job's own fields, beside the gateway's, with what else a column may call them. */
export const envelopeColumns: Readonly<Record<string, readonly string[]>> = {
  orderId: ['order id', 'order', 'client_orderid', 'client-order-id', 'merchant order id', 'reference'],
  merchant: ['merchant name'],
  operation: [],
  endpointId: ['endpoint'],
  notBefore: [],
  expiresAt: [],
  batchId: ['batch'],
  // For people alone: it comes back with the context, is in no log, and the gateway is never asked about it.
  'context.payee_name': [
    'payee_name',
    'payee',
    'beneficiary',
    'beneficiary name',
    'recipient',
    'recipient name',
    'creditor',
    'creditor name',
    'account holder',
  ],
};

/** Other column names for the gateway's fields; a field that is not here goes by its own name alone. */
export const paramColumns: Readonly<Partial<Record<keyof typeof interfaceFields, readonly string[]>>> = {
  amount: ['payment amount', 'sum'],
  currency: ['currency code', 'ccy'],
  order_desc: ['description', 'order description', 'details'],
  account_number: ['account', 'account no', 'iban'],
  bank_name: ['bank', 'bic', 'bic code', 'swift', 'swift code'],
  credit_card_number: ['card number', 'source card number'],
  card_printed_name: ['cardholder', 'name on card'],
  cvv2: ['cvv', 'cvc'],
  expire_month: ['expiry month'],
  expire_year: ['expiry year'],
  'destination-card-no': ['destination card', 'destination card number'],
  ipaddress: ['ip'],
};

/** The field that the value of a column fills: `orderId`, `params.amount`, `context.invoice`; faults name it alike. */
export type FieldPath = string;

/** One column of a file. */
export interface Column {
  /** The header's own text, or the column's place if that text must not be shown. */
  readonly title: string;
  /** Absent for a column that is to be left out. */
  readonly path?: FieldPath;
}

/** The caller's choices for the columns. */
export interface ColumnChoices {
  /** Paths that are the same for every row and need no column. */
  readonly given: ReadonlySet<FieldPath>;
  /** Field by title, or by a column's place from 1 if its title says nothing; an empty one is left out. */
  readonly columns: ReadonlyMap<string, string>;
}

/** A header that was understood, or all that is wrong with it, a sentence each. */
type MappedHeader =
  | { readonly kind: 'columns'; readonly columns: readonly Column[] }
  | { readonly kind: 'refused'; readonly faults: readonly string[] };

/** An accent may be a character of its own: a file of macOS and a keyboard write one name in two ways. */
const composed = (name: string) => name.trim().normalize('NFC');
const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}.]/gu, '');

const paramNames = Object.keys(allFields);
const envelopePaths = Object.entries(envelopeColumns).flatMap(([field, names]) =>
  [field, ...names].map((name) => [name, field] as const),
);
const paramPaths = [
  ...paramNames.map((field) => [field, `params.${field}`] as const),
  ...Object.entries(paramColumns).flatMap(([field, names]) => names.map((name) => [name, `params.${field}`] as const)),
];
const knownNames: readonly (readonly [name: string, path: FieldPath])[] = [...envelopePaths, ...paramPaths];
const exactNames = new Map(knownNames.toReversed());
// Reversed, so that of two names that differ by punctuation alone the first of the tables wins.
const plainNames = new Map(knownNames.toReversed().map(([name, path]) => [plain(name), path]));

/** The path that a column of this name fills; undefined for a name that says nothing. */
export function pathOfName(name: string): FieldPath | undefined {
  const context = /^context\.(.+)$/i.exec(name)?.[1];
  if (context !== undefined) return `context.${context}`;
  if (isColumnOfTheTool(name)) return undefined;
  return exactNames.get(name) ?? plainNames.get(plain(name.replace(/^params\./, '')));
}

/** True for a column that this tool adds to those of a file: in a file of rejects or a report that is sent again it is ignored. */
export const isColumnOfTheTool = (title: string): boolean => /^payouts_/i.test(title);

/** True if this tool has written the table: its prefix before cells that look like formulas is then removed. */
export const isOfTheTool = (header: readonly string[]): boolean => header.some(isColumnOfTheTool);

/** Fields without which no row can be a job. */
const neededOfEach: readonly { readonly path: FieldPath; readonly remedy: string }[] = [
  { path: 'orderId', remedy: 'name a column "order_id", or say in a layout which it is (--layout)' },
  { path: 'merchant', remedy: 'name a column "merchant", or add --merchant' },
  { path: 'operation', remedy: 'name a column "operation", or add --operation' },
  { path: 'endpointId', remedy: 'name a column "endpoint", or add --endpoint' },
];

/** Reads a header. Nothing is guessed: an unknown column is reported, as it may be a misspelt one. */
export function mapHeader(cells: readonly string[], choices: ColumnChoices): MappedHeader {
  const chosen = new Map([...choices.columns].map(([name, field]) => [composed(name), field]));
  if (isData(cells, chosen)) return { kind: 'refused', faults: [noHeader] };
  const faults = [...wrongFields(chosen)];
  const taken = new Map<FieldPath, string>();
  const columns = cells.map((cell, index): Column => {
    const { name, title, called, typed } = namesOf(cell, index);
    const field = chosen.get(name) ?? chosen.get(typed);
    if (field === '' || isColumnOfTheTool(name)) return { title };
    const path = pathOfName(field ?? name);
    const fault = path === undefined ? unknownColumn(name, called) : columnClash(path, called, taken, choices);
    if (fault !== undefined) faults.push(fault);
    if (path === undefined) return { title };
    taken.set(path, called);
    return { title, path };
  });
  for (const { path, remedy } of neededOfEach) {
    if (!taken.has(path) && !choices.given.has(path)) faults.push(`no column says the ${path}; ${remedy}`);
  }
  return faults.length > 0 ? { kind: 'refused', faults } : { kind: 'columns', columns };
}

/** A column by its title, or by its place if that must not be shown: what is printed can be typed. */
function namesOf(cell: string, index: number) {
  const name = composed(cell);
  const place = String(index + 1);
  return isShowable(name)
    ? { name, title: name, called: `"${name}"`, typed: name }
    : { name, title: `column ${place}`, called: place, typed: place };
}

/** The first layout of a header: each column with its field if its title says one, and else left out. */
export function layoutOfHeader(cells: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    cells.flatMap((cell, index) => {
      const { name, typed } = namesOf(cell, index);
      const path = pathOfName(name);
      return isColumnOfTheTool(name) ? [] : [[typed, path === undefined ? '' : fieldOf(path)] as const];
    }),
  );
}

const fieldOf = (path: FieldPath) => path.replace(/^(?:params\.|context\.(?=payee_name$))/, '');

/** Shows no cell: it may hold a name or an account. */
const noHeader =
  'the first row looks like data and not like a header, which every file needs: write one above it, such as "order id,amount,currency,iban,bank"';

/**
 * True for a first row in which less than a third of the cells are (nearly) the name of a column, and one is a value that only
 * a payment has. A column that was chosen by its place counts as no name: otherwise the row would pass for a header, and its payment be lost.
 */
function isData(cells: readonly string[], chosen: ReadonlyMap<string, string>): boolean {
  const names = cells.map(composed);
  const isNamed = (name: string) => chosen.has(name) || pathOfName(name) !== undefined || closest(name) !== undefined;
  return names.some((name) => !chosen.has(name) && isValue(name)) && names.filter(isNamed).length * 3 < names.length;
}

/** An amount, a date, an account, or a currency's code. */
const isValue = (cell: string) =>
  /^\P{L}*\p{N}/u.test(cell) ||
  /\p{N}\P{N}*\p{N}\P{N}*\p{N}/u.test(cell) ||
  currencies.has(/^[A-Z]{3}(?!\p{L})/u.exec(cell)?.[0] ?? '');

function* wrongFields(chosen: ReadonlyMap<string, string>): Generator<string> {
  for (const [name, field] of chosen)
    if (field !== '' && pathOfName(field) === undefined)
      yield `the layout makes "${field}" of "${name}"; there is no such field. There are ${fieldNames.join(', ')}, and context.<name>`;
}

/** The fields that a column can be, by one name each. */
const fieldNames = [...Object.keys(envelopeColumns).map((path) => path.replace('context.', '')), ...paramNames];

function columnClash(
  path: FieldPath,
  called: string,
  taken: ReadonlyMap<FieldPath, string>,
  { given }: ColumnChoices,
): string | undefined {
  const other = taken.get(path);
  if (other !== undefined)
    return `columns ${other} and ${called} both mean ${path}; leave one of them out in a layout (--layout)`;
  if (!given.has(path)) return undefined;
  return `column ${called} says the ${path}, and so does the command line; leave one of them out`;
}

function unknownColumn(name: string, called: string): string {
  if (name === '') return `column ${called} has no name; name it, or remove it`;
  if (name.includes('\ufffd'))
    return `column ${called} has characters that are not UTF-8; save the file again as "CSV UTF-8"`;
  const alike = closest(name);
  const hint = alike === undefined ? '' : `did you mean "${alike}"? Else `;
  return `column ${called} is not known; ${hint}say in a layout what it is: --dry-run --layout FILE writes one`;
}

function closest(name: string): string | undefined {
  const byPlain = new Map(knownNames.map(([known]) => [plain(known), known]));
  const nearest = nearestName(plain(name), [...byPlain.keys()], Math.max(1, Math.floor(name.length / 3)));
  return nearest === undefined ? undefined : byPlain.get(nearest);
}

/** A file without a header has data in its place: a name that looks like an account number is never shown. */
function isShowable(name: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,40}$/u.test(name) && !/["<>\ufffd]|\p{Nd}{4}/u.test(name);
}
