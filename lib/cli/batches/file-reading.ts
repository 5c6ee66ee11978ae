// The options by which a file is read, the same for every command that reads it.
import { type Command, Option } from 'commander';
import { fileFormats, type FormatName } from '../../batches/bulk-format.ts';
import type { Decimal } from '../../batches/bulk-row.ts';
import { pairsAs } from '../quantities.ts';

/** How a file is read. */
export interface FileReading {
  readonly merchant?: string;
  readonly operation?: string;
  readonly endpoint?: string;
  readonly map: ReadonlyMap<string, string>;
  readonly ignore: ReadonlySet<string>;
  readonly ignoreOthers: boolean;
  readonly decimal?: Decimal;
  readonly sheet?: string;
  readonly layout?: string;
  readonly format?: FormatName;
}

/** Adds the options; `formatFlag` where `--format` means something else. */
export function addFileReading(command: Command, formatFlag = '--format'): Command {
  const format = new Option(`${formatFlag} <name>`, 'how to read the file, where it is not plain').choices(fileFormats);
  const decimal = new Option(
    '--decimal <sign>',
    'what stands before the cents in all amounts of the file (default: dot)',
  );
  return command
    .option('--merchant <name>', 'the merchant of every row')
    .option('--operation <name>', 'the operation of every row')
    .option('--endpoint <id>', 'the endpoint id of every row')
    .option(
      '--map <column=field>',
      'a column whose name says nothing; may be repeated',
      pairsAs('Column=field'),
      new Map<string, string>(),
    )
    .option('--ignore <column>', 'a column to be left out; may be repeated', ignored, new Set<string>())
    .option('--ignore-others', 'leave out every column that is not known', false)
    .addOption(decimal.choices(['dot', 'comma']))
    .option('--sheet <name>', 'of a workbook: the sheet with the rows')
    .option('--layout <name>', 'what columns are called, as --save-layout has kept it')
    .addOption(format);
}

/** The same for a shell, as the next command line must say it too. */
export function readingWords(reading: FileReading, more: Readonly<Record<string, string | undefined>> = {}): string[] {
  const { merchant, operation, endpoint, map, ignore, ignoreOthers, decimal, sheet, layout, format } = reading;
  const named = { merchant, operation, endpoint, format, decimal, sheet, layout, ...more };
  return [
    ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...[...map].flatMap(([column, field]) => ['--map', `${column}=${field}`]),
    ...[...ignore].flatMap((column) => ['--ignore', column]),
    ...(ignoreOthers ? ['--ignore-others'] : []),
  ];
}

/** A new one, as the map of columns is. */
function ignored(name: string, all: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...all, name.trim()]);
}
