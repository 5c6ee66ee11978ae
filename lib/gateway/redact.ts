// Text from outside on its way into a result, the ledger or a log: the gateway may echo what it was sent.
import { type OperationName, operations } from './operations.ts';

/** Longest text kept, in UTF-8 bytes: it is stored in the ledger item, which must stay under 1 KB. */
export const outsideTextLimitBytes = 80;

/** As much of a text from outside as is looked at. */
const searchedChars = 4096;

/** The values of a job that must never be seen again outside the signed request. */
export function sensitiveValues(job: {
  readonly operation: OperationName;
  readonly params: Readonly<Record<string, string>>;
}): string[] {
  const { fields } = operations[job.operation];
  return Object.entries(job.params)
    .filter(([name, value]) => fields[name]?.sensitive && value.length >= 3)
    .map(([, value]) => value);
}

/**
 * The text without the given values, without anything that could be a card number (12 to 19 digits, however they are
 * grouped), without control characters and what SQS takes for such, cut to {@link outsideTextLimitBytes}.
 */
export function redact(outside: string, values: readonly string[]): string {
  // Far more than is kept, and no page of 64 KB is searched for what will not be shown of it.
  const text = outside.slice(0, searchedChars);
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is taken out
  let clean = text.toWellFormed().replace(/[\u0000-\u001f\u007f\ufffe\uffff]+/g, ' ');
  for (const value of values.toSorted((a, b) => b.length - a.length)) clean = clean.replaceAll(value, '[redacted]');
  clean = clean.replace(/\d(?:[ -]?\d){11,18}/g, '[redacted]').trim();
  return cutToBytes(clean, outsideTextLimitBytes);
}

/** The text, or as many of its whole characters as fit, and "…". */
export function cutToBytes(text: string, limitBytes: number): string {
  if (Buffer.byteLength(text) <= limitBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limitBytes - Buffer.byteLength('…')));
  return `${text.slice(0, read)}…`;
}
