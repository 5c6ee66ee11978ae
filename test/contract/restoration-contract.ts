// What lib/restore/restored-orders.ts promises of a restore that is written in the ledger, as stories.
import { describe, expect, it } from 'vitest';
import type { Restoration } from '../../lib/restore/restored-orders.ts';
import { createManualClock, type ManualClock, startMs } from '../support/time-and-chance.ts';
import type { RestoreAdmin } from '../../lib/restore/dynamodb-restore-admin.ts';

const saying = { by: 'anna', reason: 'the table was deleted', atMs: startMs };
const restored = { toMs: startMs - 3_600_000, sinceMs: startMs, tableId: 'its id' };

/** Runs the suite. `make` answers with one more table. */
export function describeRestoration(
  name: string,
  make: (clock: ManualClock) => Promise<{ table: Restoration & RestoreAdmin }>,
): void {
  describe(`what is written in a ledger of its restore, in ${name}`, () => {
    it('is nothing, where no restore was begun', async () => {
      const { table } = await make(createManualClock());
      expect(await table.role()).toEqual({ kind: 'ledger' });
      await table.stamp();
      await table.stamp();
      expect(await table.role()).toEqual({ kind: 'ledger' });
    });

    it('is a restore from when it begins, settled when it was settled', async () => {
      const { table } = await make(createManualClock());
      await table.begin(restored, saying);
      const { tableId: _, ...its } = restored;
      expect(await table.role()).toEqual({ kind: 'restored', restored: { ...its, settled: false } });
      await table.settle(saying);
      expect(await table.role()).toEqual({ kind: 'restored', restored: { ...its, settled: true } });
    });
  });
}
