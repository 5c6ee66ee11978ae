// Percent-encoding and form decoding on raw octets (RFC 5849 sections 3.6 and 3.4.1.3.1).
// Octets travel as "byte strings", one octet per UTF-16 unit, so that a signature can be checked
// whatever charset a client believed in, and plain string order is octet order.

/** A decoded name and value, both byte strings. */
export type OctetPair = readonly [name: string, value: string];

const reservedOctet = /[^A-Za-z0-9\-._~]/g;
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;
const escape = /%([0-9A-Fa-f]{2})/g;

/** Encodes a byte string: unreserved characters stay, every other octet becomes %XX in upper case. */
export function percentEncodeOctets(octets: string): string {
  return octets.replaceAll(
    reservedOctet,
    (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** Decodes %XX to octets; `undefined` when a percent sign starts no escape. A `+` stays a `+`. */
export function percentDecode(text: string): string | undefined {
  if (brokenEscape.test(text)) return undefined;
  return text.replaceAll(escape, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Decodes form text (a body or a query string), where a space is `+` or `%20`; `undefined` when an escape is broken. */
export function decodeForm(text: string): readonly OctetPair[] | undefined {
  const pairs: OctetPair[] = [];
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equalsAt = part.indexOf('=');
    const name = formDecode(equalsAt === -1 ? part : part.slice(0, equalsAt));
    const value = formDecode(equalsAt === -1 ? '' : part.slice(equalsAt + 1));
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return pairs;
}

function formDecode(text: string): string | undefined {
  return percentDecode(text.replaceAll('+', ' '));
}

/** The octets of a buffer as a byte string. */
export function octetsOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

/** The UTF-8 octets of a text as a byte string. */
export function octetsOfText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Reads a byte string as UTF-8; `undefined` when the octets are no UTF-8. */
export function textOfOctets(octets: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(octets, 'latin1'));
  } catch {
    return undefined;
  }
}
