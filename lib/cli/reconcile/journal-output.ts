// `payouts reconcile --journal`: what moved, a line a movement, by day, for the books; the sums beside it.
import { csvText } from '../../files/csv.ts';
import { journalColumns } from '../../reconcile/journal.ts';
import type { Scope } from '../../reconcile/scope.ts';
import { plainTable } from '../plain-table.ts';
import { counted } from '../../payout/operate/spelling.ts';
import type { openRowsWithTotals } from '../../files/row-output.ts';
import type { Books } from './books.ts';

type Journal = Awaited<ReturnType<typeof writeJournal>>;

const columns = Object.keys(journalColumns) as (keyof typeof journalColumns)[];
const totalColumns = ['day', 'movement', 'lines', 'amount', 'currency'] as const;

/** Writes what moved on these days, whenever its order was sent. */
export async function writeJournal(books: Books, scope: Scope, out: Awaited<ReturnType<typeof openRowsWithTotals>>) {
  await out.write(csvText([columns]));
  let movements = 0;
  for (const line of books.movements(scope)) {
    await out.write(csvText([columns.map((name) => line[name])]));
    movements += 1;
  }
  const totals = books.totals(scope);
  const files = await out.close(csvText([totalColumns, ...totals.map((it) => totalColumns.map((name) => it[name]))]));
  return { movements, totals, files };
}

/** The sums of a journal, and where it is. */
export function journalText({ movements, totals, files }: Journal, unreadable: number): string {
  const rows = totals.map((it) => totalColumns.map((name) => it[name]));
  const table = plainTable([...totalColumns], ['left', 'left', 'right', 'right', 'left'], rows);
  const newer = unreadable > 0 ? `; ${counted(unreadable, 'order')} of a newer version NOT in it` : '';
  return `${table}\n  ${counted(movements, 'movement')}; written: ${files.join(', ')}${newer}\n`;
}
