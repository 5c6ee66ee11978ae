// One answer of AWS among several: a refusal is reported, and the other answers are used all the same.
import { SecretFault } from '../aws/secret-schemas.ts';
import { UsageError } from '../files/usage-error.ts';

/** One answer of several: what was found, or why not. */
export type Part<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'not-allowed'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

/** True for AWS's own name of a failure by which it says that these credentials may not. */
export const isRefusalName = (name: string): boolean => /AccessDenied|NotAuthorized|Forbidden/.test(name);

/** Asks, and never rejects. */
export async function part<T>(work: () => Promise<T>): Promise<Part<T>> {
  try {
    return { kind: 'found', value: await work() };
  } catch (error) {
    return { kind: isRefusal(error) ? 'not-allowed' : 'failed', why: notFoundText(error) };
  }
}

// The service's message may name resources and people; its code is enough to ask for the right.
const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'unknown');
const isRefusal = (error: unknown) => isRefusalName(nameOf(error));

function notFoundText(error: unknown): string {
  if (isRefusal(error)) return `AWS does not let you (${nameOf(error)})`;
  if (error instanceof UsageError || error instanceof SecretFault) return error.message;
  return error instanceof Error && 'code' in error ? String(error.code) : nameOf(error);
}
