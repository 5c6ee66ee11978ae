// A request as it came from the wire, and the string its signature covers (RFC 5849 section 3.4.1).
import { type OctetPair, octetsOfText, percentEncodeOctets } from './percent-encoding.ts';

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
