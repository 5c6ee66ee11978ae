// RFC 5849 sections 3.1, 3.4.1.3 and 3.6: the parameters of a request, by where they travel; the one percent-encoding, used
// for signing, for the header and for the form body; and the one normalised text that both sides can rebuild.
import { OAuth1Error } from './vocabulary.ts';

/** "ALPHA, DIGIT, "-", ".", "_", "~" MUST NOT be encoded." Most names and values hold nothing else. */
const unreserved = /^[A-Za-z0-9\-._~]*$/;

/**
 * Percent-encodes a text as RFC 5849 section 3.6 asks: "All other characters MUST be encoded", five more than
 * `encodeURIComponent` does.
 *
 * A lone surrogate has no UTF-8 form: `OAUTH1_TEXT_MALFORMED`. Replacing it by U+FFFD would pay with a text that was never
 * written.
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

/** A decoded name and value. Order and repetition are kept: a name may occur many times (section 3.4.1.3.1). */
export type Parameter = readonly [name: string, value: string];

/** Section 3.4.1.3.2 step 1: "the name and value of each parameter are encoded". */
function encodeParameters(parameters: readonly Parameter[]): Parameter[] {
  return parameters.map(([name, value]) => [percentEncode(name), percentEncode(value)]);
}

/**
 * Sections 3.4.1.3.2 steps 1 and 2: encoded, then by name in ascending byte order, equal names by value. Encoded text
 * is ASCII, so that comparing UTF-16 units is comparing bytes.
 */
export function encodedAndSorted(parameters: readonly Parameter[]): Parameter[] {
  return encodeParameters(parameters).sort(
    ([name, value], [otherName, otherValue]) => compared(name, otherName) || compared(value, otherValue),
  );
}

/** Section 3.4.1.3.2: collected parameters in, the normalised parameter string out; `name=` for an empty value. */
export function normalizeParameters(parameters: readonly Parameter[]): string {
  return joined(encodedAndSorted(parameters));
}

/** The form body: the same encoding, in the order that was given. */
export function formBody(parameters: readonly Parameter[]): string {
  return joined(encodeParameters(parameters));
}

const joined = (encoded: readonly Parameter[]) => encoded.map(([name, value]) => `${name}=${value}`).join('&');
const compared = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** The protocol parameters of section 3.1, but for `oauth_signature`. */
export interface ProtocolParameters {
  readonly consumerKey: string;
  /** Unique for all requests with the same timestamp (section 3.3). */
  readonly nonce: string;
  readonly signatureMethod: string;
  /** Whole seconds since 1970 as text (section 3.3). */
  readonly timestamp: string;
  readonly token?: string | undefined;
  /** Default `1.0`; null leaves `oauth_version` out, which is optional. */
  readonly oauthVersion?: string | null | undefined;
}

/** The signed parameters; each is in exactly one list. */
interface CollectedParameters {
  readonly query: readonly Parameter[];
  readonly body: readonly Parameter[];
  /** Goes into the header. */
  readonly protocol: readonly Parameter[];
}

/** Collects the parameters of the URL's query, of the body, and the protocol's own. */
export function collectParameters(
  { query, params }: { readonly query: readonly Parameter[]; readonly params: readonly Parameter[] },
  given: ProtocolParameters,
): CollectedParameters {
  const protocol = new Map(protocolParameters(given));
  for (const [name, value] of params) {
    // "The "oauth_signature" parameter MUST be excluded from the signature base string if present."
    if (!isProtocolParameter(name) || name === 'oauth_signature') continue;
    // Section 3.1: "Parameters MUST NOT appear more than once per request", so a parameter that is both given and made counts once.
    if ((protocol.get(name) ?? value) !== value) {
      throw new OAuth1Error('OAUTH1_PARAMETER_CONFLICT', `${name} is given twice, with different values.`);
    }
    protocol.set(name, value);
  }
  const repeated = query.find(([name]) => protocol.has(name));
  if (repeated !== undefined) {
    throw new OAuth1Error('OAUTH1_PARAMETER_CONFLICT', `${repeated[0]} is in the URL's query and in the header.`);
  }
  return {
    query: query.filter(([name]) => name !== 'oauth_signature'),
    body: params.filter(([name]) => !isProtocolParameter(name)),
    protocol: [...protocol],
  };
}

/** The names and values of section 3.1. */
function protocolParameters(given: ProtocolParameters): Parameter[] {
  const { consumerKey, nonce, signatureMethod, timestamp, token, oauthVersion = '1.0' } = given;
  return [
    ['oauth_consumer_key', consumerKey],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', signatureMethod],
    ['oauth_timestamp', timestamp],
    ...(token === undefined ? [] : [['oauth_token', token] as const]),
    ...(oauthVersion === null ? [] : [['oauth_version', oauthVersion] as const]),
  ];
}

const isProtocolParameter = (name: string) => name.startsWith('oauth_');
