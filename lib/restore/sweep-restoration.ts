// What taking a restored table into service adds to the sweep: a table that says nothing of itself yet is told that it is
// the ledger.
import type { SweepRound } from '../payout/sweep.ts';
import type { RestoreAdmin } from './restored-ledger.ts';

/** The round that stamps the table. */
export function restorationRound({ stamp }: Pick<RestoreAdmin, 'stamp'>): SweepRound {
  return {
    name: 'restoration',
    async run() {
      await stamp();
      return {};
    },
  };
}
