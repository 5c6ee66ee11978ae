// The ledger's export and the results of a reconciliation, each line as a record under its order's key. What can't be read
// is told with its line, and nothing is compared: what was left out would look like what is missing.
import * as v from 'valibot';
import { meaningOfStatus, type ReportField, reportHeader, type StatusMeaning } from '../../gateway/gateway-report.ts';
import { minorUnitsOfOthers } from '../../gateway/money.ts';
import { exportedOrderSchema } from '../../reconcile/ledger-export.ts';
import { createInputFaults, csvRows } from '../csv.ts';
import { linesOf } from '../json-lines.ts';
import { UsageError } from '../usage-error.ts';
import type { Books } from './books.ts';

/** How many lines were read, and how many of them were left out on purpose. */
export interface Counted {
  readonly lines: number;
  readonly leftOut: number;
}

/** Told to the person who waits. */
export type OnBytes = (bytes: number) => void;

/** The ledger's export (`payouts export`). */
export async function readLedger(path: string, books: Books, onBytes: OnBytes): Promise<Counted> {
  return readJson(path, onBytes, (value) => {
    const read = v.safeParse(exportedOrderSchema, value);
    if (!read.success) return `is not a line of \`payouts export\` (${read.issues[0].path?.[0]?.key ?? 'no object'})`;
    books.addLedger(read.output);
    return 'taken';
  });
}

const resultLine = v.object({
  resultId: v.string(),
  kind: v.exactOptional(v.string()),
  revision: v.exactOptional(v.number()),
  status: v.string(),
  final: v.boolean(),
  amount: v.exactOptional(v.string()),
  currency: v.exactOptional(v.string()),
});

/** The results as they were received, a message body each; of a message that was refused or a whole batch they say nothing. */
export async function readResults(path: string, books: Books, onBytes: OnBytes): Promise<Counted> {
  return readJson(path, onBytes, (value) => {
    const read = v.safeParse(resultLine, value);
    if (!read.success) return `is not a result (${read.issues[0].path?.[0]?.key ?? 'no object'})`;
    const { resultId, kind, revision, ...word } = read.output;
    if (kind !== undefined || revision === undefined) return 'left out';
    books.addResult(resultId.slice(0, resultId.lastIndexOf('/')), { revision, ...word });
    return 'taken';
  });
}

async function readJson(path: string, onBytes: OnBytes, take: (value: unknown) => string): Promise<Counted> {
  const faults = createInputFaults(path);
  let [lines, leftOut] = [0, 0];
  for await (const some of linesOf(path)) {
    let bytes = 0;
    for (const [place, line] of some.lines.entries()) {
      bytes += line.length + 1;
      if (line.trim() === '') continue;
      const end = taken(line, take);
      if (end === 'taken') lines += 1;
      else if (end === 'left out') leftOut += 1;
      else faults.add(`line ${some.firstLine + place} ${end}`);
    }
    onBytes(bytes);
  }
  faults.end();
  return { lines, leftOut };
}

function taken(line: string, take: (value: unknown) => string): string {
  try {
    return take(JSON.parse(line));
  } catch {
    return 'is not JSON';
  }
}

// The gateway's report of a reconciliation: each line that is about a payment, as a record under its order's key.

/** What the command line says of the gateway's report. */
export interface GatewayChoices {
  readonly maps: ReadonlyMap<string, string>;
  readonly statuses: ReadonlyMap<string, StatusMeaning>;
  readonly merchant?: string;
}

/** The gateway's report: CSV with a header. */
export async function readGateway(
  path: string,
  books: Books,
  choices: GatewayChoices,
  onBytes: OnBytes,
): Promise<Counted> {
  const faults = createInputFaults(path);
  let [lines, leftOut, row] = [0, 0, 0];
  let places: Readonly<Partial<Record<ReportField, number>>> = {};
  for await (const cells of csvRows(path, onBytes)) {
    row += 1;
    if (row === 1) {
      places = placesOf(path, cells, choices);
      continue;
    }
    const cell = (field: ReportField) => {
      const place = places[field];
      return place === undefined ? '' : (cells[place] ?? '').trim();
    };
    const meaning = meaningOfStatus(cell('status'), choices.statuses);
    if (meaning === 'ignore') {
      leftOut += 1;
      continue;
    }
    const [merchant, orderId] = [choices.merchant ?? cell('merchant'), cell('orderId')];
    const [amount, currency] = [cell('amount'), cell('currency').toUpperCase()];
    const fault = faultOfRow({ merchant, orderId, amount, currency });
    if (fault !== undefined) {
      faults.add(`row ${row} ${fault}`);
      continue;
    }
    lines += 1;
    const id = cell('gatewayOrderId');
    const word = { meaning, status: cell('status'), amount, currency, ...(id !== '' && { gatewayOrderId: id }) };
    books.addGateway(`${merchant}/${orderId}`, word);
  }
  faults.end();
  return { lines, leftOut };
}

function placesOf(path: string, titles: readonly string[], { maps, merchant }: GatewayChoices) {
  const header = reportHeader(titles, { maps, hasMerchant: merchant !== undefined });
  if (header.kind === 'refused') throw new UsageError(`the header of ${path}:\n  ${header.faults.join('\n  ')}`);
  return header.places;
}

/** Never with the values: a column that was taken for another may hold anything. */
function faultOfRow(it: Readonly<Record<'merchant' | 'orderId' | 'amount' | 'currency', string>>): string | undefined {
  if (it.merchant === '') return 'names no merchant';
  if (it.orderId === '') return 'names no order id';
  if (!/^[A-Z]{3}$/.test(it.currency)) return 'has a currency that is not three letters';
  if (minorUnitsOfOthers(it.amount, it.currency) !== undefined) return undefined;
  return 'has an amount that is not a positive decimal such as 10.42; if it is no payment, say --status "<word>=ignore"';
}
