// Controls and day totals in memory, for tests and benchmarks.
import {
  type Controls,
  type ControlsAdmin,
  type DayCap,
  type Saying,
  type DayTotals,
  doubtServesMs,
  type Spending,
} from '../../lib/payout/operate/control.ts';

/** The larger of both: a known sum counts on where only a part was counted now. */
function both(before: Sums = {}, now: Sums): Sums {
  const currencies = new Set([...Object.keys(before), ...Object.keys(now)]);
  const max = (at: string) => [before[at] ?? 0n, now[at] ?? 0n].toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n;
  return Object.fromEntries([...currencies].map((at) => [at, max(at)]));
}

type Sums = Readonly<Record<string, bigint>>;

/** Controls, the desk that sets them, and day totals over maps; without a clock, doubt does not go stale. */
export function createMemoryControls(nowMs: () => number = () => 0): Controls & ControlsAdmin & Spending & DayTotals {
  const paused = new Map<string | undefined, Saying>();
  const batches = new Set<string>();
  const totals = new Map<string, bigint>();
  let doubts: ReadonlyMap<string, Readonly<Record<string, bigint>>> = new Map();
  let doubtAtMs = 0;
  const dayKey = ({ kind, merchant, currency, day }: DayCap) => `${merchant} ${kind} ${currency} ${day}`;
  return {
    of: async (merchant, batchId) => ({
      paused: paused.has(undefined) || paused.has(merchant),
      batchCancelled: batchId !== undefined && batches.has(batchId),
      doubt: (nowMs() < doubtAtMs + doubtServesMs && doubts.get(merchant)) || {},
    }),
    pause: async (merchant, on, saying) => void (on ? paused.set(merchant, saying) : paused.delete(merchant)),
    pauseOf: async (merchant) => paused.get(merchant),
    cancelBatch: async (batchId) => void batches.add(batchId),
    isCalledOff: async (batchId) => batches.has(batchId),
    async recordDoubt(doubt, isWhole = true) {
      doubts = isWhole
        ? doubt
        : new Map([...doubts, ...[...doubt].map(([at, sums]) => [at, both(doubts.get(at), sums)] as const)]);
      doubtAtMs = nowMs();
    },
    async count(cap, minorUnits) {
      const total = (totals.get(dayKey(cap)) ?? 0n) + minorUnits;
      if (total > cap.limit) return 'above';
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
