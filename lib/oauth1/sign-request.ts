// RFC 5849 from request to signed request: the stages in the order of the document, each one visible in the result.
import { collectParameters } from './collect-parameters.ts';
import type { ParameterSources } from './collect-parameters.ts';
import { formFor } from './kept-forms.ts';
import { percentEncode } from './percent-encode.ts';
import { encodeValues } from './request-form.ts';
import { SIGNATURE_METHODS } from './signature-methods.ts';
import type { SignatureMethodName } from './signature-methods.ts';
import type { SigningKey } from './signing-key.ts';

/** A request to be signed. */
export interface RequestToSign extends ParameterSources {
  readonly method: string;
  /** May hold a query, which is signed as well. */
  readonly url: string;
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
  const { method, url, realm, key, tokenSecret = '' } = request;
  const { repeatsProtocolParametersInBody, sign } = SIGNATURE_METHODS[request.signatureMethod];
  const { names, values, bodyCount } = collectParameters(request);
  const form = formFor({ method, url, realm, repeatsProtocolParametersInBody, names, bodyCount });
  const encodedValues = encodeValues(values);

  const { parameters, baseString } = form.textToSign(encodedValues);
  const signing = sign(baseString, key, tokenSecret);
  // HMAC answers at once; awaiting its text would give the turn away for nothing.
  const signature = typeof signing === 'string' ? signing : await signing;

  const { authorization, body } = form.message(encodedValues, percentEncode(signature));
  return { url: form.url, parameters, baseString, signature, authorization, body };
}
