// Finds card numbers in a text, by network, length and check digit, in any groups. `refuse` searches strictly: a number alone or in
// groups, as its network issues it. `mask`, for texts on their way out, also finds numbers glued to other digits. The time is
// proportional to the text.
import { passesLuhn } from './check-digits.ts';
import { secondTrack, withoutProven, withoutReferences } from './plain-text.ts';

/** How widely to search: a wrong refusal costs an order, a wrong mask costs the reader a word. */
export type Strictness = 'refuse' | 'mask';

/** A part of a text, from `begin` up to `end`. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

/**
 * The networks by the beginnings and lengths of their numbers (ISO/IEC 7812): Visa; Mastercard; American Express; Diners;
 * JCB; Discover, UnionPay, Maestro and others that begin with 5 or 6; Mir; RuPay, Uzcard, Elcart, Troy, Humo, Belkart,
 * ArCa, Napas.
 */
const ofNetwork =
  /^(?:4(?:\d{12}|\d{15}|\d{17,18})|5[1-5]\d{14}|2(?:2(?:2[1-9]|[3-9]\d)|[3-6]\d\d|7(?:[01]\d|20))\d{12}|3[47]\d{13}|3(?:0[0-5]|09|[689]\d)\d{11}|3(?:[0689]\d{14}|[0689]\d{17})|35\d{14,17}|(?:2131|1800)\d{11}|(?:5[06-8]|6\d)\d{11,17}|220[0-5]\d{12,15}|(?:8[12]\d\d|8600|9417|9792|9860|9112|9051|9704)\d{12})$/;

/** The beginnings of the networks' numbers, without 20 and 21: references that hold a date begin so. */
const beginsLikeCard = /^(?:2[2-7]|[3-6]|8[12]|8600|9417|9792|9860|9112|9051|9704|1800|2131)/;
/** German mobile numbers with country code: not taken for Visa's old numbers of thirteen digits. */
const mobileNumber = /^491[5-7]\d{9}$/;
const [shortest, longest] = [13, 19];

/** True for digits that are a card number by network, length and check digit. */
export function isCardNumber(digits: string): boolean {
  return digits.length >= shortest && ofNetwork.test(digits) && passesLuhn(digits) && !mobileNumber.test(digits);
}

/** True for digits that may be a card number by beginning and check digit; Maestro's twelve digits too. */
function isLikeCardNumber(digits: string): boolean {
  if (digits.length < shortest && !/^(?:5[06-8]|6)\d{11}$/.test(digits)) return false;
  return digits.length <= longest && beginsLikeCard.test(digits) && passesLuhn(digits);
}

interface Group extends Span {
  readonly digits: string;
  /** The separator between the group before and this one; undefined if there is more than a separator. */
  readonly after?: string;
}

/** Longest separator within a number. */
const separatorChars = 8;
const separator = /^[^\p{L}\p{N}]+$/u;

/** The spans of card numbers in a text as {@link plainText} reads it; they may overlap. */
export function cardNumberSpans(text: string, strictness: Strictness): Span[] {
  const digits = text.match(/\d/g)?.length ?? 0;
  if (digits < shortest - 1) return [];
  const runs = runsOf(withoutReferences(text, strictness));
  return [...runs.flatMap((run) => spansOfRun(run, strictness)), ...withLettersBetween(text)];
}

function runsOf(text: string): Group[][] {
  const runs: Group[][] = [];
  let end = -1;
  for (const { 0: digits, index: begin } of text.matchAll(/\d+/g)) {
    const between = end >= 0 && begin - end <= separatorChars ? text.slice(end, begin) : '';
    end = begin + digits.length;
    const run = runs.at(-1);
    if (run && separator.test(between)) run.push({ digits, begin, end, after: between });
    else runs.push([{ digits, begin, end }]);
  }
  return runs;
}

function spansOfRun(run: readonly Group[], strictness: Strictness): Span[] {
  const exact = [...run.flatMap(gluedForms), ...chainsOf(run), ...run.flatMap((_, first) => customary(run, first))];
  if (strictness === 'mask') return [...exact, ...run.flatMap((_, first) => anyWindows(run, first))];
  // Thirteen digits refuse nothing: article numbers (EAN) have them, and cards of that length are out of use.
  const digitsIn = ({ begin, end }: Span) =>
    run.reduce((sum, group) => sum + (group.begin >= begin && group.end <= end ? group.digits.length : 0), 0);
  return exact.filter((span) => digitsIn(span) > shortest);
}

const spanOf = (groups: readonly Group[]): Span => ({
  begin: groups[0]?.begin ?? 0,
  end: groups.at(-1)?.end ?? 0,
});
const joined = (groups: readonly Group[]) => groups.map(({ digits }) => digits).join('');

/** One group that is a card number, also if zeros pad it or its expiry and code follow. */
function gluedForms({ digits, begin, end }: Group): Span[] {
  if (digits.length <= longest) return isCardNumber(digits) ? [{ begin, end }] : [];
  const significant = digits.replace(/^0{4,}/, '');
  const expiring = /^(\d{15,16}?)(?:0[1-9]|1[0-2])(?:2[5-9]|3[0-5])(?:\d{3})?$/.exec(digits)?.[1] ?? '';
  return isCardNumber(significant) || isCardNumber(expiring) ? [{ begin, end }] : [];
}

/** Card numbers made of the whole run, or of a part with one separator throughout, in any groups. */
function chainsOf(run: readonly Group[]): Span[] {
  const chains: Group[][] = run.length > 1 ? [[...run]] : [];
  let chain: Group[] = [];
  for (const group of run) {
    if (chain.length > 1 && group.after !== chain[1]?.after) {
      chains.push(chain);
      chain = chain.slice(-1);
    }
    chain.push(group);
  }
  if (chain.length > 1 && chain.length < run.length) chains.push(chain);
  return chains.filter((groups) => isCardNumber(shortJoined(groups)) && !areAmounts(groups)).map(spanOf);
}

/** The digits; empty if there are more groups than digits in any number: a list of a thousand groups is not joined. */
const shortJoined = (groups: readonly Group[]) => (groups.length > longest ? '' : joined(groups));

/** True for a list of amounts, such as "45.00 12.50 33.20 19.99". */
function areAmounts(groups: readonly Group[]): boolean {
  const text = groups.map(({ digits, after = '' }) => after + digits).join('');
  const sums = text.match(/\d[.,]\d\d(?!\d)/g)?.length ?? 0;
  return (
    sums >= 2 && sums * 3 >= groups.length && /^(?:(?:,? |[;/+] ?)?(?:\d{1,6}[.,]\d\d|\d{1,3})(?!\d))+$/.test(text)
  );
}

const customaryGroups = [
  [4, 4, 4, 4],
  [4, 4, 4, 4, 3],
  [4, 4, 4, 4, 2],
  [4, 4, 4, 1],
  [4, 6, 5],
  [4, 6, 4],
  [8, 8],
];

/** Card numbers that begin with this group, in groups as cards print them. */
function customary(run: readonly Group[], first: number): Span[] {
  const fits = (sizes: readonly number[]) => sizes.every((size, index) => run[first + index]?.digits.length === size);
  const found = customaryGroups.filter(fits).map(({ length }) => run.slice(first, first + length));
  return found.filter((groups) => isCardNumber(joined(groups))).map(spanOf);
}

/** Whole groups from this one on that may be a card number, and parts of this group that may be one. */
function anyWindows(run: readonly Group[], first: number): Span[] {
  const group = run[first];
  if (!group) return [];
  const found: Span[] = [];
  for (let last = first, digits = ''; last < run.length && digits.length < longest; last += 1) {
    digits += run[last]?.digits ?? '';
    if (!isLikeCardNumber(digits)) continue;
    found.push(spanOf(run.slice(first, last + 1)));
    break;
  }
  const { digits, begin } = group;
  const parts = digits.length > shortest ? digits.length - shortest + 1 : 0;
  for (let from = 0; from < parts; from += 1) {
    const size = [16, 19, 15, 14, 13, 18, 17].find((it) => isLikeCardNumber(exactly(digits, from, it)));
    if (size !== undefined) found.push({ begin: begin + from, end: begin + from + size });
  }
  return [...found, ...glued(run, first)];
}

const exactly = (digits: string, from: number, size: number) =>
  from + size <= digits.length ? digits.slice(from, from + size) : '';

/** Four groups of four, of which the first and the last have further digits glued to them. */
function glued(run: readonly Group[], first: number): Span[] {
  const [a, b, c, d] = run.slice(first, first + 4);
  if (!a || !d || a.digits.length < 4 || d.digits.length < 4) return [];
  if (b?.digits.length !== 4 || c?.digits.length !== 4) return [];
  const digits = a.digits.slice(-4) + b.digits + c.digits + d.digits.slice(0, 4);
  return isLikeCardNumber(digits) ? [{ begin: a.end - 4, end: d.begin + 4 }] : [];
}

const inName =
  /(?<!\d)(\d{14,19}|\d{4}([^\p{L}\p{N}]{0,4})\d{4}\2\d{4}\2\d{4}(?:\2\d{2,3})?|\d{4}([^\p{L}\p{N}]{1,4})\d{6}\3\d{4,5})(?!\d)/gu;
/** Random hexadecimal holds runs of digits of any length. */
const hexadecimal = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?=[\da-f]*[a-f])(?!${secondTrack})[\da-f]{24,64}(?![\p{L}\p{N}])`,
  'giu',
);

/** Fourteen digits, the fewest that `inName` takes, with few characters between them. */
const manyDigits = /(?:\d[^\d]{0,4}){14}/;

/** The card number in a name as {@link plainText} reads it: alone or as cards print it. */
export function cardNumberInName(name: string): Span | undefined {
  if (!manyDigits.test(name)) return undefined;
  const text = withoutProven(name).replaceAll(hexadecimal, (it) => 'x'.repeat(it.length));
  for (const { 0: found, index: begin } of text.matchAll(inName))
    if (isCardNumber(found.replaceAll(/\D/g, ''))) return { begin, end: begin + found.length };
  return undefined;
}

/** Four groups of four with the same few letters between them. */
function withLettersBetween(text: string): Span[] {
  const groups = /(?<!\d)(\d{4})(\p{L}{1,4})(\d{4})\2(\d{4})\2(\d{4})(?!\d)/gu;
  return [...text.matchAll(groups)]
    .filter(([, a = '', , b = '', c = '', d = '']) => isCardNumber(a + b + c + d))
    .map(({ 0: { length }, index: begin }) => ({ begin, end: begin + length }));
}
