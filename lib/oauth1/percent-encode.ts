// RFC 5849 section 3.6: the one percent-encoding, used for signing, for the header and for the form body.
import { OAuth1Error } from './errors.ts';

const ASCII_LIMIT = 0x80;

/** Section 3.6: "ALPHA, DIGIT, "-", ".", "_", "~" MUST NOT be encoded"; '' marks those, the rest have their escape. */
const ESCAPE_BY_CODE: readonly string[] = Array.from({ length: ASCII_LIMIT }, (_, code) =>
  /[A-Za-z0-9\-._~]/.test(String.fromCharCode(code))
    ? ''
    : // "The two hexadecimal characters used to represent encoded characters MUST be uppercase."
      `%${code.toString(16).toUpperCase().padStart(2, '0')}`,
);

/**
 * Percent-encodes a text as RFC 5849 section 3.6 asks (stricter than `encodeURIComponent`, which leaves `!'()*`).
 *
 * A lone surrogate has no UTF-8 form. Putting U+FFFD in its place would sign and pay with a text that nobody wrote,
 * so it is refused with `OAUTH1_TEXT_MALFORMED`.
 */
export function percentEncode(text: string): string {
  let encoded = '';
  let copiedUpTo = 0;
  for (let index = 0; index < text.length; index++) {
    const escape = ESCAPE_BY_CODE[text.charCodeAt(index)];
    if (escape === '') continue;
    const next = escape === undefined ? endOfNonAsciiRun(text, index) : index + 1;
    encoded += text.slice(copiedUpTo, index) + (escape ?? encodeNonAscii(text.slice(index, next)));
    copiedUpTo = next;
    index = next - 1;
  }
  return copiedUpTo === 0 ? text : encoded + text.slice(copiedUpTo);
}

function endOfNonAsciiRun(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text.charCodeAt(end) >= ASCII_LIMIT) end++;
  return end;
}

function encodeNonAscii(run: string): string {
  if (!run.isWellFormed()) {
    throw new OAuth1Error('OAUTH1_TEXT_MALFORMED', 'A name or value holds a lone surrogate: send well-formed Unicode.');
  }
  // "Text values are first encoded as UTF-8 octets": beyond ASCII the platform's own encoder does exactly that.
  return encodeURIComponent(run);
}
