// A table's record of itself in memory, for tests and benchmarks.
import type { Restoration, LedgerRole } from '../../lib/restore/restored-orders.ts';
import type { RestoreAdmin } from '../../lib/restore/dynamodb-restore-admin.ts';

/** The record of a table that is the ledger until somebody changes it. */
export function createMemoryRestoration(): Restoration & RestoreAdmin {
  let standing: LedgerRole = { kind: 'ledger' };
  return {
    role: () => Promise.resolve(standing),
    stamp: async () => {},
    movedFrom: async () => undefined,
    noteRefused: async () => {},
    begin: async (restored) => void (standing = { kind: 'restored', restored: { ...restored, settled: false } }),
    async settle() {
      if (standing.kind !== 'restored') throw new Error('there was no restore');
      standing = { kind: 'restored', restored: { ...standing.restored, settled: true } };
    },
    handOver: async (toTable) => void (standing = { kind: 'foreign', of: toTable }),
  };
}
