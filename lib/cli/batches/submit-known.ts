// Each row's order is looked up in the ledger, a hundred at a time and a few reads at once, so that the question names the money that will
// really move.
import { inOrder } from '../../batches/batch-payouts.ts';
import type { CheckedRow, GoodRow } from '../../files/check-rows.ts';
import {
  createKnownRowsCounter,
  isOpenedBy,
  knownAs,
  type KnownKind,
  knownKinds,
  type KnownRows,
  type CountedMoney,
} from '../../batches/known-orders.ts';
import { type Totals, totalsAsLists } from '../../batches/tally.ts';
import type { FingerprintKeys } from '../../payout/message/fingerprint.ts';
import { orderKey } from '../../payout/order/order.ts';
import { type OrderView, viewOf } from '../../payout/order/projection.ts';
import { counted } from '../../payout/operate/spelling.ts';
import { plainTable } from '../plain-table.ts';
import type { ToolPorts } from '../tool-ports.ts';

const readsAtOnce = 8;

/** A row whose order the ledger knows. */
type OnKnown = (row: GoodRow, kind: KnownKind, known: OrderView) => Promise<void>;

/** Looks up the rows, a hundred a piece at most; reports them in their order. */
export async function lookUp(
  rows: AsyncIterable<readonly CheckedRow[]>,
  { knownOrders }: Pick<ToolPorts, 'knownOrders'>,
  keys: FingerprintKeys | undefined,
  onKnown: OnKnown,
): Promise<KnownRows> {
  const counter = createKnownRowsCounter();
  const looked = inOrder(rows, readsAtOnce, async (some) => {
    const good = some.filter((row) => row.kind === 'job');
    return { good, found: await knownOrders.read(good.map(({ job }) => orderKey(job))) };
  });
  for await (const { good, found } of looked)
    for (const row of good) {
      const { order, unreadable } = found.get(orderKey(row.job)) ?? {};
      const kind = order ? knownAs(row.job, order, keys) : unreadable ? 'sent' : undefined;
      counter.add(row.job, kind);
      // Rows that this very retry has sent are no news: it goes on where it was.
      if (kind && order && !isOpenedBy(row.job, order)) await onKnown(row, kind, viewOf(order));
    }
  return counter.taken();
}

/** The orders of the rows that the ledger knows, and what is left; empty if it knows none. */
export function knownAsText({ moving, known }: KnownRows): string {
  const kinds = (Object.keys(knownKinds) as KnownKind[]).flatMap((kind) => {
    const sum = known[kind];
    return sum ? [[knownKinds[kind], sum] as const] : [];
  });
  if (kinds.length === 0) return '';
  const rows = [...kinds, ['all others: to be sent', moving] as const].flatMap(([name, sum]) =>
    moneyLines(sum).map((cells, place) => [place === 0 ? name : '', place === 0 ? sum.rows : '', ...cells]),
  );
  const table = plainTable(['in the ledger already', 'rows', 'total', ''], ['left', 'right', 'right', 'left'], rows);
  return `${table}\n\n`;
}

function moneyLines({ money }: CountedMoney): readonly (readonly [string, string])[] {
  const lines = totalsAsLists(money).map(({ amount, currency }) => [amount, currency] as const);
  return lines.length === 0 ? [['', '']] : lines;
}

/** The question: it names the money that moves, never what the file says. */
export function sendQuestion({ rows, moving }: KnownRows): string {
  const sums = moneyLines(moving).flatMap(([amount, currency]) => (amount === '' ? [] : [`${amount} ${currency}`]));
  const count = moving.rows === rows ? counted(rows, 'row') : `${moving.rows} of ${counted(rows, 'row')}`;
  if (moving.rows === 0) return 'None of the rows is sent again. Put them on the queue all the same?';
  return `Send ${sums.length === 0 ? count : `${sums.join(' and ')} in ${count}`}?`;
}

/** Counts and amounts by currency, for programs. */
export const totalsAsJson = (totals: Totals) =>
  Object.fromEntries(totalsAsLists(totals).map(({ currency, ...sum }) => [currency, sum]));

/** The same for programs. */
export function knownAsJson({ moving, known }: KnownRows): object {
  const summed = ({ rows, money }: CountedMoney) => ({ rows, totals: totalsAsJson(money) });
  const kinds = Object.entries(known).map(([kind, sum]) => [kind, summed(sum)] as const);
  return { moving: summed(moving), known: Object.fromEntries(kinds) };
}

/** Why a row of this file is not sent. */
export function knownText(kind: KnownKind, { batchId, standing }: OrderView): string {
  const where = batchId === undefined ? '' : ` in batch ${batchId}`;
  switch (kind) {
    case 'sent':
      return `was sent already${where}, under this order id; it is not sent again`;
    case 'ended':
      return `is ${standing}${where} under this order id; it is not sent again under it`;
    case 'other-content':
      return `has an order id that was used for another payment${where}; it would be refused`;
  }
}
