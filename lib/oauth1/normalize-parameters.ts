// RFC 5849 section 3.4.1.3: from the request's parameters to the one normalised text that both sides can rebuild.
import { percentEncode } from './percent-encode.ts';

/** A decoded name and value. Order and repetition are kept: a name may occur many times (section 3.4.1.3.1). */
export type Parameter = readonly [name: string, value: string];

/** Section 3.4.1.3.2 step 1: "the name and value of each parameter are encoded". */
function encodeParameters(parameters: readonly Parameter[]): Parameter[] {
  return parameters.map(([name, value]) => [percentEncode(name), percentEncode(value)]);
}

/**
 * Sections 3.4.1.3.2 steps 1 and 2: encoded, then by name in ascending byte order, equal names by value. What is encoded
 * is ASCII, so that comparing UTF-16 units is comparing bytes.
 */
export function encodedAndSorted(parameters: readonly Parameter[]): Parameter[] {
  return encodeParameters(parameters).sort(
    ([name, value], [otherName, otherValue]) => compared(name, otherName) || compared(value, otherValue),
  );
}

/** Section 3.4.1.3.2: collected parameters in, the normalised parameter string out; `name=` for an empty value. */
export function normalizeParameters(parameters: readonly Parameter[]): string {
  return joined(encodedAndSorted(parameters));
}

/** The form body: the same encoding, in the order that was given. */
export function formBody(parameters: readonly Parameter[]): string {
  return joined(encodeParameters(parameters));
}

const joined = (encoded: readonly Parameter[]) => encoded.map(([name, value]) => `${name}=${value}`).join('&');
const compared = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
