// The options by which a file is read for the first time. What columns are called is in a layout, a file of its own, whose first version a
// dry run writes; every later command finds the whole reading in the header of the batch.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import * as v from 'valibot';
import { layoutOfHeader } from '../../files/bulk-columns.ts';
import { fileReadingSchema } from '../../batches/dynamodb-batch-item.ts';
import type { FileReading } from '../../files/file-reading.ts';
import { codeOfError, unwritable } from '../../files/file-failure.ts';
import type { ReadingChoices } from '../../files/bulk-rows.ts';
import { UsageError } from '../../files/usage-error.ts';

/** Days whose batches are looked through for the same payments, unless a person says otherwise. */
export const lookBackDays = 7;

/** What a person says of a file. */
export interface ReadingOptions {
  readonly merchant?: string;
  readonly operation?: string;
  readonly endpoint?: string;
  readonly layout?: string;
}

/** Adds the options. */
export const addFileReading = (command: Command): Command =>
  command
    .option('--merchant <name>', 'the merchant of every row')
    .option('--operation <name>', 'the operation of every row')
    .option('--endpoint <id>', 'the endpoint id of every row')
    .option('--layout <file>', 'what its columns are called; with --dry-run a first one is written there');

/** Without what was not said: it must not stand in for what a layout or a row says. */
const present = (said: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(said).filter((it): it is [string, string] => it[1] !== undefined));

/** The same for a shell, as the next command line must say it too. */
export const readingWords = (said: ReadingOptions & { readonly cardKeys?: string }): string[] => {
  const { merchant, operation, endpoint, layout, cardKeys } = said;
  const named = { merchant, operation, endpoint, layout, 'card-keys': cardKeys };
  return Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
};

/** True if nothing was said of the file. */
export const isUnsaid = ({ merchant, operation, endpoint, layout }: ReadingOptions): boolean =>
  [merchant, operation, endpoint, layout].every((it) => it === undefined);

const shape =
  '{"columns": {"Beleg": "orderId", "Notiz": ""}, "decimal": "comma", "sheet": "November", "merchant": "acme-eu"}';

/** The reading that was said; a layout that is not there yet is empty, for a dry run to write. Throws UsageError. */
export function readingOf({ layout, ...said }: ReadingOptions, dryRun: boolean): FileReading {
  const { merchant, operation, endpoint } = said;
  const given = present({ merchant, operation, endpoint });
  if (layout === undefined || (dryRun && !existsSync(layout))) return given;
  let text: string;
  try {
    text = readFileSync(layout, 'utf8');
  } catch (error) {
    const isAbsent = codeOfError(error) === 'ENOENT';
    throw new UsageError(
      isAbsent ? `there is no layout ${layout}; --dry-run writes a first one` : `the layout ${layout} can't be read`,
    );
  }
  try {
    return { ...v.parse(fileReadingSchema, JSON.parse(text)), ...given };
  } catch {
    throw new UsageError(`${layout} is no layout; it may have, each of them if needed: ${shape}`);
  }
}

/** Writes the first layout of a table: each column, with its field where the title says one. Throws UsageError. */
export function writeLayout(path: string, titles: readonly string[]): FileReading['columns'] & object {
  const columns = layoutOfHeader(titles);
  try {
    writeFileSync(path, `${JSON.stringify({ columns, decimal: 'dot' }, undefined, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    throw unwritable(path, error);
  }
  return columns;
}

/** The reading in words, for the second person, as the registrar said it. */
export function readingText({ columns = {}, ...said }: FileReading): string {
  const words = [
    ...Object.entries(said).map(([name, value]) => `${name} ${value}`),
    ...Object.entries(columns).map(([column, field]) =>
      field === '' ? `without "${column}"` : `"${column}" as ${field}`,
    ),
  ];
  return words.length === 0 ? 'as its columns say themselves' : words.join(', ');
}

/** The reading as the formats take it. */
export function choicesOf(reading: FileReading): ReadingChoices {
  const { merchant, operation, endpoint, columns = {}, ...form } = reading;
  return {
    given: present({ merchant, operation, endpointId: endpoint }),
    columns: new Map(Object.entries(columns)),
    ...form,
  };
}
