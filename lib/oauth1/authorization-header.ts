// RFC 5849 section 3.5.1: the Authorization header.
import { OAuth1Error } from './errors.ts';
import type { EncodedParameter } from './normalize-parameters.ts';
import { sortParameters } from './normalize-parameters.ts';

/**
 * Section 3.5.1: `OAuth ` and the protocol parameters as `name="value"`, sorted by name, joined by comma and space.
 * Names and values come in encoded ("encoded per Parameter Encoding", section 3.6), the Base64 signature as well.
 */
export function authorizationHeader(protocolParameters: readonly EncodedParameter[], realm?: string): string {
  // "The OPTIONAL "realm" parameter MAY be added": it is never signed, and goes first.
  let pairs = realm === undefined ? '' : `realm=${quoteRealm(realm)}`;
  for (const { name, value } of sortParameters(protocolParameters)) {
    pairs += `${pairs === '' ? '' : ', '}${name}="${value}"`;
  }
  return `OAuth ${pairs}`;
}

/**
 * The realm is "interpreted per [RFC2617] Section 1.2", so it is a quoted-string and not percent-encoded. Control
 * characters could split the header, and beyond ASCII header text has no agreed charset: both are refused.
 */
function quoteRealm(realm: string): string {
  if (!/^[ -~]*$/.test(realm)) {
    throw new OAuth1Error('OAUTH1_REALM_INVALID', 'The realm may hold printable ASCII only.');
  }
  return `"${realm.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
