// RFC 5849 from request to signed request: the stages in the order of the document, each one visible in the result.
import {
  collectParameters,
  encodedAndSorted,
  formBody,
  normalizeParameters,
  type Parameter,
  percentEncode,
  type ProtocolParameters,
} from './parameters.ts';
import type { SigningKey } from './signing-key.ts';
import { SIGNATURE_METHODS } from './signature-methods.ts';
import { type SignatureMethodName, OAuth1Error } from './vocabulary.ts';

/** A request to be signed. Nonce and timestamp are given, never made: this folder has no clock and no randomness. */
export interface RequestToSign extends ProtocolParameters {
  readonly method: string;
  /** May hold a query, which is signed as well. */
  readonly url: string;
  /**
   * The form body's pairs, decoded. An `oauth_*` among them (such as `oauth_callback`) is a protocol parameter:
   * signed and put into the header. It may repeat one that is made here with the same value, which counts once.
   */
  readonly params: readonly Parameter[];
  readonly signatureMethod: SignatureMethodName;
  readonly key: SigningKey;
  readonly tokenSecret?: string;
  /** Put first into the header, never signed. */
  readonly realm?: string;
}

/** Each stage of the signature, so that a vector can tell which one broke. */
export interface SignedRequest {
  /** The URL that must be requested, exactly. */
  readonly url: string;
  /** Section 3.4.1.3.2: the normalised parameters. */
  readonly parameters: string;
  /** Section 3.4.1.1. */
  readonly baseString: string;
  /** Base64. */
  readonly signature: string;
  readonly authorization: string;
  /** The form body, `application/x-www-form-urlencoded`; a space is `%20`, never `+`. Pure ASCII. */
  readonly body: string;
}

/** Signs one request: RFC 5849 section 3, stage by stage. */
export async function signRequest(request: RequestToSign): Promise<SignedRequest> {
  const { sign, repeatsProtocolParametersInBody } = SIGNATURE_METHODS[request.signatureMethod];
  const { url, baseStringUri, queryParameters } = parseRequestUrl(request.url);
  const { query, body, protocol } = collectParameters({ query: queryParameters, params: request.params }, request);
  const parameters = normalizeParameters([...query, ...body, ...protocol]);
  const baseString = signatureBaseString(request.method, baseStringUri, parameters);
  const signature = await sign(baseString, request.key, request.tokenSecret ?? '');
  return {
    url,
    parameters,
    baseString,
    signature,
    authorization: authorizationHeader([...protocol, ['oauth_signature', signature]], request.realm),
    body: formBody(repeatsProtocolParametersInBody ? [...body, ...protocol] : body),
  };
}

// RFC 5849 sections 3.4.1.2 and 3.4.1.3.1: the signed part of the URL, and the URL that must then be requested.

/** The parts of a URL. */
interface RequestUrl {
  /** The URL that the caller must request: the signed URL and its query, without the fragment, which is never sent. */
  readonly url: string;
  /** The base string URI of section 3.4.1.2, not yet encoded. */
  readonly baseStringUri: string;
  /** The query's pairs, decoded (section 3.4.1.3.1). */
  readonly queryParameters: readonly Parameter[];
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

// scheme "://" host [":" port] path ["?" query] ["#" fragment]
const HTTP_URL =
  /^(?<scheme>https?):\/\/(?<host>[\w.~-]+|\[[\da-f:.]+\])(?::(?<port>\d*))?(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?(?:#.*)?$/i;

// Anything else would be percent-encoded by the HTTP client, after the signing.
const VISIBLE_ASCII = /^[!-~]*$/;

/**
 * Parses an http or https URL without rewriting its path. Throws on a URL that cannot be requested as it was signed:
 * user information, characters outside of visible ASCII, dot segments that a client would resolve away.
 */
export function parseRequestUrl(url: string): RequestUrl {
  const parts = VISIBLE_ASCII.test(url) ? HTTP_URL.exec(url)?.groups : undefined;
  if (parts === undefined) {
    throw new OAuth1Error(
      'OAUTH1_URL_INVALID',
      'The URL must be http:// or https://, without user information, percent-encoded to visible ASCII.',
    );
  }
  const { scheme = '', host = '', port = '', path = '/', query } = parts;
  const baseStringUri = buildBaseStringUri(scheme, host, port, path);
  return {
    url: query === undefined ? baseStringUri : `${baseStringUri}?${query}`,
    baseStringUri,
    queryParameters: parseQuery(query ?? ''),
  };
}

/** Section 3.4.1.2: scheme, authority and path of the request; query and fragment are not part of it. */
function buildBaseStringUri(givenScheme: string, givenHost: string, port: string, path: string): string {
  // "The scheme and host MUST be in lowercase." Path case and path escapes stay as given.
  const scheme = givenScheme.toLowerCase();
  const host = givenHost.toLowerCase();
  // "The port MUST be included if it is not the default port for the scheme, and MUST be excluded if it is."
  const authority = port === '' || port === DEFAULT_PORTS[scheme] ? host : `${host}:${port}`;
  const baseStringUri = `${scheme}://${authority}${path}`;
  refuseIfRequestedOtherwise(baseStringUri);
  return baseStringUri;
}

/** An HTTP client resolves dot segments and rewrites addresses; the server would then check another URI than ours. */
function refuseIfRequestedOtherwise(baseStringUri: string): void {
  if (!URL.canParse(baseStringUri)) throw new OAuth1Error('OAUTH1_URL_INVALID', 'The host or port cannot exist.');
  const { origin, pathname } = new URL(baseStringUri);
  if (origin + pathname === baseStringUri) return;
  throw new OAuth1Error(
    'OAUTH1_URL_INVALID',
    `The URL would be requested as ${origin}${pathname}: give it in that form.`,
  );
}

/** Section 3.4.1.3.1: the query is read as `application/x-www-form-urlencoded`, where `+` is a space. */
function parseQuery(query: string): Parameter[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equalsAt = pair.indexOf('=');
      return equalsAt === -1
        ? [decodeForm(pair), '']
        : [decodeForm(pair.slice(0, equalsAt)), decodeForm(pair.slice(equalsAt + 1))];
    });
}

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new OAuth1Error('OAUTH1_URL_INVALID', 'The query of the URL holds a malformed percent-escape.');
  }
}

/**
 * Section 3.4.1.1: METHOD & base string URI & normalised parameters, each part encoded once more.
 * A space in a value is therefore `%2520` here: encoded as a value, then again as part of the parameter string.
 */
export function signatureBaseString(method: string, baseStringUri: string, normalizedParameters: string): string {
  // "1. The HTTP request method in uppercase."  "3. The base string URI … after being encoded."
  // "5. The request parameters as normalized …, after being encoded."
  return [method.toUpperCase(), baseStringUri, normalizedParameters].map(percentEncode).join('&');
}

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
