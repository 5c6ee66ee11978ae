// The stages of RFC 5849 for one kind of request: all is known but the values, which come with each request.
import { authorizationHeader } from './authorization-header.ts';
import { protocolParameters } from './collect-parameters.ts';
import type { ProtocolParameters } from './collect-parameters.ts';
import { OAuth1Error } from './errors.ts';
import { encodeParameters, joinParameters, sortParameters } from './normalize-parameters.ts';
import type { EncodedParameter, Parameter } from './normalize-parameters.ts';
import { isUnreserved, percentEncode, percentEncodeTwice } from './percent-encode.ts';
import { parseRequestUrl } from './request-url.ts';
import { signatureBaseString } from './signature-base-string.ts';
import { SIGNATURE_METHODS } from './signature-methods.ts';
import type { SignatureMethodName } from './signature-methods.ts';

/** What is the same for all requests of one kind. */
export interface RequestOutline extends Omit<ProtocolParameters, 'nonce' | 'timestamp'> {
  readonly method: string;
  readonly url: string;
  readonly realm: string | undefined;
  readonly signatureMethod: SignatureMethodName;
  readonly bodyNames: readonly string[];
  readonly furtherProtocolParameters: readonly Parameter[];
}

/** What differs: the body's values in the order of their names, the nonce, the timestamp. All are encoded. */
export interface RequestValues {
  /** As they stand in the header and in the body (section 3.6). */
  readonly once: readonly string[];
  /** As they stand in the signature base string. */
  readonly twice: readonly string[];
}

/** Writes the texts of a request: `textToSign` first, then `message` with the signature that was made of it. */
export interface RequestForm {
  /** The URL to be requested. */
  readonly url: string;
  readonly textToSign: (values: RequestValues) => string;
  readonly message: (values: RequestValues, encodedSignature: string) => { authorization: string; body: string };
}

/** Section 3.6 for all values of a request. */
export function encodeValues(values: readonly string[]): RequestValues {
  const once = values.slice();
  const twice = values.slice();
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? '';
    if (isUnreserved(value)) continue;
    const encoded = percentEncodeTwice(value);
    once[index] = encoded.once;
    twice[index] = encoded.twice;
  }
  return { once, twice };
}

/** The stages of sections 3.4.1 and 3.5.1, one after the other. */
export function requestForm(outline: RequestOutline): RequestForm {
  const { url, baseStringUri, queryParameters } = parseRequestUrl(outline.url);
  const query = encodeParameters(queryToSign(queryParameters, outline));
  const { repeatsProtocolParametersInBody } = SIGNATURE_METHODS[outline.signatureMethod];

  return {
    url,
    textToSign(values) {
      const signed = [...query, ...bodyPairs(outline, values), ...protocolPairs(outline, values)];
      const parameters = joinParameters(sortParameters(signed));
      return signatureBaseString(outline.method, baseStringUri, parameters);
    },
    message(values, encodedSignature) {
      const protocol = protocolPairs(outline, values);
      const signature = { name: 'oauth_signature', value: encodedSignature };
      const repeated = repeatsProtocolParametersInBody ? protocol : [];
      return {
        authorization: authorizationHeader([...protocol, signature], outline.realm),
        body: joinParameters([...bodyPairs(outline, values), ...repeated]),
      };
    },
  };
}

function bodyPairs({ bodyNames }: RequestOutline, { once }: RequestValues): EncodedParameter[] {
  return bodyNames.map((name, index) => ({ name: percentEncode(name), value: once[index] ?? '' }));
}

function protocolPairs(outline: RequestOutline, { once }: RequestValues): EncodedParameter[] {
  const [nonce = '', timestamp = ''] = once.slice(outline.bodyNames.length);
  const pairs = encodeParameters([
    ...protocolParameters({ ...outline, nonce: '', timestamp: '' }),
    ...outline.furtherProtocolParameters,
  ]);
  const encodedAlready = new Map([
    ['oauth_nonce', nonce],
    ['oauth_timestamp', timestamp],
  ]);
  return pairs.map(({ name, value }) => ({ name, value: encodedAlready.get(name) ?? value }));
}

/** The query's part of section 3.4.1.3.1. */
function queryToSign(query: readonly Parameter[], outline: RequestOutline): readonly Parameter[] {
  const protocolNames = new Set(protocolPairs(outline, { once: [], twice: [] }).map(({ name }) => name));
  const repeated = query.find(([name]) => protocolNames.has(percentEncode(name)));
  if (repeated !== undefined) {
    throw new OAuth1Error('OAUTH1_PARAMETER_CONFLICT', `${repeated[0]} is in the URL's query and in the header.`);
  }
  // "The "oauth_signature" parameter MUST be excluded from the signature base string if present."
  return query.filter(([name]) => name !== 'oauth_signature');
}
