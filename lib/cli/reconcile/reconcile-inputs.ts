// The results of a reconciliation and the gateway's report, each line as a record under its order's key. What can't be read
// is reported with its line, and nothing is compared: a row that was left out would look like a missing one.
import * as v from 'valibot';
import {
  meaningOfLine,
  paymentTypeOf,
  type ReportField,
  reportHeader,
  type StatusMeaning,
} from '../../gateway/gateway-report.ts';
import { isNoId } from '../../gateway/gateway-outcome.ts';
import { minorUnitsOfOthers } from '../../gateway/money.ts';
import { isTotals, widthFault } from '../../files/bulk-row.ts';
import { createRoundedColumn, inbound, isEmptyWord } from '../../payout/message/inbound.ts';
import { createInputFaults, csvRows } from '../../files/csv.ts';
import { fileLines } from '../../files/json-lines.ts';
import { UsageError } from '../../files/usage-error.ts';
import type { Books } from './books.ts';

/** How many lines were read, and how many of them were left out on purpose. */
export interface Counted {
  readonly lines: number;
  readonly leftOut: number;
  /** By the reason why, how many lines, and the first of them, from 1. */
  readonly leftOutFor: Readonly<Record<string, LeftOut>>;
}

/** Lines that were left out for one reason. */
interface LeftOut {
  readonly count: number;
  readonly firstLines: readonly number[];
}

const firstLinesKept = 5;

/** Notes lines that are left out. */
function createLeftOut() {
  const reasons: Record<string, LeftOut> = {};
  return {
    add(why: string, line: number): void {
      const { count, firstLines } = reasons[why] ?? { count: 0, firstLines: [] };
      const shown = firstLines.length < firstLinesKept ? [...firstLines, line] : firstLines;
      reasons[why] = { count: count + 1, firstLines: shown };
    },
    counted: () => ({
      leftOut: Object.values(reasons).reduce((sum, { count }) => sum + count, 0),
      leftOutFor: reasons,
    }),
  };
}

/** Shown to the person who waits. */
type OnBytes = (bytes: number) => void;

const resultLine = v.object({
  resultId: v.string(),
  kind: v.exactOptional(v.string()),
  revision: v.exactOptional(v.number()),
  status: v.string(),
  final: v.boolean(),
  amount: v.exactOptional(v.string()),
  currency: v.exactOptional(v.string()),
  batchId: v.exactOptional(v.string()),
  occurredAt: v.exactOptional(v.string()),
});

/** The results as they were received, a message body each; of a message that was refused or a whole batch they say nothing. */
export async function readResults(path: string, books: Books, onBytes: OnBytes): Promise<Counted> {
  return readJson(path, onBytes, (value) => {
    const read = v.safeParse(resultLine, value);
    if (!read.success) return `is not a result (${read.issues[0].path?.[0]?.key ?? 'no object'})`;
    const { resultId, kind, revision, occurredAt, ...record } = read.output;
    if (kind !== undefined) return `${leftOutFor}the result of a whole batch`;
    if (revision === undefined || revision === 0) return `${leftOutFor}a word about a message that became no order`;
    books.addResult(resultId.slice(0, resultId.lastIndexOf('/')), { revision, ...record, at: occurredAt });
    return 'taken';
  });
}

/** How a line's end begins that is left out on purpose. */
const leftOutFor = 'left out: ';

async function readJson(path: string, onBytes: OnBytes, take: (value: unknown) => string): Promise<Counted> {
  const faults = createInputFaults(path);
  const leftOut = createLeftOut();
  let [lines, place] = [0, 0];
  for await (const some of fileLines(path, onBytes))
    for (const line of some) {
      place += 1;
      if (line.trim() === '') continue;
      const end = taken(line, take);
      if (end === 'taken') lines += 1;
      else if (end.startsWith(leftOutFor)) leftOut.add(end.slice(leftOutFor.length), place);
      else faults.add(`line ${place} ${end}`);
    }
  faults.end();
  return { lines, ...leftOut.counted() };
}

function taken(line: string, take: (value: unknown) => string): string {
  try {
    return take(JSON.parse(line));
  } catch {
    return 'is not JSON';
  }
}

// The gateway's report of a reconciliation: each line that is about a payment, as a record under its order's key.

/** The options about the gateway's report. */
interface GatewayChoices {
  readonly maps: ReadonlyMap<string, string>;
  readonly statuses: ReadonlyMap<string, StatusMeaning>;
}

/** A report, and whose it is, where that was said. */
export interface GatewayFile {
  readonly path: string;
  /** Said of this very file: goes over its column. */
  readonly merchant?: string;
  /** Where it has no column. */
  readonly onlyMerchant?: string;
}

/** The gateway's report: CSV with a header. */
export async function readGateway(
  { path, merchant: said, onlyMerchant }: GatewayFile,
  books: Pick<Books, 'addGateway'>,
  choices: GatewayChoices,
  onBytes: OnBytes,
): Promise<Counted> {
  const faults = createInputFaults(path);
  const leftOut = createLeftOut();
  const rounded = { orderId: createRoundedColumn(), gatewayOrderId: createRoundedColumn() };
  let [lines, row, columns] = [0, 0, 0];
  let places: Readonly<Partial<Record<ReportField, number>>> = {};
  for await (const cells of csvRows(path, onBytes)) {
    row += 1;
    if (row === 1) {
      columns = cells.findLastIndex((it) => it.trim() !== '') + 1;
      places = placesOf(path, cells, choices, (said ?? onlyMerchant) !== undefined);
      continue;
    }
    const cell = (field: ReportField) => {
      const place = places[field];
      return place === undefined ? '' : (cells[place] ?? '').trim();
    };
    const line = { status: cell('status'), type: cell('type') };
    if (line.status === '' && isTotals(cells)) {
      leftOut.add('a line of totals', row);
      continue;
    }
    const width = widthFault(cells, columns);
    if (width !== undefined) {
      faults.add(`row ${row} ${width}`);
      continue;
    }
    const meaning = meaningOfLine(line, choices.statuses);
    if (meaning === 'ignore') {
      leftOut.add(
        `${line.type === '' ? '' : `the type "${line.type}" with `}the status "${line.status}": no payment`,
        row,
      );
      continue;
    }
    if (meaning === 'unknown-type') {
      faults.add(
        `row ${row} has a type that is not known; add --status "<type>=paid" of a payout's, or "<type>=ignore"`,
      );
      continue;
    }
    const read = readRow(cell, said ?? (cell('merchant') || (onlyMerchant ?? '')));
    if (typeof read === 'string') {
      faults.add(`row ${row} ${read}`);
      continue;
    }
    lines += 1;
    for (const [field, column] of Object.entries(rounded)) column.add(cell(field as ReportField));
    const { key, ...texts } = read;
    const status = [line.type, line.status].filter(Boolean).join(' ');
    books.addGateway(key, { meaning, status, type: paymentTypeOf(line, choices.statuses), ...texts });
  }
  for (const [field, column] of Object.entries(rounded)) {
    const fault = column.fault();
    if (fault !== undefined) faults.add(`the column of the ${field} ${fault}`);
  }
  faults.end();
  return { lines, ...leftOut.counted() };
}

function placesOf(path: string, titles: readonly string[], { maps }: GatewayChoices, hasMerchant: boolean) {
  const header = reportHeader(titles, { maps, hasMerchant });
  if (header.kind === 'refused') throw new UsageError(`the header of ${path}:\n  ${header.faults.join('\n  ')}`);
  return header.places;
}

interface GatewayRow {
  readonly key: string;
  readonly amount: string;
  readonly currency: string;
  readonly gatewayOrderId?: string;
  readonly date?: string;
}

const optional = [
  ['gatewayOrderId', 'id'],
  ['date', 'text'],
] as const;

/** The texts of a line, or why it can't be compared; never with a value: a column that was taken for another may hold anything. */
function readRow(cell: (field: ReportField) => string, merchant: string): GatewayRow | string {
  if (merchant === '') return 'names no merchant';
  const orderId = inbound('id', cell('orderId'));
  if (orderId.kind === 'fault') return `has an order id that ${orderId.fault}`;
  if (orderId.text === '') return 'names no order id';
  const currency = inbound('currency', cell('currency').toUpperCase());
  if (currency.kind === 'fault' || !/^[A-Z]{3}$/.test(currency.text)) return 'has a currency that is not three letters';
  const amount = inbound('amount', cell('amount'));
  if (amount.kind === 'fault' || minorUnitsOfOthers(amount.text, currency.text) === undefined)
    return 'has an amount that is not a positive decimal such as 10.42; if it is no payment, add --status "<word>=ignore"';
  const more: Partial<Record<(typeof optional)[number][0], string>> = {};
  for (const [field, kind] of optional) {
    const text = cell(field);
    // A program's word for no value says that there is none.
    if (isNoId(text) || isEmptyWord(text)) continue;
    const read = inbound(kind, text);
    if (read.kind === 'fault') return `has a ${field} that ${read.fault}`;
    more[field] = read.text;
  }
  return { key: `${merchant}/${orderId.text}`, amount: amount.text, currency: currency.text, ...more };
}
