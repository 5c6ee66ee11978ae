// The output of `payouts submit`, for people and for programs.
import type { ContentDigests } from '../../batches/content-digest.ts';
import type { CheckedRow } from '../../files/check-rows.ts';
import type { KnownRows } from '../../batches/known-orders.ts';
import type { WarningKind } from '../../files/row-findings.ts';
import type { Survey } from '../../batches/survey-rows.ts';
import { formatMinorUnits } from '../../gateway/money.ts';
import { counted, shellWord } from '../../payout/operate/spelling.ts';
import { plainTable } from '../plain-table.ts';
import type { FaultSink } from './bulk-rejects.ts';
import type { FileReading } from '../../files/file-reading.ts';
import { type ReadingOptions, readingWords } from './file-reading.ts';
import { knownAsJson, totalsAsJson } from './submit-known.ts';

/** Counts and exact totals of the file. */
export function surveyAsText({ name, batchId, fileHash, survey, preview }: SurveyedFile): string {
  const head = ['merchant', 'operation', 'rows', 'total', ''];
  const rows = survey.subtotals.map(({ merchant, operation, currency, count, minorUnits }) => [
    merchant,
    operation,
    count,
    currency === undefined ? '–' : formatMinorUnits(minorUnits, currency),
    currency ?? '',
  ]);
  const table = plainTable(head, ['left', 'left', 'right', 'right', 'left'], rows);
  return `\n  ${name} · ${counted(survey.rows, 'row')} · batch ${batchId}\n  SHA-256 ${fileHash}\n\n${table}\n\n${preview}`;
}

/** The first faults, how many there are, and where all of them are. Empty if there are none. */
export function faultsAsText(
  { name, survey }: SurveyedFile,
  sink: FaultSink,
  written: readonly string[],
  skipInvalid: boolean,
): string {
  if (sink.count() === 0) return '';
  const where = `All of them: ${written.join(', ')}`;
  const all = counted(survey.rows + survey.rejected, 'row');
  const rows = `${counted(sink.count(), 'fault')} in ${survey.rejected} of ${all}`;
  const verdict = !skipInvalid
    ? 'nothing was sent. Correct the file, or add --skip-invalid.'
    : survey.cutOff
      ? 'nothing was sent: what is wrong with the whole file leaves no row that could be sent.'
      : survey.rows === 0
        ? 'nothing was sent: no row is left.'
        : 'these rows are left out.';
  return `${sink.table()}\n${name}: ${rows}; ${verdict}\n${where}\n`;
}

/** The same for programs. */
export function surveyAsJson(
  outcome: string,
  { name, batchId, fileHash, survey, unused, warnings, known }: SurveyedFile,
  more: object = {},
): object {
  const { rows, rejected, subtotals, totals } = survey;
  return {
    outcome,
    file: name,
    fileHash,
    batch: batchId,
    rows,
    rejected,
    unused,
    totals: totalsAsJson(totals),
    subtotals: subtotals.map(({ merchant, operation, currency, count, minorUnits }) => ({
      merchant,
      operation,
      count,
      ...(currency !== undefined && { currency, amount: formatMinorUnits(minorUnits, currency) }),
    })),
    inLedger: known && knownAsJson(known),
    warnings: warnings?.kinds,
    warningsFile: warnings?.file,
    ...more,
  };
}

/** A file that was read. */
export interface SurveyedFile {
  readonly name: string;
  readonly batchId: string;
  readonly path: string;
  readonly reading: FileReading;
  /** The file and what was said of it, as the next command line must say it too. */
  readonly words: string;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly fileHash: string;
  readonly survey: Survey;
  /** The largest payments; empty if the file names no payees. */
  readonly preview: string;
  /** Parts of the file that move nothing here. */
  readonly unused?: readonly string[];
  /** Warnings; absent if a row must be corrected first. */
  readonly warnings?: Warnings;
  /** The ledger's orders of its rows; absent if the ledger could not be read. */
  readonly known?: KnownRows;
  /** Makes what later files are held against this one by. */
  readonly contents?: ContentDigests;
  /** Its good rows; any number of times. */
  readonly rows: () => AsyncIterable<readonly CheckedRow[]>;
}

/** The warnings. */
export interface Warnings {
  readonly total: number;
  readonly kinds: Readonly<Partial<Record<WarningKind, number>>>;
  /** The first of them. */
  readonly table: string;
  /** Where all of them are; absent if there are none. */
  readonly file?: string;
}

/** The first warnings, how many there are of each kind, and where all of them are. Empty if there are none. */
export function warningsAsText({ total, kinds, table, file }: Warnings): string {
  if (total === 0) return '';
  const each = Object.entries(kinds).map(([kind, count]) => `${kind} ${count}`);
  return `${table}${counted(total, 'warning')}: ${each.join(', ')}\nAll of them: ${file}\n`;
}

/** Why nothing goes as it is, and how it is confirmed. */
export function confirmationText(open: readonly WarningKind[], { kinds }: Pick<Warnings, 'kinds'>): string {
  const count = open.reduce((sum, kind) => sum + (kinds[kind] ?? 0), 0);
  const [need, them] = count === 1 ? ['needs', 'it'] : ['need', 'them'];
  return `nothing was sent: ${counted(count, 'warning')} ${need} your confirmation. Check ${them}, then add --accept ${open.join(',')} (or --accept all)`;
}

/** The file and what was said of it, for a shell. */
export function commandWordsOf(path: string, said: ReadingOptions & { readonly cardKeys?: string }): string {
  return [path, ...readingWords(said)].map(shellWord).join(' ');
}

/** The parts of the file that move nothing here; empty if there are none. */
export function unusedAsText({ name, unused = [] }: Pick<SurveyedFile, 'name' | 'unused'>): string {
  return unused.length === 0 ? '' : `ignored in ${name}: ${unused.join(', ')}\n`;
}
