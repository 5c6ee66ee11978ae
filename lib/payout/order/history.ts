// An order's history: a line for each fact that has a time.
import { type Attempt, attemptsOf, type Decision } from './facts.ts';
import type { Order } from './order.ts';
import { heardOf } from './signs.ts';
import { type Standing, standingOfEnd, standingOfPaid, standingOfTaken } from './standing.ts';

/** One line of an order's history. */
export interface HistoryLine {
  readonly standing: Standing;
  readonly atMs: number;
  readonly attempts: number;
  readonly reason: string;
}

/** Without a standing: the order kept the one it had. */
type Moment = readonly [standing: Standing | undefined, atMs: number | undefined, reason: string];

/** The order's present standing, and why. */
interface Present {
  readonly standing: Standing;
  readonly reason: string;
  readonly movesMoney: boolean;
}

/** The history of an order. */
export function historyOf(order: Order, { standing, reason, movesMoney }: Present): readonly HistoryLine[] {
  const { facts, published, updatedAtMs } = order;
  const attempts = attemptsOf(facts);
  /** How many attempts there were at that time. */
  const lastAt = (atMs: number) => attempts.filter((it) => it.atMs <= atMs).length;
  const timed = (moments: readonly Moment[], numberAt: (atMs: number) => number) =>
    moments.flatMap(([was, atMs, why]) => (atMs === undefined ? [] : [{ was, atMs, why, attempts: numberAt(atMs) }]));
  const others: Moment[] = [
    ...Object.values(facts.decisions).map(({ kind, atMs }): Moment => {
      const [decided, why] = decisions[kind];
      return [decided === 'paid' ? standingOfPaid(movesMoney) : decided, atMs, why];
    }),
    ...Object.values(facts.ends).map((it): Moment => [standingOfEnd(it.reason), it.atMs, it.code]),
    [undefined, order.looks > 0 ? order.lookedAtMs : undefined, 'asked'],
  ];
  const lines = [
    ...attempts.flatMap((it, at) => timed(momentsOf(it, order, movesMoney), () => at + 1)),
    ...timed(others, lastAt),
  ].toSorted((a, b) => a.atMs - b.atMs);
  const history: HistoryLine[] = [];
  for (const { was, atMs, why, attempts: number } of lines) {
    const before = history.at(-1)?.standing ?? standing;
    history.push({ standing: was ?? before, atMs, attempts: number, reason: why });
  }
  // A hold, or an end by a callback, has no time of its own: the time is that of the result that says so.
  const last = history.at(-1);
  const sinceMs = published.revision > 0 ? published.atMs : updatedAtMs;
  if (last && last.standing !== standing && sinceMs >= last.atMs)
    history.push({ standing, atMs: sinceMs, attempts: lastAt(sinceMs), reason });
  return history;
}

function momentsOf(attempt: Attempt, { facts }: Order, movesMoney: boolean): readonly Moment[] {
  const { answer, lapsed, lapsedAtMs = attempt.leaseUntilMs } = attempt;
  const { approvedAtMs, reversal } = heardOf(attempt, facts);
  const asked = Object.values(attempt.absent).flatMap(({ firstMs, lastMs }) => [firstMs, lastMs]);
  const moments: Moment[] = [['sending', attempt.atMs, attempt.lost ? 'LEDGER_RESTORED' : 'claimed']];
  if (lapsed && !attempt.lost) moments.push(['in-doubt', lapsedAtMs, lapsed.code]);
  moments.push([movesMoney ? 'held' : 'held-unpaid', attempt.overdueAtMs, 'overdue']);
  moments.push(...[...new Set(asked)].map((atMs): Moment => ['in-doubt', atMs, 'not-known']));
  moments.push(['paid', reversal?.atMs, 'reversed']);
  if (answer?.kind === 'taken') moments.push([standingOfTaken(attempt.askable, movesMoney), answer.atMs, 'accepted']);
  moments.push([standingOfPaid(movesMoney), approvedAtMs, movesMoney ? 'approved' : 'check-approved']);
  if (answer?.kind === 'refused')
    moments.push([answer.about === 'order' ? 'declined' : 'waiting', answer.atMs, answer.code]);
  return moments;
}

const decisions: Readonly<Record<Decision['kind'], readonly [Standing, string]>> = {
  paid: ['paid', 'released-as-paid'],
  'not-paid': ['failed', 'released-as-not-paid'],
  cancel: ['cancelled', 'cancelled'],
};
