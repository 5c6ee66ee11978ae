// The rows of batches in memory, for tests: the contract of the DynamoDB ones, proven by the same suite.
import { type BatchRows } from '../../lib/batches/batch-row.ts';
import { firstRevision } from '../../lib/payout/order/order-changes.ts';
import { type NotedRow, type RowNote, mayChangeAnEnd, type RowNotes } from '../../lib/payout/submit/note-row.ts';
import { createMemoryOrderChanges, type MemoryOrderChanges } from './memory-order-changes.ts';
import type { OrderView } from '../../lib/payout/order/projection.ts';
import { cutToBytes, outsideTextLimitBytes } from '../../lib/gateway/redact.ts';

/** Rows with the notes on them. */
export type NotedRows = BatchRows & RowNotes;

/** Rows over the memory ledger's map. */
export function createMemoryBatchRows(
  entries: ReadonlyMap<string, OrderView>,
  changes: MemoryOrderChanges = createMemoryOrderChanges(entries, () => 0),
): NotedRows {
  const notes = new Map<string, RowNote>();
  const keyOf = ({ batchId, digest, orderKey }: NotedRow) => `${batchId}/${digest}/${orderKey}`;
  return {
    async note(row, note) {
      const { batchId, orderKey } = row;
      const key = keyOf(row);
      if (note.kind === 'elsewhere') changes.noteElsewhere(batchId, orderKey);
      const stands = notes.get(key)?.kind;
      if (stands === undefined || (stands === 'refused' && note.kind === 'elsewhere')) notes.set(key, kept(note));
      if (mayChangeAnEnd(note, stands === undefined)) await changes.announce({ orderKey, revision: 0, batchId });
    },
    announceOrder: ({ orderKey, batchId }) => changes.announce({ orderKey, revision: firstRevision, batchId }),
    async read(batchId, rows) {
      return new Map(
        rows.flatMap((row) => {
          const { orderKey } = row;
          const [entry, note] = [entries.get(orderKey), notes.get(keyOf({ batchId, ...row }))];
          return entry || note ? [[orderKey, { ...(entry && { entry }), ...(note && { note }) }]] : [];
        }),
      );
    },
  };
}

function kept(note: RowNote): RowNote {
  if (note.kind === 'elsewhere') return note;
  const { code, message } = note.failure;
  return { kind: 'refused', failure: { code, message: cutToBytes(message, outsideTextLimitBytes) } };
}
