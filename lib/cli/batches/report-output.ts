// A report as it is written: rows into the one file, sums into another, so that a person who adds up a column of the first gets
// what the second says. A row of the table is a format.
import type { SheetData } from 'write-excel-file/node';
import { stateShown } from '../../batches/batch-progress.ts';
import { type ReportColumn, reportColumns, type TotalLine } from '../../batches/batch-report.ts';
import { sheetOf } from '../csv.ts';
import { pain002Output } from '../formats/pain002.ts';
import type { Reported, ReportOutput, ReportTarget } from '../formats/report-target.ts';
import { plainTable } from '../plain-table.ts';
import { jsonLines, openRowOutput, openRowsWithTotals } from '../row-output.ts';
import { UsageError } from '../usage-error.ts';

/** Formats of reports. */
export const reportFormats = {
  csv: csvOutput,
  jsonl: jsonOutput,
  xlsx: xlsxOutput,
  'pain.002': pain002Output,
} as const satisfies Readonly<Record<string, (target: ReportTarget) => Promise<ReportOutput>>>;

/** A format of reports. */
export type ReportFormat = keyof typeof reportFormats;

const columns = Object.keys(reportColumns) as ReportColumn[];
const totalColumns = ['record', 'status', 'rows', 'amount', 'currency'] as const;

/** Beside the file's own columns ours bear a name of their own. */
const headOf = (titles: readonly string[]) => [
  ...titles,
  ...(titles.length === 0 ? columns : columns.map((name) => `payouts_${name}`)),
];

const ownCells = ({ cells = [] }: Reported, titles: readonly string[]) =>
  cells.length > 0 ? cells : titles.map(() => '');

/** The status as people read it: a spreadsheet says "paid", JSON for programs says `approved`. */
const forPeople = <Line extends { readonly status?: string | number | boolean }>(line: Line): Line =>
  typeof line.status === 'string' ? { ...line, status: stateShown(line.status) } : line;

async function csvOutput({ titles, output, stream, locale }: ReportTarget): Promise<ReportOutput> {
  const sheet = sheetOf(locale);
  const out = await openRowsWithTotals(output, stream);
  await out.write(sheet.begin(headOf(titles)));
  return {
    add: (rows) =>
      out.write(
        sheet.text(rows.map((row) => [...ownCells(row, titles), ...sheet.cells(columns, forPeople(row.line))])),
      ),
    close: (totals) =>
      out.close(
        sheet.begin(
          totalColumns,
          totals.map((it) => sheet.cells(totalColumns, forPeople(it))),
        ),
      ),
  };
}

async function jsonOutput({ output, stream }: ReportTarget): Promise<ReportOutput> {
  const out = await openRowsWithTotals(output, stream);
  return {
    add: (rows) => out.write(jsonLines(rows.map(({ input, line }) => (input ? { ...line, input } : line)))),
    close: (totals) => out.close(jsonLines(totals)),
  };
}

/** A workbook is built in memory, which bounds its rows. */
const workbookRowsMost = 300_000;

/** A workbook is put together whole: two sheets, amounts as numbers, all else as text. */
async function xlsxOutput({ titles, output }: ReportTarget): Promise<ReportOutput> {
  if (output === undefined) throw new UsageError('--format xlsx needs --output: a workbook is no text');
  const rows: SheetData[number][] = [headOf(titles).map(headCell)];
  return {
    async add(some) {
      if (rows.length + some.length > workbookRowsMost)
        throw new UsageError(`--format xlsx holds ${workbookRowsMost} rows at most; say --format csv --locale`);
      for (const row of some)
        rows.push([
          ...ownCells(row, titles).map(textCell),
          ...columns.map((name) => sheetCell(name, forPeople(row.line)[name])),
        ]);
    },
    async close(totals) {
      const { default: writeWorkbook } = await import('write-excel-file/node');
      const sums = totals.map((it) => totalColumns.map((name) => sheetCell(name, forPeople(it)[name])));
      const sheets = [
        { data: rows, sheet: 'rows' },
        { data: [totalColumns.map(headCell), ...sums], sheet: 'totals' },
      ];
      const out = await openRowOutput(output);
      await out.write(await writeWorkbook(sheets).toBuffer());
      await out.close();
      return [output];
    },
  };
}

const headCell = (text: string) => ({ value: text, type: String, fontWeight: 'bold' as const });
const textCell = (text: string) => (text === '' ? null : { value: text, type: String });

function sheetCell(name: string, value: string | number | boolean | undefined) {
  if (value === undefined) return null;
  if (typeof value !== 'string') return { value };
  const isExact = name === 'amount' && value.replace(/\D/g, '').length <= 15;
  if (!isExact) return textCell(value);
  const decimals = value.split('.')[1]?.length ?? 0;
  return { value: Number(value), type: Number, format: decimals === 0 ? '0' : `0.${'0'.repeat(decimals)}` };
}

/** The sums as a table for a terminal. */
export function totalsText(totals: readonly TotalLine[]): string {
  const rows = totals.map((it) => totalColumns.map((name) => forPeople(it)[name] ?? ''));
  return `${plainTable([...totalColumns], ['left', 'left', 'right', 'right', 'left'], rows)}\n`;
}
