// Controls and day totals in memory, for tests and benchmarks.
import {
  type Controls,
  type ControlsAdmin,
  type DayTotals,
  doubtServesMs,
  type Spending,
} from '../../lib/payout/control.ts';

/** Controls, the desk that sets them, and day totals over maps; without a clock, doubt does not go stale. */
export function createMemoryControls(nowMs: () => number = () => 0): Controls & ControlsAdmin & Spending & DayTotals {
  const paused = new Set<string | undefined>();
  const batches = new Set<string>();
  const totals = new Map<string, bigint>();
  let doubts: ReadonlyMap<string, Readonly<Record<string, bigint>>> = new Map();
  let doubtAtMs = 0;
  const dayKey = (it: { merchant: string; currency: string; day: string }) => `${it.merchant} ${it.currency} ${it.day}`;
  return {
    of: async (merchant, batchId) => ({
      paused: paused.has(undefined) || paused.has(merchant),
      batchCancelled: batchId !== undefined && batches.has(batchId),
      doubt: (nowMs() < doubtAtMs + doubtServesMs && doubts.get(merchant)) || {},
    }),
    pause: async (merchant, on) => void (on ? paused.add(merchant) : paused.delete(merchant)),
    cancelBatch: async (batchId) => void batches.add(batchId),
    async recordDoubt(doubt) {
      doubts = doubt;
      doubtAtMs = nowMs();
    },
    async count(cap, minorUnits) {
      const total = (totals.get(dayKey(cap)) ?? 0n) + minorUnits;
      if (total > cap.limitMinorUnits) return 'above';
      totals.set(dayKey(cap), total);
      return 'counted';
    },
    totalOf: async (cap) => totals.get(dayKey(cap)) ?? 0n,
    async giveBack(cap, minorUnits) {
      const total = (totals.get(dayKey(cap)) ?? 0n) - minorUnits;
      if (total < 0n) throw new RangeError('more would be given back than was counted');
      totals.set(dayKey(cap), total);
    },
  };
}
