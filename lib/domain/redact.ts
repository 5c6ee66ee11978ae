// Text from outside on its way into a result, the ledger or a log: the gateway may echo what it was sent.
import { type OperationName, operations } from './operations.ts';

/** Longest text kept, in characters: it is stored in the ledger item, which must stay under 1 KB. */
export const outsideTextLimit = 120;

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
 * grouped), without control characters, cut to {@link outsideTextLimit}.
 */
export function redact(text: string, values: readonly string[]): string {
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is taken out
  let clean = text.toWellFormed().replace(/[\u0000-\u001f\u007f]+/g, ' ');
  for (const value of values.toSorted((a, b) => b.length - a.length)) clean = clean.replaceAll(value, '[redacted]');
  clean = clean.replace(/\d(?:[ -]?\d){11,18}/g, '[redacted]').trim();
  return clean.length <= outsideTextLimit ? clean : `${clean.slice(0, outsideTextLimit - 1).toWellFormed()}…`;
}
