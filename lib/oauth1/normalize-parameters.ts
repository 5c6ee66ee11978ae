// RFC 5849 section 3.4.1.3: from the request's parameters to the one normalised text that both sides can rebuild.
import { percentEncode } from './percent-encode.ts';

/** A decoded name and value. Order and repetition are kept: a name may occur many times (section 3.4.1.3.1). */
export type Parameter = readonly [name: string, value: string];

/** A parameter after section 3.6 encoding; the same encoded pair goes into signature, header and body. */
export interface EncodedParameter {
  readonly name: string;
  readonly value: string;
}

/** Section 3.4.1.3.2 step 1: "the name and value of each parameter are encoded". */
export function encodeParameters(parameters: readonly Parameter[]): EncodedParameter[] {
  return parameters.map(([name, value]) => ({ name: percentEncode(name), value: percentEncode(value) }));
}

/**
 * Section 3.4.1.3.2 step 2: by name in ascending byte order, equal names by value.
 * It sorts what is already encoded, hence ASCII, so that comparing UTF-16 units is comparing bytes.
 */
export function sortParameters(parameters: readonly EncodedParameter[]): EncodedParameter[] {
  return parameters.toSorted(compareEncoded);
}

/** Section 3.4.1.3.2 steps 3 and 4: `name=value` (also for an empty value), joined by `&`. Also the form body's shape. */
export function joinParameters(parameters: readonly EncodedParameter[]): string {
  let joined = '';
  for (const { name, value } of parameters) joined += `${joined === '' ? '' : '&'}${name}=${value}`;
  return joined;
}

/** Section 3.4.1.3.2 as one: collected parameters in, the normalised parameter string out. */
export function normalizeParameters(parameters: readonly Parameter[]): string {
  return joinParameters(sortParameters(encodeParameters(parameters)));
}

function compareEncoded(left: EncodedParameter, right: EncodedParameter): number {
  if (left.name !== right.name) return left.name < right.name ? -1 : 1;
  if (left.value === right.value) return 0;
  return left.value < right.value ? -1 : 1;
}
