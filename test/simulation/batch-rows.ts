// The rows of batches of a world: the real in-memory ones behind calls that fail as the ledger's do, and the promise that
// the end of every job of a batch is found in the ledger.
import { createMemoryBatchRows } from '../support/memory-batch-rows.ts';
import { viewsOver } from '../support/order-views.ts';
import type { RowNotes } from '../../lib/payout/submit/note-row.ts';
import type { BatchRow } from '../../lib/batches/batch.ts';
import { rowStatusOf } from '../../lib/batches/batch-row.ts';
import { type LedgerSurroundings, underFault } from './ledger.ts';
import type { Process } from './process.ts';

/** A row, and its batch. */
export interface AskedRow {
  readonly batchId: string;
  readonly row: BatchRow;
}

/** The rows, as ports for each process and as seen from outside. */
export interface Rows {
  portFor(process: Process): RowNotes;
  /** A sender has put the message of this row on the queue, or one of none. */
  sends(messageId: string, row: AskedRow | undefined): void;
  /** A row whose job is over, though nothing in the ledger shows how. */
  faultOfRows(isOver: (messageId: string) => boolean): Promise<string | undefined>;
}

/** Rows of which nothing is known yet. */
export function createRows({
  timeline,
  weather,
  story,
  truth,
  items,
}: Pick<LedgerSurroundings, 'timeline' | 'weather' | 'story' | 'truth' | 'items'>): Rows {
  const store = createMemoryBatchRows(viewsOver(items));
  const asked = new Map<string, AskedRow>();
  return {
    portFor: (process) => ({
      note: (row, note) =>
        process.effect('note', row.orderKey, () => {
          const fault = weather().ledger('note');
          truth.changed();
          story.tell(process.name, row.orderKey, () => `notes for ${row.batchId}: ${note.kind} (${fault})`);
          return underFault(fault, timeline, () => store.note(row, note));
        }),
      announceOrder: (row) =>
        process.effect('note', row.orderKey, () =>
          underFault(weather().ledger('note'), timeline, () => store.announceOrder(row)),
        ),
    }),
    sends(messageId, row) {
      if (row) asked.set(messageId, row);
    },
    async faultOfRows(isOver) {
      for (const [messageId, { batchId, row }] of asked) {
        if (!isOver(messageId)) continue;
        const record = (await store.read(batchId, [row])).get(row.orderKey) ?? {};
        const standing = rowStatusOf(row, batchId, record);
        if (standing.kind === 'open' && standing.state === 'waiting')
          return `message ${messageId} is over, but nothing says how its row ${row.orderKey} of ${batchId} has ended`;
      }
      return undefined;
    },
  };
}
