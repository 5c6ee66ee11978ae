// A closed batch learns of its payouts from what is published: a later revision of an order makes its batch due, and the sweeper publishes
// the batch's next revision.
import type { Results } from '../payout/ports.ts';

/** The batches that results are about. */
export interface ClosedBatches {
  /** Makes the batch due. Rejects if that can't be written now. */
  wake(batchId: string): Promise<void>;
}

/**
 * Results that wake their batches before they leave. If that fails, the result is not sent, and stays to be published. A first revision
 * wakes none: before it, its order had come to no end, so its batch is open.
 */
export const wakingBatches = (results: Results, batches: ClosedBatches): Results => ({
  async send(some) {
    const ids = some.flatMap(({ batchId, revision = 0 }) => (batchId !== undefined && revision > 1 ? [batchId] : []));
    await Promise.all([...new Set(ids)].map((batchId) => batches.wake(batchId)));
    return results.send(some);
  },
});
