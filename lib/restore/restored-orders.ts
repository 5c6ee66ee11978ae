// The orders of the worker under their table's record. After a restore an order that has not
// seen it is under its gap, and an order that the table does not hold may be one that it has lost. By a table that is not the ledger
// nothing is decided. Every way to a POST leads through these orders, so no journey needs to know of tables.
import type { DueWork } from '../payout/inquire/due-work.ts';
import type { Controls } from '../payout/operate/control.ts';
import { attemptsOf } from '../payout/order/facts.ts';
import { numbersFrom, type Order } from '../payout/order/order.ts';
import type { NoOrder, Orders, ReadOrder, StoredOrder, Written } from '../payout/order/orders.ts';

/** A restore. */
interface Restored {
  /** The time of the backup: later writes are lost. */
  readonly toMs: number;
  /** The time since when this table is the ledger: the end of the gap, and the restore's number. */
  readonly sinceMs: number;
  /** Every order of the gap is back: an order that the table does not hold is a new one. */
  readonly settled: boolean;
}

/** The role of a table for the worker. */
export type LedgerRole =
  | { readonly kind: 'ledger' }
  /** Not a table of the worker's record: nothing may be decided by it. */
  | { readonly kind: 'foreign'; readonly why: string }
  | { readonly kind: 'restored'; readonly restored: Restored };

/** The comparison of the tables with their record, and what a restore has written into the ledger; a few seconds old at most. */
export interface Restoration {
  /** Rejects where it was never read and can't be read now: then nothing may be decided. */
  role(): Promise<LedgerRole>;
}

/** The table that the worker was given is not the ledger. */
export class ForeignLedgerError extends Error {
  readonly code = 'LEDGER_FOREIGN';
}

/** The role of a table by which something may be decided. Rejects with ForeignLedgerError for another. */
async function ownRole(restoration: Restoration): Promise<Exclude<LedgerRole, { kind: 'foreign' }>> {
  const role = await restoration.role();
  if (role.kind === 'foreign') throw new ForeignLedgerError(role.why);
  return role;
}

/** Orders that obey their table's record. */
export function ordersAfterRestore(orders: Orders, restoration: Restoration): Orders {
  const withGap = <It extends { readonly kind: string }>(it: It | StoredOrder, role: LedgerRole): It | StoredOrder =>
    isFound(it) ? beneath(it, role) : it;

  /** A first write, of the claim or of a writer that knows something of an order that is not there. */
  async function begin(order: Order, first: (order: Order) => Promise<Written>): Promise<Written> {
    const role = await ownRole(restoration);
    if (role.kind !== 'restored') return first(order);
    const { sinceMs: number, settled } = role.restored;
    // Known facts of an order may always be written; a write that relies on its never having been sent may not under the gap.
    if (settled ? order.restore === number : isHeardOf(order))
      return withGap(await first({ ...order, restore: number }), role);
    const read = await orders.read(order.key);
    return read.kind === 'none' ? noneAfter(role.restored) : withGap(read, role);
  }

  return {
    async read(key) {
      const role = await ownRole(restoration);
      const read: ReadOrder = withGap(await orders.read(key), role);
      return read.kind === 'none' && role.kind === 'restored' ? noneAfter(role.restored) : read;
    },
    put: (order) => begin(order, (it) => orders.put(it)),
    async write(before, next) {
      if (before.version === 0) return begin(next, (it) => orders.write(before, it));
      const role = await ownRole(restoration);
      return withGap(await orders.write(before, next), role);
    },
    async mark(order, unpublished) {
      const role = await ownRole(restoration);
      if (role.kind !== 'restored' || (order.restore ?? 0) >= role.restored.sinceMs)
        return orders.mark(order, unpublished);
      // The item bears another revision than the order that was read beneath the gap, and a mark that names none is lost.
      const read = await orders.read(order.key);
      if (read.kind !== 'found') return;
      const { revision } = raised(read.order, role.restored.sinceMs);
      if (revision === order.published.revision) await orders.mark(read.order, unpublished);
    },
  };
}

/** No order is there: one may have been lost, until a person has declared that all are back. */
const noneAfter = ({ sinceMs, settled }: Restored): NoOrder => ({
  kind: 'none',
  ...(settled ? { restore: sinceMs } : { gap: { number: sinceMs } }),
});

const isFound = (it: { readonly kind: string }): it is Extract<StoredOrder, { kind: 'found' }> => it.kind === 'found';

/** Something is known of it: an answer, or an id. */
const isHeardOf = ({ facts }: Order): boolean =>
  attemptsOf(facts).some(({ answer, lapsed, ids }) => answer !== undefined || lapsed !== undefined || ids.length > 0);

/** An order that has not seen the restore bears its gap, and revisions above all that were published in it. */
function beneath(it: Extract<StoredOrder, { kind: 'found' }>, role: LedgerRole): StoredOrder {
  if (role.kind !== 'restored') return it;
  const { sinceMs: number } = role.restored;
  const { order } = it;
  if ((order.restore ?? 0) >= number) return it;
  return { ...it, order: { ...order, published: raised(order, number) }, gap: { number } };
}

const raised = ({ published }: Order, number: number): Order['published'] => ({
  ...published,
  revision: Math.max(published.revision, numbersFrom(number)),
});

/** Controls by which all merchants wait while the table is not the ledger. */
export function controlsAfterRestore<C extends Controls>(controls: C, restoration: Restoration): C {
  return {
    ...controls,
    async of(merchant, batchId) {
      const [role, control] = await Promise.all([restoration.role(), controls.of(merchant, batchId)]);
      return role.kind === 'foreign' ? { ...control, paused: true } : control;
    },
  };
}

/** Orders that are due, of which none is moved while the table is not the ledger. */
export const dueWorkAfterRestore = <D extends DueWork>(dueWork: D, restoration: Restoration): D => ({
  ...dueWork,
  async move(...asked) {
    await ownRole(restoration);
    return dueWork.move(...asked);
  },
});
