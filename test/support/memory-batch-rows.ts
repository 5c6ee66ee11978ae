// The rows of batches in memory, for tests: the same promises as the DynamoDB ones, held to by the same suite.
import { type BatchRows } from '../../lib/batches/batch-row.ts';
import { type RowNote, mayChangeAnEnd, type RowNotes } from '../../lib/payout/order-changes.ts';
import { createMemoryOrderChanges, type MemoryOrderChanges } from './memory-order-changes.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { cutToBytes, outsideTextLimitBytes } from '../../lib/gateway/redact.ts';

/** Rows with the notes on them. */
export type NotedRows = BatchRows & RowNotes;

/** Rows over the memory ledger's map. */
export function createMemoryBatchRows(
  entries: ReadonlyMap<string, LedgerEntry>,
  changes: MemoryOrderChanges = createMemoryOrderChanges(entries, () => 0),
): NotedRows {
  const notes = new Map<string, RowNote>();
  const keyOf = (batchId: string, orderKey: string) => `${batchId}/${orderKey}`;
  return {
    async note(batchId, orderKey, note) {
      const key = keyOf(batchId, orderKey);
      if (note.kind === 'elsewhere') changes.noteElsewhere(batchId, orderKey);
      const stands = notes.get(key)?.kind;
      if (stands === undefined || (stands === 'refused' && note.kind === 'elsewhere')) notes.set(key, kept(note));
      if (mayChangeAnEnd(note, stands === undefined)) await changes.announce({ orderKey, revision: 0, batchId });
    },
    async read(batchId, rows) {
      return new Map(
        rows.flatMap(({ orderKey }) => {
          const [entry, note] = [entries.get(orderKey), notes.get(keyOf(batchId, orderKey))];
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
