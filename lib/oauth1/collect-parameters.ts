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

/** The pairs that a caller gave, taken apart. */
export interface GivenParameters {
  readonly bodyNames: readonly string[];
  /** What differs from request to request: the body's values, then nonce and timestamp. */
  readonly values: readonly string[];
  /** Such as `oauth_callback`: signed and put into the header. */
  readonly furtherProtocolParameters: readonly Parameter[];
}

/** The names and values of section 3.1. */
export function protocolParameters(protocol: ProtocolParameters): Parameter[] {
  const { consumerKey, nonce, signatureMethod, timestamp, token, oauthVersion = '1.0' } = protocol;
  return [
    ['oauth_consumer_key', consumerKey],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', signatureMethod],
    ['oauth_timestamp', timestamp],
    ...(token === undefined ? [] : [['oauth_token', token] as const]),
    ...(oauthVersion === null ? [] : [['oauth_version', oauthVersion] as const]),
  ];
}

/** Takes body and protocol parameters apart. */
export function collectGivenParameters(params: readonly Parameter[], protocol: ProtocolParameters): GivenParameters {
  const bodyNames: string[] = [];
  const values: string[] = [];
  for (const parameter of params) {
    if (isProtocolParameter(parameter)) continue;
    bodyNames.push(parameter[0]);
    values.push(parameter[1]);
  }
  values.push(protocol.nonce, protocol.timestamp);
  const furtherProtocolParameters = bodyNames.length === params.length ? [] : furtherThan(protocol, params);
  return { bodyNames, values, furtherProtocolParameters };
}

/** Section 3.1: "Parameters MUST NOT appear more than once per request", so one that is given and made counts once. */
function furtherThan(protocol: ProtocolParameters, params: readonly Parameter[]): readonly Parameter[] {
  const values = new Map(protocolParameters(protocol));
  const further: Parameter[] = [];
  for (const [name, value] of params.filter(isProtocolParameter)) {
    // "The "oauth_signature" parameter MUST be excluded from the signature base string if present."
    if (name === 'oauth_signature') continue;
    const known = values.get(name);
    if (known === undefined) further.push([name, value]);
    else if (known !== value) {
      throw new OAuth1Error('OAUTH1_PARAMETER_CONFLICT', `${name} is given twice, with different values.`);
    }
    values.set(name, value);
  }
  return further;
}

function isProtocolParameter([name]: Parameter): boolean {
  return name.startsWith('oauth_');
}
