// RFC 5849 section 3.5.1: the Authorization header.
import { OAuth1Error } from './errors.ts';
import { encodedAndSorted, type Parameter } from './normalize-parameters.ts';

/**
 * Section 3.5.1: `OAuth ` and the protocol parameters as `name="value"`, each encoded (section 3.6), sorted by name,
 * joined by comma and space.
 */
export function authorizationHeader(protocolParameters: readonly Parameter[], realm?: string): string {
  const pairs = encodedAndSorted(protocolParameters).map(([name, value]) => `${name}="${value}"`);
  // "The OPTIONAL "realm" parameter MAY be added": it is never signed, and goes first.
  return `OAuth ${[...(realm === undefined ? [] : [`realm=${quoteRealm(realm)}`]), ...pairs].join(', ')}`;
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
