// RFC 5849 section 3.6: the one percent-encoding, used for signing, for the header and for the form body.
import { OAuth1Error } from './errors.ts';

/** "ALPHA, DIGIT, "-", ".", "_", "~" MUST NOT be encoded." Most names and values hold nothing else. */
const unreserved = /^[A-Za-z0-9\-._~]*$/;

/**
 * Percent-encodes a text as RFC 5849 section 3.6 asks: "All other characters MUST be encoded", five more than
 * `encodeURIComponent` does.
 *
 * A lone surrogate has no UTF-8 form. Putting U+FFFD in its place would sign and pay with a text that nobody wrote,
 * so it is refused with `OAUTH1_TEXT_MALFORMED`.
 */
export function percentEncode(text: string): string {
  if (unreserved.test(text)) return text;
  if (!text.isWellFormed()) {
    throw new OAuth1Error('OAUTH1_TEXT_MALFORMED', 'A name or value holds a lone surrogate: send well-formed Unicode.');
  }
  return encodeURIComponent(text).replace(/[!'()*]/g, escaped);
}

/** "The two hexadecimal characters used to represent encoded characters MUST be uppercase." */
function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
