// The only detector of card data, for every text that comes in or goes out. It finds card numbers (card-numbers.ts) and named
// verification codes: plain, encoded once or twice, in compatibility forms, in the digits of any script. It also cleans texts of the
// gateway, which may echo what it was sent, for results, the ledger and logs. Nothing here keeps or repeats a value.
import { cardNumberInName, cardNumberSpans, isCardNumber, type Span, type Strictness } from './card-numbers.ts';
import { type OperationName, operations } from './operations.ts';
import { ibanLengths, isClabe, isIban } from './check-digits.ts';
import { decodings, packedText, packedWord, plainText, unescaped, unpacked, withoutMarkup } from './plain-text.ts';

/** The text in the place of card data. */
export const cutMark = '[card data cut out]';

/** Encodings that are searched, one within the other; a third is no accident. */
const encodings = 2;

/** True if the text holds a card number, alone or in groups, or a named verification code. Linear in the text's length. */
export function holdsCardData(text: string, depth = encodings): boolean {
  if (text.length < 6) return false;
  const { plain } = plainText(text);
  if (cardNumberSpans(plain, 'refuse').length > 0 || codeSpans(plain).length > 0) return true;
  return depth > 0 && decodings(text).some((it) => holdsCardData(it, depth - 1));
}

/**
 * True if a bank account number is card data. Long accounts and IBANs often hold digits that look like a card number: they are no card
 * data. Digits as many as a card number has count only if cards of that network are that long. A card number with its expiry, code
 * or holder beside it, as on a track, always counts.
 */
export function isCardAccount(account: string, depth = encodings): boolean {
  const { plain } = plainText(account);
  const compact = plain.replaceAll(/[^\p{L}\p{N}]/gu, '');
  // No card data, even if mistyped.
  if (isIban(plain) || isLikeIban(compact) || isClabe(compact)) return false;
  const parts = plain.split(/[^\d -]+/);
  if (isCardWithDate(plain) || (parts.length > 1 && parts.some(isPrintedCard))) return true;
  if (/\d{20}/.test(plain) || /^\d{20,}$/.test(compact)) return false;
  if (/^(?:\d{13,15}|\d{17})$/.test(compact)) return /^(?:3|2131|1800)/.test(compact) && isCardNumber(compact);
  return holdsCardData(account, depth);
}

/** True if the text begins as an IBAN and is at most two characters longer or shorter. */
function isLikeIban(compact: string): boolean {
  const length = /^[a-z]{2}\d{2}[a-z\d]*$/i.test(compact)
    ? ibanLengths.get(compact.slice(0, 2).toUpperCase())
    : undefined;
  return length !== undefined && Math.abs(compact.length - length) <= 2;
}

/** A number of fifteen digits or more in one run, or in the groups that are printed on cards. */
function isPrintedCard(part: string): boolean {
  const written = part.replaceAll(/^[ -]+|[ -]+$/g, '');
  const isWritten = /^(?:\d{15,16}|\d{18,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}|\d{4}([ -])\d{6}\2\d{5})$/.test(written);
  return isWritten && isCardNumber(written.replaceAll(/\D/g, ''));
}

const cardWithDate =
  /^\D*(\d{15,16}|\d{4}([ -])\d{4}\2\d{4}\2\d{4}|\d{4}([ -])\d{6}\3\d{5})\D{1,8}(?:0?[1-9]|1[0-2])[ /.-]{0,3}(?:20)?\d\d(?:\D{1,8}\d{3,4})?\D*$/;

/** True for a card number with its expiry beside it: "4111 1111 1111 1111 12/30". */
function isCardWithDate(plain: string): boolean {
  return isCardNumber((cardWithDate.exec(plain)?.[1] ?? '').replaceAll(/\D/g, ''));
}

/**
 * The card data in a name that others chose: an order id, a batch, an endpoint; undefined if there is none. Shops make millions of
 * names out of digit groups. So a card number counts only alone (also between letters) or in the groups that cards print, with one
 * separator throughout; not encoded, and not of thirteen digits.
 */
export function cardDataInName(name: string): Span | undefined {
  const { plain, at } = plainText(name);
  const [code] = codeSpans(plain);
  const found = code ?? cardNumberInName(plain);
  return found && { begin: at?.[found.begin] ?? found.begin, end: at?.[found.end] ?? found.end };
}

/**
 * True if encoded bytes (a seal, a proof, the id of an end) hold a card number, as written or decoded. The letters of a seal's
 * ciphertext are random, so only its decoded text counts. Verification codes are not searched: a thousand random letters hold one.
 */
export function lettersHold(letters: string): boolean {
  const parts = letters.split('.');
  const texts = parts.map((part) => Buffer.from(part, 'base64url').toString('latin1'));
  return [...parts.filter((_, place) => place !== 3), ...texts].some((it) => cardNumberInName(it) !== undefined);
}

/** The text with `mark` in the place of card data; by default also of anything that looks like it. */
export function withoutCardNumbers(text: string, mark: string, strictness: Strictness = 'mask'): string {
  const { plain, at } = plainText(text);
  const spans = [...cardNumberSpans(plain, strictness), ...codeSpans(plain)];
  if (spans.length === 0) return text;
  const place = (index: number) => at?.[index] ?? index;
  const end = (index: number) => (at ? place(index - 1) + sizeAt(text, place(index - 1)) : index);
  let clean = '';
  let kept = 0;
  for (const span of spans.toSorted((a, b) => a.begin - b.begin)) {
    const [from, to] = [place(span.begin), end(span.end)];
    if (from >= kept) clean += text.slice(kept, from) + mark;
    kept = Math.max(kept, to);
  }
  return clean + text.slice(kept);
}

const sizeAt = (text: string, index: number) => ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1);

/** The same, encodings included. If only the decoded text shows card data, its place is unknown: the mark replaces the whole text. */
export function withoutCardData(text: string, mark: string = cutMark, depth = encodings): string {
  if (depth === 0) return withoutCardNumbers(text, mark);
  const shows = (it: string) => withoutCardData(it, mark, depth - 1) !== it;
  const whole = text.replaceAll(/\s+/g, '');
  const unescapedText = unescaped(text);
  if (unescapedText !== text && shows(unescapedText)) return mark;
  if (packedText.test(whole) && whole !== text && unpacked(whole).some(shows)) return mark;
  const packed = text.replaceAll(packedWord, (word) => (unpacked(word).some(shows) ? mark : word));
  const clean = withoutCardNumbers(packed, mark);
  const parts = withoutMarkup(clean);
  return parts !== clean && holdsCardData(parts, depth - 1) ? mark : clean;
}

// Verification codes, by their names on cards and forms. Cyrillic С looks like C.

const gap = '[\\W_]{0,2}';
const shortName = `[cс]${gap}[vв]${gap}(?:[vв]|[cс]|n)(?:${gap}2)?`;
const names = [
  `(?<![\\p{L}\\p{N}])(?:${shortName}|c${gap}s${gap}c|c${gap}a${gap}v${gap}2)`,
  '(?:card[ _-]?)?(?:security|verification|validation)[ _-]?(?:code|value|number|digits)|card[ _-]?code',
  '(?:karten)?pruf(?:ziffer|nummer|zahl)n?|kartensicherheitscode|sicherheitscode',
  'cod(?:igo|e|ice|e) de (?:seguranca|seguridad|securite|verificacion)|codice di sicurezza|cryptogramme(?: visuel)?',
  'код[ _-]?(?:безопасности|проверки|карты)|проверочныи[ _-]?код|kod (?:bezpieczenstwa|cvv)|guvenlik kodu|安全[码碼]|セキュリティコート',
].join('|');
const filler = '(?:is|was|code|value|number|no|nr|num|ist|код|val|text)';
const digitsAfter = `[^\\p{L}\\p{N}]{0,8}(?:${filler}[^\\p{L}\\p{N}]{0,8}){0,2}`;
const codeAfterName = new RegExp(`(?:${names})${digitsAfter}(\\d{3,4}|\\d(?:[ .-]\\d){2,3})(?![ .-]?\\d)`, 'giud');
const nameAfterCode = new RegExp(
  `(?<![\\p{L}\\p{N}.,])(\\d{3,4})[^\\p{L}\\p{N}]{1,4}(?:(?:is|as|was|=)[^\\p{L}\\p{N}]{1,4})?(?:(?:the|my|your)[^\\p{L}\\p{N}])?(?:${shortName})(?![\\p{L}\\p{N}])`,
  'giud',
);

/** Tested first: finding the place costs ten times as much, and every text of a million rows is tested. */
const anyCode = new RegExp(`${codeAfterName.source}|${nameAfterCode.source}`, 'iu');

/** A part of every name in ASCII. The full pattern, with letters of every script, costs a new process ten milliseconds. */
const partOfName =
  /c[\W_]{0,2}(?:v[\W_]{0,2}[vcn]|s[\W_]{0,2}c|a[\W_]{0,2}v)|[ck]od|crypto|pruf|security|validation|verification/i;

/** False only if the text can hold no name of a code. */
// oxlint-disable-next-line no-control-regex -- every ASCII character
const mayNameCode = (plain: string) => partOfName.test(plain) || !/^[\u0000-\u007f]*$/.test(plain);

function codeSpans(plain: string): Span[] {
  if (!/\d(?:[ .-]?\d){2}/.test(plain) || !mayNameCode(plain) || !anyCode.test(plain)) return [];
  return [codeAfterName, nameAfterCode].flatMap((pattern) =>
    [...plain.matchAll(pattern)].flatMap(({ indices }) => {
      const [begin, end] = indices?.[1] ?? [0, 0];
      return [{ begin, end }];
    }),
  );
}

/** Longest text kept, in UTF-8 bytes: it is stored in the ledger item, which must stay under 1 KB. */
export const outsideTextLimitBytes = 80;

/** The part of a text from outside that is searched. */
const searchedChars = 4096;

/** The secret values of a job without card details: a date or a name equals a gateway id only by chance. */
export function secretNumbers(job: Parameters<typeof sensitiveValues>[0]): string[] {
  const { fields } = operations[job.operation];
  const params = Object.entries(job.params).filter(([name]) => fields[name]?.card !== 'detail');
  return sensitiveValues({ ...job, params: Object.fromEntries(params) });
}

/** The values of a job that must never be seen again outside the signed request. */
export function sensitiveValues(job: {
  readonly operation: OperationName;
  readonly params: Readonly<Record<string, string>>;
}): string[] {
  const { fields } = operations[job.operation];
  return Object.entries(job.params)
    .filter(([name, value]) => fields[name]?.sensitive && value.length >= 3)
    .map(([, value]) => value);
}

/** {@link redacted} for one text. */
export const redact = (outside: string, values: readonly string[]): string => redacted([outside], values)[0] ?? mark;

/**
 * Texts of one answer, cleaned: without the given values (whatever separates their characters), without anything that could be a card
 * number (12 to 19 digits, however grouped, written or encoded) or its code, without control characters, cut to
 * {@link outsideTextLimitBytes}. A text that {@link spells} one of the numbers becomes the mark; all do if they spell it together.
 */
export function redacted(outside: readonly string[], values: readonly string[]): string[] {
  const numbers = values.filter((value) => /^(?:[\s-]?\d){12,}$/.test(value));
  const safe = (text: string) => (numbers.some((it) => spells(text.slice(0, comparedChars), it)) ? mark : text);
  const texts = outside.map((text) => safe(withoutValues(text, values)));
  const whole = texts.map((text) => cutToBytes(text, outsideTextLimitBytes));
  return safe(whole.join(' ')) === mark ? whole.map(() => mark) : whole;
}

function withoutValues(outside: string, values: readonly string[]): string {
  // More than is kept, and less than a page of 64 KB.
  let clean = withoutControls(outside.slice(0, searchedChars));
  for (const value of values.toSorted((a, b) => b.length - a.length)) {
    clean = withoutEcho(clean.replaceAll(value, mark), value);
  }
  return withoutCardData(clean, mark)
    .replace(/\d(?:[ -]?\d){11,18}/g, mark)
    .trim();
}

const mark = '[redacted]';

/** The part of a text that is compared with a number: more than is kept, as the cut may go through the number. */
const comparedChars = 4 * outsideTextLimitBytes;
/** Digits of a number that stay hidden: of sixteen, eight and four may be shown (PCI DSS 3.4.1). */
const hiddenDigits = 4;

/**
 * True if the text shows more of this number than is allowed: with anything between its digits, in pieces in any order, in words,
 * in letters that look like digits, backwards, encoded, or in another base.
 */
export function spells(text: string, number: string, depth = encodings): boolean {
  const plain = plainText(text).plain.toLowerCase();
  const written = plain
    .replaceAll(digitWord, (word) => String(digitWords.indexOf(word)))
    .replaceAll(/[a-z]*\d[\da-z]*/g, (word) =>
      word.replaceAll(/[oilzsb]/g, (it) => '011258'.charAt('oilzsb'.indexOf(it))),
    );
  const [digits, runs] = [written.replaceAll(/\D/g, ''), written.match(/\d{4,}/g) ?? []];
  const whole = plain.replaceAll(/[^\da-z]/g, '');
  const bare = whole.replaceAll('0x', '');
  const bareNumber = number.replaceAll(/\D/g, '');
  const shows = (form: string) =>
    runs.reduce((sum, run) => sum + longestOf(run, form), 0) > form.length - hiddenDigits ||
    [2, 8, 16, 32, 36].some((radix) => `${whole} ${bare}`.includes(BigInt(form).toString(radix))) ||
    tooLongParts(form).some(
      (part) => isWithin(part, digits) || codesOf(part).some((code) => bare.replaceAll(/\D/g, '').includes(code)),
    );
  if (shows(bareNumber) || shows([...bareNumber].toReversed().join(''))) return true;
  return depth > 0 && decodings(text).some((inner) => spells(inner, bareNumber, depth - 1));
}

const digitWords = 'zero one two three four five six seven eight nine'.split(' ');
const digitWord = new RegExp(digitWords.join('|'), 'g');

/** The parts of the number that are one digit too long to be shown. */
const tooLongParts = (number: string) =>
  Array.from({ length: hiddenDigits }, (_, from) => number.slice(from, number.length - hiddenDigits + 1 + from));

/** True if the digits hold the part in its order, with others between. */
function isWithin(part: string, digits: string): boolean {
  let found = 0;
  for (const digit of digits) if (digit === part[found]) found += 1;
  return found === part.length;
}

/** The codes of the digits: binary, octal and decimal. Those in hexadecimal are the digits themselves, with others between. */
const codesOf = (part: string): string[] =>
  (
    [
      [2, 8],
      [8, 2],
      [8, 3],
      [10, 2],
    ] as const
  ).map(([radix, pad]) => [...part].map((it) => it.charCodeAt(0).toString(radix).padStart(pad, '0')).join(''));

/** The length of the longest part of the run that is part of the number, from four digits on. */
function longestOf(run: string, number: string): number {
  for (let size = Math.min(run.length, number.length); size > 3; size -= 1)
    for (let from = 0; from + size <= run.length; from += 1)
      if (number.includes(run.slice(from, from + size))) return size;
  return 0;
}

/** The text without the value in groups or in other digits; unchanged if the value is short. */
function withoutEcho(text: string, value: string): string {
  const characters = value.match(/[\p{L}\p{N}]/gu) ?? [];
  if (characters.length < 6) return text;
  const echo = new RegExp(characters.join(String.raw`(?:\0\u0001?){0,3}`), 'giu');
  const { plain, at } = plainText(text);
  let clean = '';
  let kept = 0;
  for (const { 0: found, index } of separated(plain).matchAll(echo)) {
    const [from, to] = [at?.[index] ?? index, at?.[index + found.length] ?? index + found.length];
    clean += text.slice(kept, from) + mark;
    kept = to;
  }
  return clean + text.slice(kept);
}

/**
 * The text with \0 for each character that is neither letter nor digit, and \u0001 for its second code unit: the length stays. A pattern
 * with these classes between all characters of an account number would take half a second to compile for text beyond Latin-1.
 */
const separated = (plain: string): string =>
  plain.replace(/[^\p{L}\p{N}]/gu, ({ length }) => (length > 1 ? '\0\u0001' : '\0'));

/**
 * Text from outside as a terminal, a log or a page may show it: control characters (C0, C1) become a blank; characters that turn
 * the direction of writing, are invisible, or that SQS refuses, go. Line breaks are control characters too.
 */
function withoutControls(text: string): string {
  return text
    .toWellFormed()
    .replace(unseen, '')
    .replace(/[\p{Cc}\u2028\u2029\ufffe\uffff]+/gu, ' ');
}

/** Directions (Unicode Bidirectional Algorithm), zero widths, tags. */
export const unseen = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** The text, or as many of its whole characters as fit, and "…". */
export function cutToBytes(text: string, limitBytes: number): string {
  if (Buffer.byteLength(text) <= limitBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limitBytes - Buffer.byteLength('…')));
  return `${text.slice(0, read)}…`;
}
