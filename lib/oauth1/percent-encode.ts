// RFC 5849 section 3.6: the one percent-encoding, used for signing, for the header and for the form body.
import { OAuth1Error } from './errors.ts';

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
let encoded = Buffer.alloc(0);
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
  return isUnreserved(text) ? text : encodeOctets(text, 'once');
}

/** `percentEncode(percentEncode(text))` in one go: the form that a value has in the signature base string. */
export function percentEncodeTwice(text: string): string {
  return isUnreserved(text) ? text : encodeOctets(text, 'twice');
}

/** Section 3.6: "Text values are first encoded as UTF-8 octets", "the values are then escaped". */
function encodeOctets(text: string, times: 'once' | 'twice'): string {
  if (!text.isWellFormed()) {
    throw new OAuth1Error('OAUTH1_TEXT_MALFORMED', 'A name or value holds a lone surrogate: send well-formed Unicode.');
  }
  growTo(text.length);
  const octetCount = octets.write(text, 'utf8');
  const target = encoded;
  let length = 0;
  for (let index = 0; index < octetCount; index++) {
    const octet = octets[index] ?? 0;
    if (IS_UNRESERVED[octet] === 1) {
      target[length++] = octet;
      continue;
    }
    target[length++] = PERCENT;
    if (times === 'twice') {
      // Of an encoded text only the percent signs are not unreserved: `%2F` becomes `%252F`.
      target[length++] = DIGIT_2;
      target[length++] = DIGIT_5;
    }
    target[length++] = HEX_DIGITS[octet >> 4] ?? 0;
    target[length++] = HEX_DIGITS[octet & 0b1111] ?? 0;
  }
  return target.toString('latin1', 0, length);
}

function growTo(textLength: number): void {
  // A UTF-16 unit takes at most three octets, and an octet at most five characters (encoded twice).
  if (textLength * 3 <= octets.length) return;
  octets = Buffer.alloc(textLength * 3);
  encoded = Buffer.alloc(textLength * 15);
}
