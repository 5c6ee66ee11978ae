// Controls and day totals in memory, for tests and benchmarks.
import type { CapDay, DayTotal, DayTotals, Spending } from '../../lib/payout/operate/caps.ts';
import { type Controls, type ControlsAdmin, type Saying, doubtServesMs } from '../../lib/payout/operate/control.ts';

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
  const totals = new Map<string, DayTotal>();
  let doubts: ReadonlyMap<string, Readonly<Record<string, bigint>>> = new Map();
  let doubtAtMs = 0;
  const totalOf = ({ merchant, currency, day }: CapDay) =>
    totals.get(`${merchant} ${currency} ${day}`) ?? { perDay: 0n, ordersPerDay: 0n };
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
    async count(day, sum, limits) {
      const { perDay, ordersPerDay } = totalOf(day);
      const next = { perDay: perDay + sum.perDay, ordersPerDay: ordersPerDay + sum.ordersPerDay };
      const { perDay: most = next.perDay, ordersPerDay: mostOrders = next.ordersPerDay } = limits;
      if (next.perDay > most || next.ordersPerDay > mostOrders) return { perDay, ordersPerDay };
      totals.set(`${day.merchant} ${day.currency} ${day.day}`, next);
      return 'counted';
    },
    totalOf: async (day) => totalOf(day),
  };
}
