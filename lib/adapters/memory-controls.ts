// Controls and day totals in memory, for tests and benchmarks.
import type { ControlDesk, Controls, Spending } from '../app/control-ports.ts';

/** Controls, the desk that sets them, and day totals over maps. */
export function createMemoryControls(): Controls & ControlDesk & Spending {
  const paused = new Set<string | undefined>();
  const batches = new Set<string>();
  const totals = new Map<string, bigint>();
  let doubts: ReadonlyMap<string, Readonly<Record<string, bigint>>> = new Map();
  const dayKey = (it: { merchant: string; currency: string; day: string }) => `${it.merchant} ${it.currency} ${it.day}`;
  return {
    of: async (merchant, batchId) => ({
      paused: paused.has(undefined) || paused.has(merchant),
      batchCancelled: batchId !== undefined && batches.has(batchId),
      doubt: doubts.get(merchant) ?? {},
    }),
    pause: async (merchant, on) => void (on ? paused.add(merchant) : paused.delete(merchant)),
    cancelBatch: async (batchId) => void batches.add(batchId),
    recordDoubt: async (doubt) => void (doubts = doubt),
    async count(cap, minorUnits) {
      const total = (totals.get(dayKey(cap)) ?? 0n) + minorUnits;
      if (total > cap.limitMinorUnits) return 'above';
      totals.set(dayKey(cap), total);
      return 'counted';
    },
    giveBack: async (cap, minorUnits) => void totals.set(dayKey(cap), (totals.get(dayKey(cap)) ?? 0n) - minorUnits),
  };
}
