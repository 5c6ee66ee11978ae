// The orders of the worker under their table's record. After a restore an order that has not
// seen it is under its gap, and an order that the table does not hold may be one that it has lost. On a table that is another's
// copy nothing is decided. Every way to a POST leads through these orders, so no journey needs to know of tables.
import type { Controls } from '../payout/operate/control.ts';
import { attemptsOf } from '../payout/order/facts.ts';
import { numbersFrom, type Order } from '../payout/order/order.ts';
import type { NoOrder, Orders, ReadOrder, StandingOrder, Written } from '../payout/order/orders.ts';

/** A restore. */
interface Restored {
  /** The time of the backup: later writes are lost. */
  readonly toMs: number;
  /** The time since when this table is the ledger: the end of the gap, and the restore's number. */
  readonly sinceMs: number;
  /** Every order of the gap is back: an order that the table does not hold is a new one. */
  readonly settled: boolean;
}

/** The standing of a table for the worker. */
export type LedgerStanding =
  | { readonly kind: 'ledger' }
  /** A copy of another table, or one that another has taken over from: nothing may be decided by it. */
  | { readonly kind: 'foreign'; readonly of: string }
  | { readonly kind: 'restored'; readonly restored: Restored };

/** The record of a table; a few seconds old at most. */
export interface Restoration {
  /** Rejects where it was never read and can't be read now: then nothing may be decided. */
  standing(): Promise<LedgerStanding>;
}

/** The table that the worker was given is not the ledger. */
export class ForeignLedgerError extends Error {
  readonly code = 'LEDGER_FOREIGN';
}

/** Orders that obey their table's record. */
export function ordersAfterRestore(orders: Orders, restoration: Restoration): Orders {
  async function ownStanding(): Promise<LedgerStanding> {
    const standing = await restoration.standing();
    if (standing.kind !== 'foreign') return standing;
    throw new ForeignLedgerError(
      `the table is the ledger of ${standing.of}; after a restore, say: \`npx --no payouts restore begin --to TIME --reason WHY\``,
    );
  }

  const withGap = <It extends { readonly kind: string }>(
    it: It | StandingOrder,
    standing: LedgerStanding,
  ): It | StandingOrder => (isFound(it) ? beneath(it, standing) : it);

  /** A first write, of the claim or of a writer that knows something of an order that is not there. */
  async function begin(order: Order, first: (order: Order) => Promise<Written>): Promise<Written> {
    const standing = await ownStanding();
    if (standing.kind !== 'restored') return first(order);
    const { sinceMs: number, settled } = standing.restored;
    // Known facts of an order may always be written; a write that relies on its never having been sent may not under the gap.
    if (settled ? order.restore === number : isHeardOf(order))
      return withGap(await first({ ...order, restore: number }), standing);
    const read = await orders.read(order.key);
    return read.kind === 'none' ? noneAfter(standing.restored) : withGap(read, standing);
  }

  return {
    async read(key) {
      const standing = await ownStanding();
      const read: ReadOrder = withGap(await orders.read(key), standing);
      return read.kind === 'none' && standing.kind === 'restored' ? noneAfter(standing.restored) : read;
    },
    put: (order) => begin(order, (it) => orders.put(it)),
    async write(before, next) {
      if (before.version === 0) return begin(next, (it) => orders.write(before, it));
      const standing = await ownStanding();
      return withGap(await orders.write(before, next), standing);
    },
    async mark(order, unpublished) {
      const standing = await ownStanding();
      if (standing.kind !== 'restored' || (order.restore ?? 0) >= standing.restored.sinceMs)
        return orders.mark(order, unpublished);
      // The item bears another revision than the order that was read beneath the gap, and a mark that names none is lost.
      const read = await orders.read(order.key);
      if (read.kind !== 'found') return;
      const { revision } = raised(read.order, standing.restored.sinceMs);
      if (revision === order.published.revision) await orders.mark(read.order, unpublished);
    },
    async note(key, place, callback, nowMs) {
      const standing = await ownStanding();
      const isGap = standing.kind === 'restored' && !standing.restored.settled;
      // No item is begun for a callback under a gap: it waits on its queue until the order is back, or known to be none.
      if (isGap && (await orders.read(key)).kind === 'none')
        throw new Error('the table was restored and may have lost the order of this callback');
      return orders.note(key, place, callback, nowMs);
    },
  };
}

/** No order is there: one may have been lost, until a person has declared that all are back. */
const noneAfter = ({ sinceMs, settled }: Restored): NoOrder => ({
  kind: 'none',
  ...(settled ? { restore: sinceMs } : { gap: { number: sinceMs } }),
});

const isFound = (it: { readonly kind: string }): it is Extract<StandingOrder, { kind: 'found' }> => it.kind === 'found';

/** Something is known of it: an answer, or an id. */
const isHeardOf = ({ facts }: Order): boolean =>
  attemptsOf(facts).some(({ answer, lapsed, ids }) => answer !== undefined || lapsed !== undefined || ids.length > 0);

/** An order that has not seen the restore bears its gap, and revisions above all that were published in it. */
function beneath(it: Extract<StandingOrder, { kind: 'found' }>, standing: LedgerStanding): StandingOrder {
  if (standing.kind !== 'restored') return it;
  const { sinceMs: number } = standing.restored;
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
      const [standing, control] = await Promise.all([restoration.standing(), controls.of(merchant, batchId)]);
      return standing.kind === 'foreign' ? { ...control, paused: true } : control;
    },
  };
}
