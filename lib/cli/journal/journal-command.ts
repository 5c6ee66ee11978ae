// `payouts journal`: what moved, a line a movement, by day, for the books. Exit codes: 0 written, 1 orders were written by
// newer code and are not in it, 2 bad input.
import { viewOf } from '../../payout/order/projection.ts';
import { couldBear } from '../../payout/message/job.ts';
import { dayTotals, journalColumns, type Movement, movementsOf } from '../../reconcile/journal.ts';
import { toolPorts } from '../tool-ports.ts';
import { csvText } from '../../files/csv.ts';
import { plainTable } from '../plain-table.ts';
import { jsonLines, openRowsWithTotals } from '../row-output.ts';
import { counted } from '../quantities.ts';
import { UsageError } from '../../files/usage-error.ts';

/** Options of `payouts journal`. */
interface JournalOptions {
  /** First and last day, in UTC. */
  readonly from: string;
  readonly to: string;
  readonly merchant?: string;
  readonly format: 'csv' | 'jsonl';
  readonly output?: string;
}

const columns = Object.keys(journalColumns) as (keyof typeof journalColumns)[];
const totalColumns = ['day', 'movement', 'lines', 'amount', 'currency'] as const;

/** Runs the command; returns the exit code. */
export async function runJournal(options: JournalOptions): Promise<number> {
  const { from, to, merchant, output } = options;
  if (to < from) throw new UsageError('--to is a day before --from');
  if (merchant !== undefined && !couldBear({ merchant }))
    throw new UsageError(`no job could bear the merchant "${merchant}"`);
  const { lines, unreadable } = await movementsBetween(options);
  const totals = dayTotals(lines);
  const out = await openRowsWithTotals(output);
  await out.write(textOf(columns, lines, options));
  const files = await out.close(textOf(totalColumns, totals, options));
  const table = plainTable(
    [...totalColumns],
    ['left', 'left', 'right', 'right', 'left'],
    totals.map((it) => totalColumns.map((name) => it[name])),
  );
  const left = unreadable > 0 ? `; ${counted(unreadable, 'order')} of a newer version NOT in it` : '';
  const where = files.length === 0 ? '' : `; written: ${files.join(', ')}`;
  process.stderr.write(`${table}\npayouts: ${counted(lines.length, 'movement')}${where}${left}\n`);
  return unreadable > 0 ? 1 : 0;
}

/** An order that moved on a day was written on it or later. */
async function movementsBetween({ from, to, merchant }: JournalOptions) {
  const only = { sinceMs: Date.parse(`${from}T00:00:00Z`), ...(merchant !== undefined && { merchant }) };
  const lines: Movement[] = [];
  let unreadable = 0;
  for await (const some of toolPorts().allOrders.scan(only))
    for (const found of some) {
      if (found.kind !== 'found') unreadable += 1;
      else lines.push(...movementsOf(viewOf(found.order)).filter(({ day }) => day >= from && day <= to));
    }
  const keyOf = ({ time, merchant: whose, order_id }: Movement) => `${time} ${whose} ${order_id}`;
  return { lines: lines.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)), unreadable };
}

/** Lines under these columns, in the form that was asked for. */
function textOf<Name extends string>(
  columnNames: readonly Name[],
  lines: readonly Readonly<Partial<Record<Name, string | number>>>[],
  { format }: JournalOptions,
): string {
  if (format === 'jsonl') return jsonLines(lines);
  return csvText([columnNames, ...lines.map((it) => columnNames.map((name) => it[name]))]);
}
