// RFC 5849 from request to signed request: the stages in the order of the document, each one visible in the result.
import { authorizationHeader } from './authorization-header.ts';
import { collectParameters, type ProtocolParameters } from './collect-parameters.ts';
import { formBody, normalizeParameters, type Parameter } from './normalize-parameters.ts';
import { parseRequestUrl } from './request-url.ts';
import { signatureBaseString } from './signature-base-string.ts';
import type { SignatureMethodName } from './signature-method-names.ts';
import { SIGNATURE_METHODS } from './signature-methods.ts';
import type { SigningKey } from './signing-key.ts';

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
