// Announced changes of orders in memory, for tests: the contract of the DynamoDB ones, proven by the same suite.
import type { AnnouncedChange, OrderChanges } from '../../lib/batches/batch-row.ts';
import type { OrderChange } from '../../lib/payout/order/order-changes.ts';
import type { OrderView } from '../../lib/payout/order/projection.ts';

/** The changes, and the verb by which a note of a row is announced beside its note. */
export interface MemoryOrderChanges extends OrderChanges {
  noteElsewhere(batchId: string, orderKey: string): void;
}

/** Changes over the memory ledger's map. */
export function createMemoryOrderChanges(
  entries: ReadonlyMap<string, OrderView>,
  nowMs: () => number,
): MemoryOrderChanges {
  const waiting = new Map<string, { readonly change: AnnouncedChange; readonly dueAtMs: number }>();
  const elsewhere = new Map<string, Set<string>>();
  const keyOf = ({ batchId = '', revision, orderKey }: OrderChange) => `${batchId}/${revision}/${orderKey}`;
  return {
    noteElsewhere: (batchId, orderKey) =>
      void elsewhere.set(orderKey, (elsewhere.get(orderKey) ?? new Set<string>()).add(batchId)),
    async announce({ orderKey, revision, batchId }) {
      const announcedAtMs = nowMs();
      const change = { orderKey, revision, announcedAtMs, ...(batchId !== undefined && { batchId }) };
      waiting.set(keyOf(change), { change, dueAtMs: announcedAtMs });
    },
    async *announced(beforeMs) {
      const due = [...waiting.values()].filter(({ dueAtMs }) => dueAtMs < beforeMs);
      for (const { change } of due.toSorted((a, b) => a.dueAtMs - b.dueAtMs)) yield change;
    },
    changed: async (orderKeys) =>
      new Map(
        orderKeys.map((key) => {
          const revision = entries.get(key)?.revision;
          return [key, { ...(revision !== undefined && { revision }), elsewhere: [...(elsewhere.get(key) ?? [])] }];
        }),
      ),
    async counted(change) {
      const key = keyOf(change);
      if (waiting.get(key)?.change.announcedAtMs === change.announcedAtMs) waiting.delete(key);
    },
    async waitFor(change, untilMs) {
      const it = waiting.get(keyOf(change));
      if (it) waiting.set(keyOf(change), { ...it, dueAtMs: untilMs });
    },
  };
}
