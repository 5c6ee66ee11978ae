// Each row's order is looked up in the ledger while the file is read, a hundred at a time and a few reads at once, so that the
// question names the money that will really move.
import type { GoodRow } from '../../batches/check-rows.ts';
import {
  createKnownRowsCounter,
  isOpenedBy,
  knownAs,
  type KnownKind,
  knownKinds,
  type KnownRows,
  type CountedMoney,
} from '../../batches/known-orders.ts';
import type { Totals } from '../../batches/tally.ts';
import { formatMinorUnits } from '../../gateway/money.ts';
import type { FingerprintKeys } from '../../payout/message/fingerprint.ts';
import { orderKey } from '../../payout/order/order.ts';
import { type OrderView, viewOf } from '../../payout/order/view.ts';
import { plainTable } from '../plain-table.ts';
import type { ToolPorts } from '../tool-ports.ts';

const keysAtOnce = 100;
const readsAtOnce = 8;

/** A row whose order the ledger knows. */
type OnKnown = (row: GoodRow, kind: KnownKind, known: OrderView) => Promise<void>;

/** Looks rows up. */
export interface RowsLookup {
  /** Resolves when there is room for more rows. */
  add(row: GoodRow): Promise<void> | undefined;
  /** When every row has been looked up; undefined where the ledger could not be read. */
  finish(): Promise<KnownRows | undefined>;
}

/**
 * The same for who only looks at a file and may not read the ledger: then nothing is known, and that is said once. Whoever
 * sends must know.
 */
export function lookupWherePossible(lookup: RowsLookup, onUnreadable: () => void): RowsLookup {
  let isOver = false;
  const end = () => {
    if (!isOver) onUnreadable();
    isOver = true;
  };
  return {
    add: (row) => (isOver ? undefined : lookup.add(row)?.catch(end)),
    finish: async () => (isOver ? undefined : lookup.finish().catch(() => void end())),
  };
}

/** Nothing is looked up yet. */
export function createRowsLookup(
  { knownOrders }: Pick<ToolPorts, 'knownOrders'>,
  keys: FingerprintKeys | undefined,
  onKnown: OnKnown,
): RowsLookup {
  const counter = createKnownRowsCounter();
  const underWay: Promise<void>[] = [];
  let slice: GoodRow[] = [];

  async function look(rows: readonly GoodRow[], before: Promise<void> | undefined): Promise<void> {
    const found = await knownOrders.read(rows.map(({ job }) => orderKey(job)));
    // Reported in the order of the file.
    await before;
    for (const row of rows) {
      const { order, unreadable } = found.get(orderKey(row.job)) ?? {};
      const kind = order ? knownAs(row.job, order, keys) : unreadable ? 'sent' : undefined;
      counter.add(row.job, kind);
      // Rows that this very retry has sent are no news: it goes on where it was.
      if (kind && order && !isOpenedBy(row.job, order)) await onKnown(row, kind, viewOf(order));
    }
  }

  function send(): void {
    const next = look(slice, underWay.at(-1));
    // Awaited when its turn comes; a failure before that must not count as unhandled.
    next.catch(() => {});
    underWay.push(next);
    slice = [];
  }

  return {
    add(row) {
      slice.push(row);
      if (slice.length < keysAtOnce) return undefined;
      send();
      return underWay.length < readsAtOnce ? undefined : underWay.shift();
    },
    async finish() {
      if (slice.length > 0) send();
      for (const read of underWay.splice(0)) await read;
      return counter.taken();
    },
  };
}

/** The orders of the rows that the ledger knows, and what is left; empty where it knows none. */
export function knownAsText({ moving, known }: KnownRows): string {
  const kinds = (Object.keys(knownKinds) as KnownKind[]).flatMap((kind) => {
    const sum = known[kind];
    return sum ? [[knownKinds[kind], sum] as const] : [];
  });
  if (kinds.length === 0) return '';
  const rows = [...kinds, ['left: this is sent', moving] as const].flatMap(([name, sum]) =>
    moneyLines(sum).map((cells, place) => [place === 0 ? name : '', place === 0 ? sum.rows : '', ...cells]),
  );
  const table = plainTable(['in the ledger already', 'rows', 'total', ''], ['left', 'right', 'right', 'left'], rows);
  return `${table}\n\n`;
}

function moneyLines({ money }: CountedMoney): (readonly [string, string])[] {
  if (money.size === 0) return [['', '']];
  return [...money].map(([currency, { minorUnits }]) => [formatMinorUnits(minorUnits, currency), currency]);
}

/** The question: it names the money that moves, never what the file says. */
export function sendQuestion({ rows, moving }: KnownRows): string {
  const sums = moneyLines(moving).flatMap(([amount, currency]) => (amount === '' ? [] : [`${amount} ${currency}`]));
  const counted = moving.rows === rows ? `${rows === 1 ? '1 row' : `${rows} rows`}` : `${moving.rows} of ${rows} rows`;
  if (moving.rows === 0) return 'None of the rows is sent again. Put them on the queue all the same?';
  return `Send ${sums.length === 0 ? counted : `${sums.join(' and ')} in ${counted}`}?`;
}

/** Counts and amounts by currency, for programs. */
export const totalsAsJson = (totals: Totals) =>
  Object.fromEntries(
    Object.entries(totals).map(([currency, { count, minorUnits }]) => [
      currency,
      { count, amount: formatMinorUnits(minorUnits, currency) },
    ]),
  );

/** The same for programs. */
export function knownAsJson({ moving, known }: KnownRows): object {
  const counted = ({ rows, money }: CountedMoney) => ({ rows, totals: totalsAsJson(Object.fromEntries(money)) });
  const kinds = Object.entries(known).map(([kind, sum]) => [kind, counted(sum)] as const);
  return { moving: counted(moving), known: Object.fromEntries(kinds) };
}

/** Why a row of this file is not sent. */
export function knownText(kind: KnownKind, { batchId, state }: OrderView): string {
  const where = batchId === undefined ? '' : ` in batch ${batchId}`;
  switch (kind) {
    case 'sent':
      return `was sent already${where}, under this order id; it is not sent again`;
    case 'ended':
      return `is ${state}${where} under this order id; it is not sent again under it`;
    case 'other-content':
      return `has an order id that was used for another payment${where}; it would be refused`;
  }
}
