// While its tables are not those of their record, a process decides nothing. Every way to a POST leads through these orders, so no journey
// needs to know of tables.
import type { DueWork } from '../payout/inquire/due-work.ts';
import type { Controls } from '../payout/operate/control.ts';
import type { Orders } from '../payout/order/orders.ts';
import type { Restored } from '../payout/order/restored.ts';
import type { KnownTables } from './known-tables.ts';

/** The table that the worker was given is not the ledger. */
export class ForeignLedgerError extends Error {
  readonly code = 'LEDGER_FOREIGN';
}

/** The last restore of the known tables. Rejects with ForeignLedgerError for other tables. */
async function requireKnown(tables: KnownTables): Promise<Restored | undefined> {
  const verdict = await tables.verdict();
  if (verdict.kind === 'unknown') throw new ForeignLedgerError(verdict.why);
  return verdict.restored;
}

/** Orders of the known tables alone. */
export function ordersWhileKnown(orders: Orders, tables: KnownTables): Orders {
  const known =
    <Asked extends readonly unknown[], Answer>(call: (...asked: Asked) => Promise<Answer>) =>
    async (...asked: Asked): Promise<Answer> => {
      await requireKnown(tables);
      return call(...asked);
    };
  return {
    read: known((key) => orders.read(key)),
    write: known((before, next) => orders.write(before, next)),
    markPublished: known((order) => orders.markPublished(order)),
    restored: () => requireKnown(tables),
  };
}

/** Controls that pause all merchants while the tables are not the known ones. */
export function controlsWhileKnown<C extends Controls>(controls: C, tables: KnownTables): C {
  return {
    ...controls,
    async of(merchant, batchId) {
      const [verdict, control] = await Promise.all([tables.verdict(), controls.of(merchant, batchId)]);
      return verdict.kind === 'unknown' ? { ...control, paused: true } : control;
    },
  };
}

/** Orders that are due, of which none is moved while the tables are not the known ones. */
export const dueWorkWhileKnown = <D extends DueWork>(dueWork: D, tables: KnownTables): D => ({
  ...dueWork,
  async move(...asked) {
    await requireKnown(tables);
    return dueWork.move(...asked);
  },
});
