// A second reading of RFC 5849, written from its text alone for the tests: slow, short, and sharing no code with lib.
import { createHmac } from 'node:crypto';

type Pair = readonly [string, string];

/** Section 3.6, by way of the platform's encoder and the five characters that it leaves. */
export function naiveEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Section 3.4.1.3.2, comparing octets instead of strings. */
function naiveNormalize(pairs: readonly Pair[]): string {
  return pairs
    .map(([name, value]) => [Buffer.from(naiveEncode(name)), Buffer.from(naiveEncode(value))] as const)
    .toSorted((left, right) => Buffer.compare(left[0], right[0]) || Buffer.compare(left[1], right[1]))
    .map(([name, value]) => `${name.toString()}=${value.toString()}`)
    .join('&');
}

/** Section 3.4.1.1, with the platform's URL class for 3.4.1.2 and 3.4.1.3.1. */
export function naiveBaseString(method: string, url: string, pairs: readonly Pair[]): string {
  const { origin, pathname, searchParams } = new URL(url);
  const all = [...searchParams, ...pairs];
  return [method.toUpperCase(), origin + pathname, naiveNormalize(all)].map(naiveEncode).join('&');
}

/** Section 3.4.2. */
export function naiveHmacSha1(baseString: string, consumerSecret: string, tokenSecret: string): string {
  const key = `${naiveEncode(consumerSecret)}&${naiveEncode(tokenSecret)}`;
  return createHmac('sha1', key).update(baseString).digest('base64');
}

/** Section 3.5.1. */
export function naiveHeader(pairs: readonly Pair[]): string {
  const written = pairs.map(([name, value]) => `${naiveEncode(name)}="${naiveEncode(value)}"`);
  return `OAuth ${written.toSorted().join(', ')}`;
}
