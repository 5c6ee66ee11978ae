// Prepares a text for the search for card data: plain characters, encodings decoded, and without references whose digits look like a
// card number (dates with times, telephone numbers, IBANs, acquirer references, UUIDs). A reference with check digits is recognised
// by them, so that a card number rarely passes for one.
import { ibanLengths, isClabe, isCreditorReference, isIban, passesLuhn } from './check-digits.ts';

/** A text in plain characters. `at`: the place of each in the original text; absent if nothing was changed. */
interface PlainText {
  readonly plain: string;
  readonly at?: readonly number[];
}

const hanDigits = '〇一二三四五六七八九';

/** The text in NFKD, without marks and invisible characters, every digit as 0 to 9. */
export function plainText(text: string): PlainText {
  // oxlint-disable-next-line no-control-regex -- ASCII, control characters included, reads as it is
  if (/^[\u0000-\u007f]*$/.test(text)) return { plain: text };
  const at: number[] = [];
  let plain = '';
  let begin = 0;
  for (const character of text) {
    const read = character < '\u0080' ? character : plainCharacter(character);
    for (let index = 0; index < read.length; index += 1) at.push(begin);
    plain += read;
    begin += character.length;
  }
  at.push(text.length);
  return { plain, at };
}

function plainCharacter(character: string): string {
  if (/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/u.test(character)) return '';
  const plain = character.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const han = character === '零' ? 0 : hanDigits.indexOf(character);
  return han >= 0 ? String(han) : plain.replaceAll(/(?![0-9])\p{Nd}/gu, decimal);
}

/** Unicode keeps the ten digits of a script in a row. */
function decimal(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 60 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}

export const packedText = /^[\w+/-]{16,}={0,2}$/;
export const packedWord = /[\w+/-]{16,}={0,2}/g;

/** The texts that a text may encode. */
export function decodings(text: string): string[] {
  const unescapedText = unescaped(text);
  const parts = withoutMarkup(text);
  // An encoded number has sixteen characters at least.
  const read = [unescapedText, parts].filter((it) => it !== text);
  if (text.length < 16) return read;
  const whole = text.replaceAll(/\s+/g, '');
  const words = text.match(packedWord) ?? [];
  return [...read, ...[...words, ...(packedText.test(whole) && whole !== text ? [whole] : [])].flatMap(unpacked)];
}

/** The text without tags and JSON names, so that the parts of a number between them are read as one. */
export function withoutMarkup(text: string): string {
  if (!/[<"]/.test(text)) return text;
  return text.replaceAll(/<[^<>]{0,120}>/g, ' ').replaceAll(/"[^"\\]{0,64}"\s*:/g, ' ');
}

/** Base64 and hexadecimal, as far as they encode printable text. A word may begin with up to three letters of another. */
export function unpacked(word: string): string[] {
  const texts = /^[\da-f]+$/i.test(word) ? [Buffer.from(word, 'hex').toString('latin1')] : [];
  for (let skipped = 0; skipped < 4; skipped += 1) {
    const bytes = Buffer.from(word.slice(skipped), 'base64').toString('latin1');
    // UTF-16, as Windows writes text: every other byte of a digit is nought.
    texts.push(bytes.includes('\0') ? bytes.replaceAll('\0', '') : bytes);
  }
  return texts.filter((it) => /[\d\w]{3}/.test(it) && /[\t\n\r -~]{6}/.test(it));
}

const escapes =
  /(?:%|\\)u([\da-f]{4})|\\u\{?([\da-f]{1,6})\}?|\\x([\da-f]{2})|&#x0*([\da-f]{1,6});?|&#0*(\d{1,7});?|((?:%[\da-f]{2})+)|((?:=3\d){3,})|&(nbsp|ensp|emsp|thinsp|shy|zwnj|zwj|hyphen|dash|ndash|mdash|middot|bull);?/gi;

/** Percent, entities, the escapes of JSON and its like, quoted-printable; and a number with an exponent written out. */
export function unescaped(text: string): string {
  const decoded = /[%&\\=]/.test(text)
    ? text.replaceAll(
        escapes,
        (...[, u16, u, x, hexEntity, entity, percent, quoted, named]: (string | undefined)[]) => {
          if (named !== undefined) return ' ';
          if (quoted !== undefined) return Buffer.from(quoted.replaceAll('=', ''), 'hex').toString('latin1');
          if (percent !== undefined) return Buffer.from(percent.replaceAll('%', ''), 'hex').toString();
          const code = entity === undefined ? Number.parseInt(u16 ?? u ?? x ?? hexEntity ?? '', 16) : Number(entity);
          return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
        },
      )
    : text;
  // Tested first on every text, so that the expensive replacement runs on few.
  if (!/\.\d{9}/.test(decoded)) return decoded;
  return decoded.replaceAll(
    /(?<![\d.])(\d)\.(\d{9,18})e\+?(1[0-8])(?!\d)/gi,
    (_, first: string, rest: string, power: string) =>
      (first + rest).padEnd(Number(power) + 1, '0').slice(0, Number(power) + 1),
  );
}

const ibanLike = /(?<![a-z0-9])[a-z]{2}\d{2}(?:[ .-]?[a-z0-9]){11,30}/gi;

/** The IBAN at the start of the text, empty if there is none; what follows a blank may be the next word. */
function ibanAtStartOf(text: string): string {
  const length = ibanLengths.get(text.slice(0, 2).toUpperCase()) ?? 0;
  let [end, count] = [0, 0];
  for (; end < text.length && count < length; end += 1) if (/[a-z0-9]/i.test(text.charAt(end))) count += 1;
  const iban = text.slice(0, end);
  return isIban(iban) ? iban : '';
}

const day = '(?:0?[1-9]|[12]\\d|3[01])';
const date = `(?:(?:19|2[01])\\d\\d([-/.])${day}\\1${day}|${day}([-/.])${day}\\2(?:19|2[01])\\d\\d)`;
const date2 = date.replaceAll('\\1', '\\3').replaceAll('\\2', '\\4');
const time = '(?:[01]?\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:[.,]\\d{1,9})?)?';
const moment = new RegExp(
  `(?<!\\d[-/.:]?)(?:${date}(?:[ T,_-]{1,3}${time})?|${time}[ ,]{1,3}${date2})(?![-/.:]?\\d)`,
  'gi',
);

/** A telephone number with its plus sign (ITU-T E.164); at most fourteen digits are in use. */
const telephone = /(?<![^\s,;:(])\+[ (]{0,2}\d(?:[ ()./-]{0,3}\d){6,13}(?![ ()./-]{0,3}\d)/g;
/** The acquirer's reference of a transaction: 23 digits. */
const acquirerReference = /(?<!\d)\d{23}(?!\d)/g;
const uuid = /(?<![\da-z])[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}(?![\da-z])/gi;
/** The second track of a card, as chips write it (EMV 4.3, book 3, tag 57): hexadecimal, but no digest. */
export const secondTrack = String.raw`\d{13,19}d\d{7,}f?(?![\da-z])`;
/** A digest or a long id: hexadecimal, with a letter in it. */
const hexadecimal = new RegExp(String.raw`(?<![\da-z])(?=\d*[a-f])(?!${secondTrack})[\da-f]{24,128}(?![\da-z])`, 'gi');

const hidden = (text: string) => 'x'.repeat(text.length);

const creditorReference = /(?<![a-z0-9])rf\d{2}(?: ?[a-z0-9]){1,21}(?![a-z0-9])/gi;
const clabe = /(?<!\d)\d{18}(?!\d)/g;

/** The text with letters in the place of creditor references and Mexican accounts, which check digits prove. */
export function withoutProven(text: string): string {
  return text
    .replaceAll(creditorReference, (found) => {
      // The text after a blank may be the next word.
      for (let end = found.length; end > 0; end = found.lastIndexOf(' ', end - 1))
        if (isCreditorReference(found.slice(0, end))) return hidden(found.slice(0, end)) + found.slice(end);
      return found;
    })
    .replaceAll(clabe, (digits) => (isClabe(digits) ? hidden(digits) : digits));
}

/** The text with letters in the place of references. For `mask`, acquirer references, UUIDs and digests are kept and searched. */
export function withoutReferences(text: string, strictness: 'refuse' | 'mask'): string {
  const known = text
    .replaceAll(ibanLike, (found) => {
      const iban = ibanAtStartOf(found);
      return hidden(iban) + found.slice(iban.length);
    })
    .replaceAll(moment, hidden)
    .replaceAll(telephone, hidden);
  if (strictness === 'mask') return known;
  return withoutProven(known)
    .replaceAll(acquirerReference, (digits) => (passesLuhn(digits) ? hidden(digits) : digits))
    .replaceAll(uuid, (found) => (/[a-f]/i.test(found) ? hidden(found) : found))
    .replaceAll(hexadecimal, hidden);
}
