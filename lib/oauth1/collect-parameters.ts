// RFC 5849 sections 3.1 and 3.4.1.3.1: the parameters of a request, by where they travel.
import { OAuth1Error } from './errors.ts';
import type { Parameter } from './normalize-parameters.ts';

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

/** All that is signed; each parameter stands in one of the three. */
export interface CollectedParameters {
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
    // Section 3.1: "Parameters MUST NOT appear more than once per request", so one that is given and made counts once.
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
