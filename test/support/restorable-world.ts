// A world whose table of orders can be lost and restored: the worker obeys the table's record of itself.
import type { Order } from '../../lib/payout/order/order.ts';
import { beginRestore } from '../../lib/restore/restore-ledger.ts';
import { controlsAfterRestore, ordersAfterRestore } from '../../lib/restore/restored-orders.ts';
import { createMemoryRestoration } from './memory-restoration.ts';
import { aWorld, type World, type WorldChoices } from './world.ts';

/** The person who restores, and the reason. */
export const lost = { by: 'anna', reason: 'the table was deleted', atMs: 0 };

/** The world, its table's record of itself, and the way back to a backup. */
export interface RestorableWorld {
  readonly world: World;
  readonly restoration: ReturnType<typeof createMemoryRestoration>;
  /** The ports of the worker. */
  readonly ports: World['ports'];
  /** The table itself, for the tool that puts back published results. */
  readonly table: World['ports'];
  backup(): ReadonlyMap<string, Order>;
  /** Puts the backup in the place of the table and takes it into service; results published until then are taken away. */
  restore(backup: ReadonlyMap<string, Order>): Promise<void>;
}

/** A world in which all is well. */
export function restorableWorld(choices: WorldChoices = {}): RestorableWorld {
  const world = aWorld(choices);
  const restoration = createMemoryRestoration();
  const table = { ...world.ports };
  const orders = ordersAfterRestore(table.orders, restoration);
  const ports = Object.assign(world.ports, { orders, controls: controlsAfterRestore(table.controls, restoration) });
  return {
    world,
    restoration,
    ports,
    table,
    backup: () => new Map(world.items),
    async restore(backup) {
      const kept = [...backup];
      world.items.clear();
      for (const [key, order] of kept) world.items.set(key, order);
      world.clock.advance(60_000);
      await beginRestore(0, lost, { ...table, controlsAdmin: world.controls, restoreAdmin: restoration });
      await world.controls.pause(undefined, false, lost);
      world.results.taken.splice(0);
      world.clock.advance(120_000);
    },
  };
}
