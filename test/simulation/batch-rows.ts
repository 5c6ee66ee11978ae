// The rows of batches of a world: the end of every job of a batch is found in the ledger.
import type { BatchRow } from '../../lib/batches/batch.ts';
import { payoutOf } from '../../lib/batches/batch-payouts.ts';
import type { LedgerSurroundings } from './ledger.ts';

/** A row, and its batch. */
export interface AskedRow {
  readonly batchId: string;
  readonly row: BatchRow;
}

/** The rows as seen from outside. */
export interface Rows {
  /** A sender has put the message of this row on the queue, or one of none. */
  sends(messageId: string, row: AskedRow | undefined): void;
  /** A row whose job is over, though nothing in the ledger shows how. */
  faultOfRows(isOver: (messageId: string) => boolean): Promise<string | undefined>;
}

/** Rows of which nothing is known yet. */
export function createRows({ items }: Pick<LedgerSurroundings, 'items'>): Rows {
  const asked = new Map<string, AskedRow>();
  return {
    sends(messageId, row) {
      if (row) asked.set(messageId, row);
    },
    async faultOfRows(isOver) {
      for (const [messageId, { batchId, row }] of asked) {
        if (!isOver(messageId)) continue;
        const order = items.get(row.orderKey);
        if (payoutOf(row, batchId, order && { order }).standing === 'not-started')
          return `message ${messageId} is over, but nothing says how its row ${row.orderKey} of ${batchId} has ended`;
      }
      return undefined;
    },
  };
}
