// Card data in a job: which fields hold it, and where it stands without any business there. Nothing here keeps or repeats
// a value.
import { type OperationName, operations } from '../gateway/operations.ts';
import type { Profile } from '../gateway/profile.ts';
import { type JsonText, scalarsOf } from './json-text.ts';

/** The params of a job that are a card number or a CVV: the fields for which a queue is no place in the clear. */
export function plainCardFields(job: {
  readonly operation: OperationName;
  readonly params: Readonly<Record<string, string>>;
}): string[] {
  const { fields } = operations[job.operation];
  return Object.keys(job.params).filter((name) => ['number', 'code'].includes(fields[name]?.card ?? ''));
}

/** Where a card number stands in a job in which it has no business at all: a free text, or the sender's own context. */
export function cardNumbersInText({
  operation,
  params,
  context,
}: Parameters<typeof plainCardFields>[0] & { readonly context?: JsonText }): string[] {
  const { fields } = operations[operation];
  const isFree = (name: string) => fields[name]?.kind === 'text' && !fields[name].sensitive && !fields[name].card;
  const texts = Object.entries(params).filter(([name, text]) => isFree(name) && holdsCardNumber(text));
  return [
    ...texts.map(([name]) => name),
    ...(context !== undefined && holdsCardNumber(scalarsOf(context)) ? ['context'] : []),
  ];
}

/** All that the merchant's profile refuses of it. */
export function refusedCardFields(job: Parameters<typeof cardNumbersInText>[0], profile: Profile): string[] {
  return profile.plainCardData === 'accepted' ? [] : [...plainCardFields(job), ...cardNumbersInText(job)];
}

// Card numbers and verification codes in any text, however it is written. ISO/IEC 7812: 13 to 19 digits, the last of them
// a check digit by Luhn's rule.

/** A number in groups: digits, and few other characters between them (a blank, a dash, a line break, a quote). */
const digitGroups = /\d+(?:[^\p{L}\p{N}]{1,3}\d+)*/gu;
/** A name of the code, and three or four digits soon after. */
const namedCode = /(?<![a-z])(?:cvv2?|cvc2?|cvn2?|csc|cav2?|security[ _-]?code)\b([^\p{L}\p{N}]{1,8})\d{3,4}(?!\d)/giu;
const shortest = 13;
const longest = 19;

/**
 * How the numbers of networks begin: Mir, Mastercard and the rest of 22 to 27; all of 3 to 6; RuPay; Uzcard, Elcart, Troy,
 * Humo. Not 20 and 21, with which references begin that hold a date: one in ten would pass for a card number.
 */
const ofNetwork = /^(?:2[2-7]|[3-6]|8[12]|8600|9417|9792|9860)\d+$/;

/** True for digits that are a card number by length, network and check digit. */
export function isCardNumber(digits: string): boolean {
  return looksLikeCardNumber(digits) && passesLuhn(digits);
}

function looksLikeCardNumber(digits: string): boolean {
  return ofNetwork.test(digits) && digits.length >= shortest && digits.length <= longest;
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = digit * 2;
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The text with `mark` in the place of each card number: whole groups of digits that together are one. */
export function withoutCardNumbers(text: string, mark: string): string {
  return text.replaceAll(digitGroups, (run) => (run.length < shortest ? run : withoutNumbersOf(run, mark)));
}

/** True where a card number stands in it, at any depth. */
export function holdsCardNumber(value: unknown): boolean {
  if (typeof value === 'string') return value.length >= shortest && withoutCardNumbers(value, '') !== value;
  if (typeof value === 'number') return isNumberOfCard(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, part]) => holdsCardNumber(name) || holdsCardNumber(part));
}

/** The check digit of a long number did not survive the reading of its JSON. */
function isNumberOfCard(value: number): boolean {
  const digits = String(value);
  return Number.isSafeInteger(value) ? isCardNumber(digits) : looksLikeCardNumber(digits);
}

/** The same, and without codes that are named as such. */
export function withoutNumbersAndCodes(text: string, mark: string): string {
  return withoutCardNumbers(text, mark).replaceAll(namedCode, (found) => found.replace(/\d{3,4}$/, mark));
}

function withoutNumbersOf(run: string, mark: string): string {
  const groups = [...run.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({ digits, index }));
  let clean = '';
  let kept = 0;
  for (let first = 0; first < groups.length; first += 1) {
    const last = lastGroupOfNumber(groups, first);
    const [begin, end] = [groups[first], groups[last ?? -1]];
    if (last === undefined || !begin || !end) continue;
    clean += run.slice(kept, begin.index) + mark;
    kept = end.index + end.digits.length;
    first = last;
  }
  return clean + run.slice(kept);
}

/** The group at which a card number ends that begins with group `first`. */
function lastGroupOfNumber(groups: readonly { readonly digits: string }[], first: number): number | undefined {
  let digits = '';
  for (let last = first; last < groups.length && digits.length < longest; last += 1) {
    digits += groups[last]?.digits ?? '';
    if (isCardNumber(digits)) return last;
  }
  return undefined;
}
