// RFC 5849 section 3.6: the one percent-encoding, used for signing, for the header and for the form body.
import { OAuth1Error } from './errors.ts';

/** A text in the two forms that signing needs. */
export interface EncodedText {
  /** As it stands in the header and in the body. */
  readonly once: string;
  /** As it stands in the signature base string, which encodes the whole parameter string again (section 3.4.1.1). */
  readonly twice: string;
}

// Section 3.6: "ALPHA, DIGIT, "-", ".", "_", "~" MUST NOT be encoded. All other characters MUST be encoded."
const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';
const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

/** One entry per ASCII character: 1 where it stands for itself. Beyond ASCII nothing does. */
const IS_UNRESERVED = Uint8Array.from(ASCII, (character) => (UNRESERVED.includes(character) ? 1 : 0));

// "The two hexadecimal characters used to represent encoded characters MUST be uppercase."
const ESCAPES = ASCII.map((_, code) => `%${code.toString(16).padStart(2, '0').toUpperCase()}`);
// Of an encoded text only the percent signs are not unreserved: `%2F` becomes `%252F`.
const ESCAPES_TWICE = ESCAPES.map((escape) => escape.replace('%', '%25'));

/** Whether a text stands for itself: section 3.6 leaves each of its characters as it is. */
export function isUnreserved(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (IS_UNRESERVED[text.charCodeAt(index)] !== 1) return false;
  }
  return true;
}

/**
 * Percent-encodes a text as RFC 5849 section 3.6 asks (stricter than `encodeURIComponent`, which leaves `!'()*`).
 *
 * A lone surrogate has no UTF-8 form. Putting U+FFFD in its place would sign and pay with a text that nobody wrote,
 * so it is refused with `OAUTH1_TEXT_MALFORMED`.
 */
export function percentEncode(text: string): string {
  return percentEncodeTwice(text).once;
}

/** `percentEncode(text)` and `percentEncode(percentEncode(text))` in one go. */
export function percentEncodeTwice(text: string): EncodedText {
  let once = '';
  let twice = '';
  let doneUpTo = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (IS_UNRESERVED[code] === 1) continue;
    const asItIs = text.slice(doneUpTo, index);
    doneUpTo = code < ASCII.length ? index + 1 : endOfNonAscii(text, index);
    const escaped = ESCAPES[code] ?? escapeNonAscii(text.slice(index, doneUpTo));
    once += asItIs + escaped;
    twice += asItIs + (ESCAPES_TWICE[code] ?? escaped.replaceAll('%', '%25'));
    index = doneUpTo - 1;
  }
  if (doneUpTo === 0) return { once: text, twice: text };
  const rest = text.slice(doneUpTo);
  return { once: once + rest, twice: twice + rest };
}

function endOfNonAscii(text: string, from: number): number {
  let end = from;
  while (text.charCodeAt(end) >= ASCII.length) end++;
  return end;
}

/** "1. Text values are first encoded as UTF-8 octets"; "2. The values are then escaped", here every one of them. */
function escapeNonAscii(text: string): string {
  if (text.isWellFormed()) return encodeURIComponent(text);
  throw new OAuth1Error('OAUTH1_TEXT_MALFORMED', 'A name or value holds a lone surrogate: send well-formed Unicode.');
}
