// RFC 5849 sections 3.1 and 3.4.1.3.1: the parameters of one request, sorted by where they travel.
import { OAuth1Error } from './errors.ts';
import type { Parameter } from './normalize-parameters.ts';

/** Where the parameters of a request come from. Nonce and timestamp are given, never made: here is no clock. */
export interface ParameterSources {
  /**
   * The form body's pairs, decoded. An `oauth_*` among them (such as `oauth_callback`) is a protocol parameter:
   * signed and put into the header. It may repeat one that is made here with the same value, which counts once.
   */
  readonly params: readonly Parameter[];
  readonly consumerKey: string;
  /** Unique for all requests with the same timestamp (section 3.3). */
  readonly nonce: string;
  readonly signatureMethod: string;
  /** Whole seconds since 1970 as text (section 3.3). */
  readonly timestamp: string;
  readonly token?: string;
  /** Default `1.0`; null leaves `oauth_version` out (section 3.1: it is optional). */
  readonly oauthVersion?: string | null;
}

/** All parameters of a request but those of its URL: the body's in their order, then the protocol's. Not encoded. */
export interface CollectedParameters {
  readonly names: readonly string[];
  readonly values: readonly string[];
  readonly bodyCount: number;
}

/** Takes body and protocol parameters apart; `oauth_signature` belongs to neither, wherever it comes from. */
export function collectParameters(sources: ParameterSources): CollectedParameters {
  const names: string[] = [];
  const values: string[] = [];
  for (const [name, value] of sources.params) {
    if (isProtocolName(name)) continue;
    names.push(name);
    values.push(value);
  }
  const bodyCount = names.length;
  for (const [name, value] of protocolParameters(sources, bodyCount < sources.params.length)) {
    names.push(name);
    values.push(value);
  }
  return { names, values, bodyCount };
}

function protocolParameters(sources: ParameterSources, hasGiven: boolean): readonly Parameter[] {
  const { consumerKey, nonce, signatureMethod, timestamp, token, oauthVersion = '1.0' } = sources;
  const parameters: Parameter[] = [
    ['oauth_consumer_key', consumerKey],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', signatureMethod],
    ['oauth_timestamp', timestamp],
  ];
  if (token !== undefined) parameters.push(['oauth_token', token]);
  if (oauthVersion !== null) parameters.push(['oauth_version', oauthVersion]);
  return hasGiven ? withGivenProtocolParameters(parameters, sources.params) : parameters;
}

/** Section 3.1: "Parameters MUST NOT appear more than once per request", so one that is given and made counts once. */
function withGivenProtocolParameters(made: readonly Parameter[], params: readonly Parameter[]): readonly Parameter[] {
  const all = [...made];
  for (const [name, value] of params) {
    // "The "oauth_signature" parameter MUST be excluded from the signature base string if present."
    if (!isProtocolName(name) || name === 'oauth_signature') continue;
    const same = all.find(([knownName]) => knownName === name);
    if (same === undefined) all.push([name, value]);
    else if (same[1] !== value) {
      throw new OAuth1Error('OAUTH1_PARAMETER_CONFLICT', `${name} is given twice, with different values.`);
    }
  }
  return all;
}

function isProtocolName(name: string): boolean {
  return name.startsWith('oauth_');
}
