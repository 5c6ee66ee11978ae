// What batches add to the sweep: those whose rows have all ended are closed, and their results told.
import type { SweepRound } from '../payout/sweep.ts';
import { settleBatches, type SettleBatchesPorts } from './settle-batches.ts';

/** The round over the open batches. */
export function batchesRound(ports: SettleBatchesPorts): SweepRound {
  return {
    name: 'batches',
    async run(deadlineMs) {
      const { closed, unbalanced } = await settleBatches(deadlineMs, ports);
      return closed + unbalanced === 0 ? {} : { batchesClosed: closed, batchesUnbalanced: unbalanced };
    },
  };
}
