// RFC 5849 from request to signed request: the stages in the order of the document, each one visible in the result.
import { collectGivenParameters } from './collect-parameters.ts';
import type { ProtocolParameters } from './collect-parameters.ts';
import { formFor } from './kept-forms.ts';
import type { Parameter } from './normalize-parameters.ts';
import { percentEncode } from './percent-encode.ts';
import { encodeValues } from './request-form.ts';
import { SIGNATURE_METHODS } from './signature-methods.ts';
import type { SignatureMethodName } from './signature-methods.ts';
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
  /** Section 3.4.1.1; `normalizedParametersOf` reads the parameters back out of it. */
  readonly baseString: string;
  /** Base64. */
  readonly signature: string;
  readonly authorization: string;
  /** The form body, `application/x-www-form-urlencoded`; a space is `%20`, never `+`. Pure ASCII. */
  readonly body: string;
}

/** Signs one request: RFC 5849 section 3, stage by stage. */
export async function signRequest(request: RequestToSign): Promise<SignedRequest> {
  const { method, url, realm, signatureMethod, consumerKey, token, oauthVersion } = request;
  const { bodyNames, values, furtherProtocolParameters } = collectGivenParameters(request.params, request);
  const form = formFor({
    method,
    url,
    realm,
    signatureMethod,
    consumerKey,
    token,
    oauthVersion,
    bodyNames,
    furtherProtocolParameters,
  });
  const encodedValues = encodeValues(values);

  const baseString = form.textToSign(encodedValues);
  const signing = SIGNATURE_METHODS[signatureMethod].sign(baseString, request.key, request.tokenSecret ?? '');
  // HMAC answers at once; awaiting its text would give the turn away for nothing.
  const signature = typeof signing === 'string' ? signing : await signing;

  const { authorization, body } = form.message(encodedValues, percentEncode(signature));
  return { url: form.url, baseString, signature, authorization, body };
}
