// RFC 5849 from request to signed request: the stages in the order of the document, each one visible in the result.
import { authorizationHeader } from './authorization-header.ts';
import { OAuth1Error } from './errors.ts';
import { encodeParameters, joinParameters, sortParameters } from './normalize-parameters.ts';
import type { Parameter } from './normalize-parameters.ts';
import { percentEncode } from './percent-encode.ts';
import { parseRequestUrl } from './request-url.ts';
import { signatureBaseString } from './signature-base-string.ts';
import { SIGNATURE_METHODS } from './signature-methods.ts';
import type { SignatureMethodName } from './signature-methods.ts';
import type { SigningKey } from './signing-key.ts';

/** A request to be signed. Nonce and timestamp are given, never made here: this folder has no clock and no chance. */
export interface RequestToSign {
  readonly method: string;
  readonly url: string;
  /**
   * The form body's pairs, decoded. An `oauth_*` among them (such as `oauth_callback`) is a protocol parameter:
   * signed and put into the header. It may repeat one that is made here with the same value, which counts once.
   */
  readonly params: readonly Parameter[];
  readonly consumerKey: string;
  readonly signatureMethod: SignatureMethodName;
  readonly key: SigningKey;
  /** Unique for all requests with the same timestamp (section 3.3). */
  readonly nonce: string;
  /** Whole seconds since 1970 as text (section 3.3). */
  readonly timestamp: string;
  readonly realm?: string;
  readonly token?: string;
  readonly tokenSecret?: string;
  /** Default `1.0`; null leaves `oauth_version` out (section 3.1: it is optional). */
  readonly oauthVersion?: string | null;
}

/** Each stage of the signature, so that a vector can tell which one broke. */
export interface SignedRequest {
  /** The URL that must be requested, exactly. */
  readonly url: string;
  /** The normalised parameters (section 3.4.1.3.2). */
  readonly parameters: string;
  readonly baseString: string;
  /** Base64. */
  readonly signature: string;
  readonly authorization: string;
  /** The form body, `application/x-www-form-urlencoded`; a space is `%20`, never `+`. Pure ASCII. */
  readonly body: string;
}

/** Signs one request: RFC 5849 section 3, stage by stage. */
export async function signRequest(request: RequestToSign): Promise<SignedRequest> {
  const method = SIGNATURE_METHODS[request.signatureMethod];
  const { url, baseStringUri, queryParameters } = parseRequestUrl(request.url);
  const protocolParameters = encodeParameters(collectProtocolParameters(request));
  const bodyParameters = encodeParameters(request.params.filter(([name]) => !name.startsWith('oauth_')));
  const signedParameters = [...encodeParameters(queryParameters), ...bodyParameters, ...protocolParameters];

  const parameters = joinParameters(sortParameters(signedParameters));
  const baseString = signatureBaseString(request.method, baseStringUri, parameters);
  const signature = await method.sign(baseString, request.key, request.tokenSecret ?? '');

  const signatureParameter = { name: 'oauth_signature', value: percentEncode(signature) };
  const authorization = authorizationHeader([...protocolParameters, signatureParameter], request.realm);
  const repeated = method.repeatsProtocolParametersInBody ? protocolParameters : [];
  const body = joinParameters([...bodyParameters, ...repeated]);
  return { url, parameters, baseString, signature, authorization, body };
}

/**
 * Section 3.1: the `oauth_*` parameters of the request, without the signature, each once ("Parameters MUST NOT
 * appear more than once per request").
 */
function collectProtocolParameters(request: RequestToSign): Parameter[] {
  const { consumerKey, nonce, signatureMethod, timestamp, token, oauthVersion = '1.0' } = request;
  const collected = new Map([
    ['oauth_consumer_key', consumerKey],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', signatureMethod],
    ['oauth_timestamp', timestamp],
  ]);
  if (token !== undefined) collected.set('oauth_token', token);
  if (oauthVersion !== null) collected.set('oauth_version', oauthVersion);
  for (const [name, value] of request.params) {
    // "The "oauth_signature" parameter MUST be excluded from the signature base string if present."
    if (!name.startsWith('oauth_') || name === 'oauth_signature') continue;
    if ((collected.get(name) ?? value) !== value) {
      throw new OAuth1Error('OAUTH1_PARAMETER_CONFLICT', `${name} is given twice, with different values.`);
    }
    collected.set(name, value);
  }
  return [...collected];
}
