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

/** One entry per octet: 1 where the octet stands for itself. */
const IS_UNRESERVED = new Uint8Array(256);
for (const octet of Buffer.from(UNRESERVED)) IS_UNRESERVED[octet] = 1;

// "The two hexadecimal characters used to represent encoded characters MUST be uppercase."
const HEX_DIGITS = Buffer.from('0123456789ABCDEF');
const PERCENT = 0x25;
const DIGIT_2 = 0x32;
const DIGIT_5 = 0x35;

// Kept between calls, because making them costs more than the encoding; nothing here waits, so no two calls meet.
let octets = Buffer.alloc(0);
let once = Buffer.alloc(0);
let twice = Buffer.alloc(0);
growTo(1024);

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
  return isUnreserved(text) ? text : percentEncodeTwice(text).once;
}

/** `percentEncode(text)` and `percentEncode(percentEncode(text))` in one go. */
export function percentEncodeTwice(text: string): EncodedText {
  if (!text.isWellFormed()) {
    throw new OAuth1Error('OAUTH1_TEXT_MALFORMED', 'A name or value holds a lone surrogate: send well-formed Unicode.');
  }
  growTo(text.length);
  // "1. Text values are first encoded as UTF-8 octets"; "2. The values are then escaped".
  const octetCount = octets.write(text, 'utf8');
  let onceLength = 0;
  let twiceLength = 0;
  for (let index = 0; index < octetCount; index++) {
    const octet = octets[index] ?? 0;
    if (IS_UNRESERVED[octet] === 1) {
      once[onceLength++] = octet;
      twice[twiceLength++] = octet;
      continue;
    }
    const high = HEX_DIGITS[octet >> 4] ?? 0;
    const low = HEX_DIGITS[octet & 0b1111] ?? 0;
    once[onceLength++] = PERCENT;
    once[onceLength++] = high;
    once[onceLength++] = low;
    // Of an encoded text only the percent signs are not unreserved: `%2F` becomes `%252F`.
    twice[twiceLength++] = PERCENT;
    twice[twiceLength++] = DIGIT_2;
    twice[twiceLength++] = DIGIT_5;
    twice[twiceLength++] = high;
    twice[twiceLength++] = low;
  }
  return { once: once.toString('latin1', 0, onceLength), twice: twice.toString('latin1', 0, twiceLength) };
}

function growTo(textLength: number): void {
  // A UTF-16 unit takes at most three octets, an octet three characters, and five when encoded twice.
  if (textLength * 3 <= octets.length) return;
  octets = Buffer.alloc(textLength * 3);
  once = Buffer.alloc(textLength * 9);
  twice = Buffer.alloc(textLength * 15);
}
