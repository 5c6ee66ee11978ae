// What `payouts submit` says, for people and for programs.
import type { CheckedRow } from '../../batches/check-rows.ts';
import type { Survey } from '../../batches/survey-rows.ts';
import { formatMinorUnits } from '../../gateway/money.ts';
import { plainTable } from '../plain-table.ts';
import type { FaultSink } from './bulk-rejects.ts';

/** What the file asks for: counts and exact totals. */
export function surveyAsText({ name, batchId, fileHash, survey }: SurveyedFile): string {
  const head = ['merchant', 'operation', 'rows', 'total', ''];
  const rows = survey.subtotals.map(({ merchant, operation, currency, count, minorUnits }) => [
    merchant,
    operation,
    count,
    currency === undefined ? '–' : formatMinorUnits(minorUnits, currency),
    currency ?? '',
  ]);
  const table = plainTable(head, ['left', 'left', 'right', 'right', 'left'], rows);
  return `\n  ${name} · ${survey.rows} rows · batch ${batchId}\n  SHA-256 ${fileHash}\n\n${table}\n\n`;
}

/** A moment as a person reads it, to the second. */
export const momentText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`;

/** The first faults, how many there are, and where all of them are. Empty where there are none. */
export function faultsAsText(
  { name, survey }: SurveyedFile,
  sink: FaultSink,
  written: readonly string[],
  skipInvalid: boolean,
): string {
  if (sink.count() === 0) return '';
  const where = `All of them: ${written.join(', ')}`;
  const faults = sink.count() === 1 ? '1 fault' : `${sink.count()} faults`;
  const rows = `${faults} in ${survey.rejected} of ${survey.rows + survey.rejected} rows`;
  const verdict = !skipInvalid
    ? `nothing was sent. Mend the file, or say --skip-invalid.`
    : survey.cutOff
      ? 'nothing was sent: the file could not be read to its end.'
      : 'these rows are left out.';
  return `${sink.table()}\n${name}: ${rows}; ${verdict}\n${where}\n`;
}

/** The same for programs, in one line. */
export function surveyAsJson(
  outcome: string,
  { name, batchId, fileHash, survey }: SurveyedFile,
  more: object = {},
): string {
  const { rows, rejected, subtotals, totals } = survey;
  return `${JSON.stringify({
    outcome,
    file: name,
    fileHash,
    batch: batchId,
    rows,
    rejected,
    totals: Object.fromEntries(
      Object.entries(totals).map(([currency, { count, minorUnits }]) => [
        currency,
        { count, amount: formatMinorUnits(minorUnits, currency) },
      ]),
    ),
    subtotals: subtotals.map(({ merchant, operation, currency, count, minorUnits }) => ({
      merchant,
      operation,
      count,
      ...(currency !== undefined && { currency, amount: formatMinorUnits(minorUnits, currency) }),
    })),
    ...more,
  })}\n`;
}

/** A file that was read once. */
export interface SurveyedFile {
  readonly name: string;
  readonly batchId: string;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly fileHash: string;
  readonly survey: Survey;
  /** Reads it again, from the first row, to the same rows. */
  readonly readAgain: () => AsyncIterable<readonly CheckedRow[]>;
}
