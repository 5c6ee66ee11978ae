// Reads the oauth_* parameters and every other signed pair out of a request (RFC 5849 sections 3.5 and 3.4.1.3.1).
// Written from the RFC text alone: it shares nothing with the worker's signer, so no mistake can hide in both.
import {
  decodeForm,
  type OctetPair,
  octetsOf,
  percentDecode,
  octetsOfText,
  percentEncodeOctets,
} from './percent-encoding.ts';

/** Why the parameters of a request could not be read. */
export type UnreadableReason =
  | 'missing-authorization'
  | 'malformed-authorization'
  | 'header-value-not-encoded'
  | 'malformed-encoding'
  | 'not-a-form'
  | 'repeated-oauth-parameter'
  | 'oauth-parameters-differ';

/** The parameters of a request, or why they cannot be read; `parameterName` is never a value. */
type ParametersReading =
  | {
      readonly kind: 'read';
      /** oauth_* by name, each once, whether it stood in the header, the body or both. */
      readonly oauth: ReadonlyMap<string, string>;
      /** Every other pair of query string, header and body; repeated names are kept. */
      readonly others: readonly OctetPair[];
      /** The body pairs that are not oauth_*: the fields of the operation. */
      readonly bodyFields: readonly OctetPair[];
    }
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason; readonly parameterName?: string };

const scheme = /^\s*OAuth\s+/i;
const headerPair = /\s*([^\s=,"]+)\s*=\s*"([^"]*)"\s*(?:,|$)/y;
const mustBeEncoded = /[^A-Za-z0-9\-._~%]/;

/** Collects header, query and body parameters of a request; nothing is verified yet. */
export function readParameters(request: SimulatedSignedRequest): ParametersReading {
  const header = readHeader(request.authorization);
  if (header.kind === 'unreadable') return header;
  // Only a form body is part of the signature; any other body would go unsigned.
  if (request.body.length > 0 && !isForm(request.contentType)) return { kind: 'unreadable', reason: 'not-a-form' };
  const query = decodeForm(request.target.split('?').slice(1).join('?'));
  const body = decodeForm(octetsOf(request.body));
  if (query === undefined || body === undefined) return { kind: 'unreadable', reason: 'malformed-encoding' };
  const oauth = new Map(header.pairs.filter(isOAuth));
  for (const pairs of [query, body]) {
    const problem = mergeOAuth(oauth, pairs.filter(isOAuth));
    if (problem !== undefined) return problem;
  }
  const others = [...query, ...header.pairs, ...body].filter((pair) => !isOAuth(pair));
  return { kind: 'read', oauth, others, bodyFields: body.filter((pair) => !isOAuth(pair)) };
}

/** Everything that the signature covers: all parameters but oauth_signature (realm was never one). */
export function signedPairsOf({ oauth, others }: Extract<ParametersReading, { kind: 'read' }>): readonly OctetPair[] {
  return [...oauth, ...others].filter(([name]) => name !== 'oauth_signature');
}

type HeaderReading = { kind: 'read'; pairs: OctetPair[] } | Extract<ParametersReading, { kind: 'unreadable' }>;

function readHeader(authorization: string | undefined): HeaderReading {
  if (authorization === undefined) return { kind: 'unreadable', reason: 'missing-authorization' };
  const start = scheme.exec(authorization);
  if (start === null) return { kind: 'unreadable', reason: 'malformed-authorization' };
  const pairs: OctetPair[] = [];
  headerPair.lastIndex = start[0].length;
  while (headerPair.lastIndex < authorization.length) {
    const [, rawName = '', rawValue = ''] = headerPair.exec(authorization) ?? [];
    if (rawName === '') return { kind: 'unreadable', reason: 'malformed-authorization' };
    if (rawName.toLowerCase() === 'realm') continue;
    // A gateway that form-decodes would read a bare + of a Base64 signature as a space: refused here, so it shows at home.
    if (mustBeEncoded.test(rawValue)) return unreadable('header-value-not-encoded', rawName);
    const name = percentDecode(rawName);
    const value = percentDecode(rawValue);
    if (name === undefined || value === undefined) return { kind: 'unreadable', reason: 'malformed-encoding' };
    if (pairs.some(([seen]) => seen === name)) return unreadable('repeated-oauth-parameter', name);
    pairs.push([name, value]);
  }
  return { kind: 'read', pairs };
}

/** Adds the pairs to the map; header and body may both hold a name, but only with one value. */
function mergeOAuth(oauth: Map<string, string>, pairs: readonly OctetPair[]) {
  const seenHere = new Set<string>();
  for (const [name, value] of pairs) {
    if (seenHere.has(name)) return unreadable('repeated-oauth-parameter', name);
    if ((oauth.get(name) ?? value) !== value) return unreadable('oauth-parameters-differ', name);
    seenHere.add(name);
    oauth.set(name, value);
  }
  return undefined;
}

function unreadable(reason: UnreadableReason, parameterName: string) {
  return { kind: 'unreadable', reason, parameterName } as const;
}

function isOAuth([name]: OctetPair): boolean {
  return name.startsWith('oauth_');
}

function isForm(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}

// The string that a signature covers (RFC 5849 section 3.4.1).

/** A request as the verifier reads it: nothing decoded, nothing normalised. */
export interface SimulatedSignedRequest {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  /** The Host header as the client sent it. */
  readonly host: string;
  /** The request target as it stood in the request line: path and query string. */
  readonly target: string;
  readonly contentType?: string;
  readonly authorization?: string;
  readonly body: Uint8Array;
}

const defaultPorts = { http: ':80', https: ':443' } as const;

/** Section 3.4.1.2: scheme and host in lower case, default port dropped, path as it was requested, no query. */
function baseStringUri(request: Pick<SimulatedSignedRequest, 'scheme' | 'host' | 'target'>): string {
  const host = request.host.toLowerCase();
  const defaultPort = defaultPorts[request.scheme];
  const authority = host.endsWith(defaultPort) ? host.slice(0, -defaultPort.length) : host;
  const path = request.target.split('?')[0] ?? '';
  return `${request.scheme}://${authority}${path === '' ? '/' : path}`;
}

/** Section 3.4.1.3.2: encode, then sort by encoded name and by encoded value (both ASCII, so this is octet order). */
function normalizedParameters(pairs: readonly OctetPair[]): string {
  return pairs
    .map(([name, value]) => ({ name: percentEncodeOctets(name), value: percentEncodeOctets(value) }))
    .sort((left, right) => compare(left.name, right.name) || compare(left.value, right.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join('&');
}

/** Section 3.4.1.1: method, URI and parameters, each encoded once more. `pairs` must not hold oauth_signature. */
export function baseStringOf(request: SimulatedSignedRequest, pairs: readonly OctetPair[]): string {
  const uri = percentEncodeOctets(octetsOfText(baseStringUri(request)));
  return `${request.method.toUpperCase()}&${uri}&${percentEncodeOctets(normalizedParameters(pairs))}`;
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
