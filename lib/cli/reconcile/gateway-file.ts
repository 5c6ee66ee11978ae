// The gateway's report of a reconciliation: each line that is about a payment, as a record under its order's key.
import { meaningOfStatus, type ReportField, reportHeader, type StatusMeaning } from '../../gateway/gateway-report.ts';
import { minorUnitsOfOthers } from '../../gateway/money.ts';
import { createInputFaults, csvRows } from '../csv.ts';
import type { Books } from './books.ts';
import type { Counted, OnBytes } from './reconcile-inputs.ts';
import { UsageError } from '../usage-error.ts';

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
