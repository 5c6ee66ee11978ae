// The stages of RFC 5849 for one kind of request: the names are known, the encoded values come with each request.
import { authorizationHeader } from './authorization-header.ts';
import { OAuth1Error } from './errors.ts';
import { encodeParameters, joinParameters, sortParameters } from './normalize-parameters.ts';
import type { EncodedParameter, Parameter } from './normalize-parameters.ts';
import { isUnreserved, percentEncode, percentEncodeTwice } from './percent-encode.ts';
import { parseRequestUrl } from './request-url.ts';
import { signatureBaseString } from './signature-base-string.ts';

/** What is the same for all requests of one kind: everything but the values. */
export interface RequestOutline {
  readonly method: string;
  readonly url: string;
  readonly realm: string | undefined;
  readonly repeatsProtocolParametersInBody: boolean;
  /** The names of the body's parameters, then those of the protocol's, without `oauth_signature`. */
  readonly names: readonly string[];
  readonly bodyCount: number;
}

/** The encoded values, in the order of the outline's names. */
export interface EncodedValues {
  /** As they stand in the header and in the body (section 3.6). */
  readonly once: readonly string[];
  /** As they stand in the signature base string, which encodes the whole parameter string again. */
  readonly twice: readonly string[];
}

/** Writes the texts of a request: `textToSign` first, then `message` with the signature that was made of it. */
export interface RequestForm {
  /** The URL to be requested. */
  readonly url: string;
  readonly textToSign: (values: EncodedValues) => { parameters: string; baseString: string };
  readonly message: (values: EncodedValues, encodedSignature: string) => { authorization: string; body: string };
}

/** Section 3.6 for all values of a request. */
export function encodeValues(values: readonly string[]): EncodedValues {
  const once = [...values];
  const twice = [...values];
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? '';
    if (isUnreserved(value)) continue;
    once[index] = percentEncode(value);
    twice[index] = percentEncodeTwice(value);
  }
  return { once, twice };
}

/** The stages of sections 3.4.1 and 3.5.1, one after the other. */
export function requestForm(outline: RequestOutline): RequestForm {
  const { url, baseStringUri, queryParameters } = parseRequestUrl(outline.url);
  const query = encodeParameters(queryToSign(queryParameters, outline));
  const names = outline.names.map(percentEncode);
  const fill = (values: EncodedValues) => names.map((name, index) => pair(name, values.once[index] ?? ''));

  return {
    url,
    textToSign(values) {
      const parameters = joinParameters(sortParameters([...query, ...fill(values)]));
      return { parameters, baseString: signatureBaseString(outline.method, baseStringUri, parameters) };
    },
    message(values, encodedSignature) {
      const filled = fill(values);
      const bodyParameters = filled.slice(0, outline.bodyCount);
      const protocolParameters = filled.slice(outline.bodyCount);
      return {
        authorization: authorizationHeader(
          [...protocolParameters, pair('oauth_signature', encodedSignature)],
          outline.realm,
        ),
        body: joinParameters(outline.repeatsProtocolParametersInBody ? filled : bodyParameters),
      };
    },
  };
}

/** The query's part of section 3.4.1.3.1. */
function queryToSign(query: readonly Parameter[], { names, bodyCount }: RequestOutline): readonly Parameter[] {
  const protocolNames = new Set(names.slice(bodyCount));
  const repeated = query.find(([name]) => protocolNames.has(name));
  if (repeated !== undefined) {
    throw new OAuth1Error('OAUTH1_PARAMETER_CONFLICT', `${repeated[0]} is in the URL's query and in the header.`);
  }
  // "The "oauth_signature" parameter MUST be excluded from the signature base string if present."
  return query.filter(([name]) => name !== 'oauth_signature');
}

function pair(name: string, value: string): EncodedParameter {
  return { name, value };
}
