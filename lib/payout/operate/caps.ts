// CAPS: the largest amounts that a merchant lets through, of one order and of a day (UTC). A day counts an order before its first claim
// of that day, and the claim's write stores the day in the order's item. A count is never reduced: a cap may count a duplicate, but never
// misses a payment. A job above a cap waits.
import { minorUnitsOf, type Money } from '../../gateway/money.ts';
import { dayCapKinds, dayCapRows, type DayCapKind } from '../../gateway/profile-limits.ts';
import type { Failure } from '../message/failures.ts';

/** The caps of a merchant's profile: amounts as decimal texts, per currency. */
interface Capped {
  readonly caps: Readonly<Record<string, { readonly single?: string } & { readonly [Kind in DayCapKind]?: string }>>;
}

/** One merchant's day in one currency. */
export interface CapDay {
  readonly merchant: string;
  readonly currency: string;
  /** UTC, as in "2026-11-21". */
  readonly day: string;
}

/** A number for each cap of a day. */
export type DayTotal = Readonly<Record<DayCapKind, bigint>>;

/** The largest totals of a day; absent if nothing limits it. */
type DayLimits = Readonly<Partial<DayTotal>>;

/** Totals of days, as the worker counts them. */
export interface Spending {
  /**
   * Adds the sum in one write, unless that would exceed a limit: then answers with the totals so far. Rejects if it may have been added. A
   * sum may be added twice, but none that was answered as `counted` is missing.
   */
  count(day: CapDay, sum: DayTotal, limits: DayLimits): Promise<'counted' | DayTotal>;
}

/** Totals of days, as a plan reads them. */
export interface DayTotals {
  /** At most a few seconds old. */
  totalOf(day: CapDay): Promise<DayTotal>;
}

/** A limit of a day, and how much some money counts towards it. */
interface DayCap extends CapDay {
  readonly kind: DayCapKind;
  readonly limit: bigint;
  readonly counts: bigint;
}

/** The caps of a day that money counts towards. `orders`: the number of orders that the money is for. */
export function dayCapsOf(
  merchant: string,
  { currency, minorUnits, orders = 1n }: Money & { readonly orders?: bigint },
  { caps }: Capped,
  nowMs: number,
): readonly DayCap[] {
  const day = new Date(nowMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return dayCapKinds.flatMap((kind) => {
    const limit = caps[currency]?.[kind];
    if (limit === undefined) return [];
    const { limitOf, countOf } = dayCapRows[kind];
    return [
      { kind, merchant, currency, day, limit: limitOf(limit, currency), counts: countOf({ minorUnits, orders }) },
    ];
  });
}

const failed = (message: string): Failure => ({ code: 'NOT_SENT', message: `${message}; never sent` });

/** Why an order is above the cap for one order; undefined if it is not. */
export function aboveSingleCap(money: Money, { caps }: Capped): Failure | undefined {
  const named = Object.keys(caps);
  // If the caps name currencies, orders in every other one wait: a cap on euros must not leave dollars without a limit.
  if (named.length > 0 && !Object.hasOwn(caps, money.currency))
    return failed(`the caps name ${named.join(', ')} and not ${money.currency}`);
  const single = caps[money.currency]?.single;
  if (single === undefined || money.minorUnits <= minorUnitsOf(single, money.currency)) return undefined;
  return failed(`more than ${single} ${money.currency}, the cap for one order`);
}

function aboveDayCap({ kind, currency, day, limit }: DayCap): Failure {
  return failed(`above the cap of ${day}, ${dayCapRows[kind].text(limit, currency)}`);
}

/** The outcome of counting an order. */
type Counted =
  /** No day limits it. */
  | { readonly kind: 'free' }
  | { readonly kind: 'counted'; readonly day: string }
  | { readonly kind: 'above'; readonly failure: Failure };

/** Counts an order before its claim. `on`: the day that has counted it already. Rejects if it may have been counted. */
export async function countedToday(
  spending: Spending,
  merchant: string,
  money: Money,
  profile: Capped,
  { nowMs, on }: { readonly nowMs: number; readonly on?: string },
): Promise<Counted> {
  const caps = dayCapsOf(merchant, money, profile, nowMs);
  const [cap] = caps;
  if (!cap) return { kind: 'free' };
  if (cap.day === on) return { kind: 'counted', day: on };
  const limits = Object.fromEntries(caps.map(({ kind, limit }) => [kind, limit]));
  const counts = dayTotal((kind) => caps.find((it) => it.kind === kind)?.counts ?? 0n);
  const totals = await spending.count(cap, counts, limits);
  if (totals === 'counted') return { kind: 'counted', day: cap.day };
  const above = caps.find(({ kind, limit }) => totals[kind] + counts[kind] > limit) ?? cap;
  return { kind: 'above', failure: aboveDayCap(above) };
}

/** A number for each cap of a day. */
export const dayTotal = (of: (kind: DayCapKind) => bigint): DayTotal =>
  Object.fromEntries(dayCapKinds.map((kind) => [kind, of(kind)])) as Record<DayCapKind, bigint>;

interface Ask {
  readonly sum: DayTotal;
  resolve(counted: 'counted' | DayTotal): void;
  reject(error: unknown): void;
}

/** Microtasks within which all jobs of an invocation come to be counted. */
const hopsToGather = 40;

const both = (a: DayTotal, b: DayTotal): DayTotal => dayTotal((kind) => a[kind] + b[kind]);

/** The totals; what comes together in one process is added in one write. If there is not room for all, the first ones go first. */
export function countedTogether(spending: Spending): Spending {
  const waiting = new Map<string, Ask[]>();

  async function countAll(key: string, day: CapDay, limits: DayLimits): Promise<void> {
    for (let hop = 0; hop < hopsToGather; hop += 1) await Promise.resolve();
    let asks = waiting.get(key) ?? [];
    waiting.delete(key);
    try {
      // Each round counts all, or finds at least one that is above.
      while (asks.length > 0) {
        const totals = await spending.count(day, asks.map(({ sum }) => sum).reduce(both), limits);
        if (totals === 'counted') {
          for (const { resolve } of asks) resolve('counted');
          return;
        }
        let before = totals;
        asks = asks.filter(({ sum, resolve }) => {
          const next = both(before, sum);
          const fits = dayCapKinds.every((kind) => next[kind] <= (limits[kind] ?? next[kind]));
          if (fits) before = next;
          else resolve(before);
          return fits;
        });
      }
    } catch (error) {
      for (const { reject } of asks) reject(error);
    }
  }

  return {
    count(day, sum, limits) {
      const { merchant, currency } = day;
      const key = JSON.stringify([merchant, currency, day.day, ...Object.entries(limits).map((it) => it.join(' '))]);
      return new Promise((resolve, reject) => {
        const asks = waiting.get(key) ?? [];
        asks.push({ sum, resolve, reject });
        waiting.set(key, asks);
        if (asks.length === 1) void countAll(key, day, limits);
      });
    },
  };
}
