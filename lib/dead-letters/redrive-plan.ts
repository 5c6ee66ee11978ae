// A plan over many dead letters: which goes first where several are of one order or share a cap of the day, and what the
// plan comes to in numbers and money.
import type { Money } from '../gateway/money.ts';
import { type DayRoom, type RedriveClass, redriveClasses, type RedriveStep } from './redrive.ts';

/** A letter that was judged alone. */
export interface JudgedDeadLetter extends RedriveStep {
  readonly messageId: string;
  /** The order's key in the ledger; absent where the message can't be read. */
  readonly order?: string;
  readonly batchId?: string;
  readonly money?: Money;
  /** The caps of the day that a submission counts towards. */
  readonly dayCaps?: readonly DayRoom[];
}

/** Counts and money of one class; minor units per currency. */
interface ClassTotal {
  readonly count: number;
  readonly money: Readonly<Record<string, bigint>>;
}

/** A plan: every letter in its class. */
export interface RedrivePlan {
  readonly deadLetters: readonly JudgedDeadLetter[];
  readonly totals: Readonly<Partial<Record<RedriveClass, ClassTotal>>>;
}

/**
 * Of several letters about one order, the first that changes it goes first: what the others would do depends on how it
 * ends. What the letters before it leave no room for under the day's cap waits for another day, and is not sent into a
 * hold.
 */
export function redrivePlan(judged: readonly JudgedDeadLetter[]): RedrivePlan {
  const changing = new Set<string>();
  const used = new Map<string, bigint>();
  const planned = new Map(judged.map((it) => [it, afterOthers(it, changing, used)]));
  const deadLetters = judged.map((it) => planned.get(it) ?? it);
  return { deadLetters, totals: totalsOf(deadLetters) };
}

function afterOthers(it: JudgedDeadLetter, changing: Set<string>, used: Map<string, bigint>): JudgedDeadLetter {
  const { order, money, dayCaps = [] } = it;
  if (order === undefined || !redriveClasses[it.class].moves) return it;
  if (changing.has(order) && it.because !== 'ORDER_ID_REUSED') return { ...it, class: 'after', because: 'same-order' };
  if (it.class === 'submit' && money) {
    const totals = dayCaps.map((cap) => ({ ...cap, total: (used.get(cap.name) ?? 0n) + cap.counts }));
    if (totals.some(({ total, room }) => total > room)) return { ...it, class: 'after', because: 'CAP_EXCEEDED' };
    for (const { name, total } of totals) used.set(name, total);
  }
  if (it.changes) changing.add(order);
  return it;
}

function totalsOf(deadLetters: readonly JudgedDeadLetter[]): RedrivePlan['totals'] {
  const totals: Partial<Record<RedriveClass, ClassTotal>> = {};
  for (const { class: kind, money } of deadLetters) {
    const { count, money: sums } = totals[kind] ?? { count: 0, money: {} };
    const sum = money && { [money.currency]: (sums[money.currency] ?? 0n) + money.minorUnits };
    totals[kind] = { count: count + 1, money: { ...sums, ...sum } };
  }
  return totals;
}

/** The letters of the plan that a redrive may move, as long as it still holds for them. */
export function movable(plan: Pick<RedrivePlan, 'deadLetters'>): ReadonlyMap<string, JudgedDeadLetter> {
  return new Map(plan.deadLetters.filter((it) => redriveClasses[it.class].moves).map((it) => [it.messageId, it]));
}
