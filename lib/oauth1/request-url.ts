// RFC 5849 sections 3.4.1.2 and 3.4.1.3.1: what of the URL is signed, and the URL that must then be requested.
import { OAuth1Error } from './errors.ts';
import type { Parameter } from './normalize-parameters.ts';

/** A URL taken apart once. */
export interface RequestUrl {
  /** What the caller must request: the signed URL and its query, without the fragment, which is never sent. */
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
 * Takes an http or https URL apart without rewriting its path. Refuses what cannot be requested as it was signed:
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
