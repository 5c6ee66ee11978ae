// A report as it is written: rows into the one file, sums into another, so that a person who adds up a column of the first gets
// what the second says. A row of the table is a format.
import { type ReportColumn, reportColumns, type TotalLine } from '../../batches/batch-report.ts';
import { csvLine, csvText } from '../../files/csv.ts';
import { pain002Output } from './pain002.ts';
import type { Reported, ReportOutput, ReportTarget } from './report-target.ts';
import { openWorkbookOutput, type SheetCell } from './xlsx-output.ts';
import { plainTable } from '../plain-table.ts';
import { jsonLines, openRowOutput, openRowsWithTotals } from '../../files/row-output.ts';
import { UsageError } from '../../files/usage-error.ts';

/** Formats of reports. */
export const reportFormats = {
  csv: csvOutput,
  jsonl: jsonOutput,
  xlsx: xlsxOutput,
  'pain.002': pain002Output,
} as const satisfies Readonly<Record<string, (target: ReportTarget) => Promise<ReportOutput>>>;

/** A format of reports. */
export type ReportFormat = keyof typeof reportFormats;

const ownColumns = Object.keys(reportColumns) as ReportColumn[];
const totalColumns = ['record', 'status', 'rows', 'amount', 'currency'] as const;

/** Rows are numbered where the file is there. */
const columnsBeside = (file: ReportTarget['columns']) => (file ? ownColumns : ownColumns.filter((it) => it !== 'row'));

/** Beside the file's own columns ours bear a name of their own. */
const headOf = (file: ReportTarget['columns'] = []) => [
  ...file.map(({ title }) => title),
  ...columnsBeside(file).map((name) => (file.length === 0 ? name : `payouts_${name}`)),
];

const cellsOf = ({ cells = [] }: Reported, file: ReportTarget['columns'] = []) =>
  file.map((_, place) => cells[place] ?? '');

/** For programs: commas, and dots before the cents. */
async function csvOutput({ columns, output, stream }: ReportTarget): Promise<ReportOutput> {
  const out = await openRowsWithTotals(output, stream);
  const own = columnsBeside(columns);
  await out.write(csvLine(columns ? headOf(columns) : own));
  return {
    add: (rows) =>
      out.write(csvText(rows.map((row) => [...cellsOf(row, columns), ...own.map((name) => row.line[name])]))),
    close: (totals) => out.close(csvText([totalColumns, ...totals.map((it) => totalColumns.map((name) => it[name]))])),
  };
}

async function jsonOutput({ output, stream }: ReportTarget): Promise<ReportOutput> {
  const out = await openRowsWithTotals(output, stream);
  return {
    add: (rows) => out.write(jsonLines(rows.map(({ input, line }) => (input ? { ...line, input } : line)))),
    close: (totals) => out.close(jsonLines(totals)),
  };
}

/** For people: amounts are numbers, all else is text; the head stays in sight, and can be filtered. */
async function xlsxOutput({ columns, output }: ReportTarget): Promise<ReportOutput> {
  if (output === undefined) throw new UsageError('--format xlsx needs --output: a workbook is no text');
  const book = openWorkbookOutput(await openRowOutput(output));
  const own = columnsBeside(columns);
  const head = columns ? headOf(columns) : own;
  const amounts = new Set(columns?.flatMap(({ path }, place) => (path === 'params.amount' ? [place] : [])));
  await book.sheet(
    'rows',
    head.map((title) => ({ title, width: widthOf(title) })),
  );
  return {
    add: (some) =>
      book.add(
        some.map((row) => [
          ...cellsOf(row, columns).map((cell, place) => (amounts.has(place) ? amountCell(cell) : cell)),
          ...own.map((name) => sheetCell(name, row.line[name])),
        ]),
      ),
    async close(totals) {
      await book.sheet(
        'totals',
        totalColumns.map((title) => ({ title, width: widthOf(title) })),
      );
      await book.add(totals.map((it) => totalColumns.map((name) => sheetCell(name, it[name]))));
      await book.close();
      return [output];
    },
  };
}

const widths: Readonly<Record<string, number>> = { order_id: 26, payee_name: 26, failure_message: 50, note: 30 };
const widthOf = (title: string) => widths[title.replace('payouts_', '')] ?? Math.max(14, title.length + 3);

function sheetCell(name: string, value: string | number | boolean | undefined): SheetCell {
  if (typeof value === 'number') return { number: String(value), decimals: 0 };
  return name === 'amount' && typeof value === 'string'
    ? amountCell(value)
    : value === undefined
      ? value
      : String(value);
}

/** A number, unless it has more digits than a spreadsheet keeps. */
function amountCell(text: string): SheetCell {
  const isExact = /^\d+(?:\.\d{1,4})?$/.test(text) && text.replace('.', '').length <= 15;
  return isExact ? { number: text, decimals: text.split('.')[1]?.length ?? 0 } : text;
}

/** The sums as a table for a terminal. */
export function totalsText(totals: readonly TotalLine[]): string {
  const rows = totals.map((it) => totalColumns.map((name) => it[name] ?? ''));
  return `${plainTable([...totalColumns], ['left', 'left', 'right', 'right', 'left'], rows)}\n`;
}
