// What lib/restore/restored-orders.ts promises of a table's word about itself, as stories.
import { describe, expect, it } from 'vitest';
import type { Restoration } from '../../lib/restore/restored-orders.ts';
import { createManualClock, type ManualClock, startMs } from '../support/time-and-chance.ts';
import type { RestoreAdmin } from '../../lib/restore/dynamodb-restore-admin.ts';

const saying = { by: 'anna', reason: 'the table was deleted', atMs: startMs };
const restored = { toMs: startMs - 3_600_000, sinceMs: startMs };

/** Runs the suite. `make` answers with the word of one more table, and with another reader of it. */
export function describeRestoration(
  name: string,
  make: (clock: ManualClock) => Promise<{ table: Restoration & RestoreAdmin; reader: Restoration }>,
): void {
  describe(`what a table says of itself, in ${name}`, () => {
    it('is that it is the ledger, where nothing was said and where it was stamped', async () => {
      const { table } = await make(createManualClock());
      expect(await table.role()).toEqual({ kind: 'ledger' });
      await table.stamp();
      await table.stamp();
      expect(await table.role()).toEqual({ kind: 'ledger' });
    });

    it('is known to others within seconds when another table takes over', async () => {
      const clock = createManualClock();
      const { table, reader } = await make(clock);
      await table.stamp();
      expect(await reader.role()).toEqual({ kind: 'ledger' });
      await table.handOver('payouts-prod-ledger-2', saying);
      clock.advance(3_000);
      expect(await reader.role()).toEqual({ kind: 'foreign', of: 'payouts-prod-ledger-2' });
      await table.stamp();
      expect(await table.role()).toEqual({ kind: 'foreign', of: 'payouts-prod-ledger-2' });
    });

    it('is a restore from when it begins, settled when it was settled', async () => {
      const { table } = await make(createManualClock());
      await table.handOver('the-table-it-was-copied-from', saying);
      await table.begin(restored, saying);
      expect(await table.role()).toEqual({ kind: 'restored', restored: { ...restored, settled: false } });
      await table.settle(saying);
      expect(await table.role()).toEqual({ kind: 'restored', restored: { ...restored, settled: true } });
    });
  });
}
