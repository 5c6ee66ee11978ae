// The published and derived signatures of test/vectors, each checked stage by stage. `source` says where it is published.
import { readFileSync } from 'node:fs';
import type { Parameter } from '../../lib/oauth1/parameters.ts';
import type { SignatureMethodName } from '../../lib/oauth1/vocabulary.ts';

/** One entry of signing-vectors.json; null where the source does not print it. */
export interface SigningVector {
  readonly name: string;
  readonly signatureMethod: SignatureMethodName;
  readonly method: string;
  readonly url: string;
  /** All signed parameters, also those of the query and the protocol's. */
  readonly params: readonly Parameter[];
  /** Those of query and body. */
  readonly requestParams: readonly Parameter[];
  readonly consumerKey: string | null;
  readonly consumerSecret?: string | null;
  readonly privateKeyPem?: string;
  readonly token: string | null;
  readonly tokenSecret: string | null;
  readonly nonce: string | null;
  readonly timestamp: string | null;
  readonly baseString: string;
  readonly signature: string | null;
}

/** All vectors of the file. */
export const signingVectors: readonly SigningVector[] = JSON.parse(
  readFileSync(new URL('../vectors/signing-vectors.json', import.meta.url), 'utf8'),
);

/** The parameters that are not in the URL's query already, from which the URL is read by our own code. */
export function withoutQuery(params: readonly Parameter[], url: string): Parameter[] {
  const inQuery = [...new URL(url).searchParams].map((pair) => JSON.stringify(pair));
  return params.filter((parameter) => {
    const at = inQuery.indexOf(JSON.stringify(parameter));
    if (at !== -1) inQuery.splice(at, 1);
    return at === -1;
  });
}
