// RFC 5849 section 3.6: the one percent-encoding, used for signing, for the header and for the form body.
import { OAuth1Error } from './errors.ts';

/**
 * Percent-encodes a text as RFC 5849 section 3.6 asks: "ALPHA, DIGIT, "-", ".", "_", "~" MUST NOT be encoded. All other
 * characters MUST be encoded." `encodeURIComponent` leaves five of those others alone.
 *
 * A lone surrogate has no UTF-8 form. Putting U+FFFD in its place would sign and pay with a text that nobody wrote,
 * so it is refused with `OAUTH1_TEXT_MALFORMED`.
 */
export function percentEncode(text: string): string {
  if (!text.isWellFormed()) {
    throw new OAuth1Error('OAUTH1_TEXT_MALFORMED', 'A name or value holds a lone surrogate: send well-formed Unicode.');
  }
  return encodeURIComponent(text).replace(/[!'()*]/g, escaped);
}

/** "The two hexadecimal characters used to represent encoded characters MUST be uppercase." */
function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
