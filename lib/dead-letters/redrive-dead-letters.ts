// Planning and making redrives. A plan is over many dead letters: which goes first if several are of one order or share a cap of
// the day, and what the plan comes to in numbers and money. A letter is moved by two steps in this order: its new message is
// taken by the jobs queue, then the letter is deleted. A crash in between leaves a duplicate, which is harmless; the other
// way round it would lose a payout.
import type { NotTaken } from '../payout/ports.ts';
import { type DeadLetters, type DeadMessage, redrivenOf } from './dead-letter.ts';
import {
  judgeDeadLetter,
  type JudgedDeadLetter,
  type JudgePorts,
  type RedriveClass,
  redriveClasses,
} from './judge-dead-letter.ts';
import { type Walk, scanDeadLetters, type WalkLimits } from './scan-dead-letters.ts';

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
    if (totals.some(({ total, room }) => total > room)) return { ...it, class: 'after', because: 'cap' };
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

/** The ports of redriving. */
interface RedrivePorts extends JudgePorts {
  readonly deadLetters: DeadLetters;
}

/** Which letters are meant, by the job that they bear. */
type Chooses = (deadLetter: DeadMessage) => boolean;

/** A plan over what the walk has seen. */
export interface Planned {
  readonly plan: RedrivePlan;
  readonly walk: Walk;
}

/** Plans for the chosen letters, the oldest first. Nothing is moved. */
export async function planRedrive(chooses: Chooses, ports: RedrivePorts, limits: WalkLimits = {}): Promise<Planned> {
  const judged: { readonly deadLetter: JudgedDeadLetter; readonly sentAtMs: number }[] = [];
  const walk = await scanDeadLetters(
    async (letters) => {
      const chosen = letters.filter(chooses);
      const these = await Promise.all(chosen.map((deadLetter) => judgeDeadLetter(deadLetter, ports)));
      judged.push(...these.map((deadLetter, index) => ({ deadLetter, sentAtMs: chosen[index]?.sentAtMs ?? 0 })));
      return {};
    },
    ports,
    limits,
  );
  const oldestFirst = judged.toSorted((a, b) => a.sentAtMs - b.sentAtMs).map(({ deadLetter }) => deadLetter);
  return { plan: redrivePlan(oldestFirst), walk };
}

/** The outcome for one letter of the plan. */
type Moved =
  /** A new message is on the jobs queue, and the letter is deleted. */
  | 'redriven'
  /** A new message is on the jobs queue, and the letter could not be deleted: it may come a second time, which is harmless. */
  | 'redriven-not-deleted'
  /** The plan does not hold for it any more; it stays where it is. */
  | 'changed'
  /** The jobs queue did not take it; it stays where it is. */
  | 'not-taken';

/** The outcomes of the letters that the plan would move; the others were not on the queue any more. */
export interface Redriven {
  readonly moved: ReadonlyMap<string, Moved>;
  readonly walk: Walk;
}

/** Moves the letters of the plan for which it still holds. */
export async function redriveDeadLetters(
  plan: Pick<RedrivePlan, 'deadLetters'>,
  ports: RedrivePorts,
  limits: WalkLimits = {},
): Promise<Redriven> {
  const planned = movable(plan);
  const moved = new Map<string, Moved>();
  const walk = await scanDeadLetters(
    async (letters) => {
      const chosen = letters.filter(({ messageId }) => planned.has(messageId) && !moved.has(messageId));
      const { holds, changed } = await stillHolding(chosen, planned, ports);
      for (const { messageId } of changed) moved.set(messageId, 'changed');
      const ends = await moveDeadLetters(holds, ports.deadLetters, planned);
      for (const [deadLetter, end] of ends) moved.set(deadLetter.messageId, end);
      const gone = [...ends].filter(([, end]) => end === 'redriven').map(([deadLetter]) => deadLetter);
      return { gone, enough: moved.size === planned.size };
    },
    ports,
    limits,
  );
  return { moved, walk };
}

async function stillHolding(
  letters: readonly DeadMessage[],
  planned: ReadonlyMap<string, JudgedDeadLetter>,
  ports: JudgePorts,
): Promise<{ readonly holds: DeadMessage[]; readonly changed: DeadMessage[] }> {
  const judged = await Promise.all(letters.map((deadLetter) => judgeDeadLetter(deadLetter, ports)));
  const holds = letters.filter((deadLetter, index) => isAsPlanned(planned.get(deadLetter.messageId), judged[index]));
  const held = new Set(holds);
  return { holds, changed: letters.filter((deadLetter) => !held.has(deadLetter)) };
}

/** Class and order must be those that somebody agreed to; why it is of its class may have other words by now. */
function isAsPlanned(planned: JudgedDeadLetter | undefined, now: JudgedDeadLetter | undefined): boolean {
  if (!planned || !now || !redriveClasses[now.class].moves) return false;
  // The end that somebody saw is the one that is opened.
  return planned.class === now.class && planned.order === now.order && planned.resends === now.resends;
}

/** Moves up to ten letters. Never rejects for one that was sent: what the queue said of the others is kept. */
export async function moveDeadLetters(
  letters: readonly DeadMessage[],
  deadLetters: DeadLetters,
  planned: ReadonlyMap<string, Pick<JudgedDeadLetter, 'resends'>> = new Map(),
): Promise<ReadonlyMap<DeadMessage, Moved>> {
  if (letters.length === 0) return new Map();
  const notTaken = await deadLetters
    .send(letters.map((it) => redrivenOf(it, planned.get(it.messageId)?.resends)))
    .catch(() => allOf(letters));
  const taken = letters.filter((_, index) => !notTaken.has(index));
  const notDeleted = taken.length === 0 ? allOf([]) : await deadLetters.remove(taken).catch(() => allOf(taken));
  const kept = new Set(taken.filter((_, index) => notDeleted.has(index)));
  return new Map(
    letters.map((deadLetter, index) => {
      if (notTaken.has(index)) return [deadLetter, 'not-taken'];
      return [deadLetter, kept.has(deadLetter) ? 'redriven-not-deleted' : 'redriven'];
    }),
  );
}

const allOf = (letters: readonly unknown[]): NotTaken => new Set(letters.keys());
