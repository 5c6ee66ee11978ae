// RFC 5849 section 3.4.1.1: the text that is signed.
import { percentEncode } from './percent-encode.ts';

/**
 * Section 3.4.1.1: METHOD & base string URI & normalised parameters, each part encoded once more.
 * A space in a value is therefore `%2520` here: encoded as a value, then again as part of the parameter string.
 */
export function signatureBaseString(method: string, baseStringUri: string, normalizedParameters: string): string {
  // "1. The HTTP request method in uppercase."  "3. The base string URI … after being encoded."
  // "5. The request parameters as normalized …, after being encoded."
  return [method.toUpperCase(), baseStringUri, normalizedParameters].map(percentEncode).join('&');
}
