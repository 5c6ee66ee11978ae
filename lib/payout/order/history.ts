// An order's history by time, as far as its facts have one: each line says what was so then.
import { type Attempt, attemptsOf, type Decision, type Facts } from './facts.ts';
import { heardOf } from './signs.ts';
import { type OrderState, stateOfEnd } from './states.ts';

/** One line of an order's history. */
export interface HistoryLine {
  readonly state: OrderState;
  readonly atMs: number;
  readonly attempts: number;
  readonly reason: string;
}

type Moment = readonly [state: OrderState, atMs: number | undefined, reason: string];

/** The history of an order that was written last at this time. */
export function historyOf(facts: Facts, updatedAtMs: number): readonly HistoryLine[] {
  const attempts = attemptsOf(facts);
  /** The number of the attempt that was the last one at that time. */
  const lastAt = (atMs: number) => attempts.filter((it) => it.atMs <= atMs).length;
  const lines = (moments: readonly Moment[], numberAt: (atMs: number) => number) =>
    moments.flatMap(([state, atMs, reason]): HistoryLine[] =>
      atMs === undefined ? [] : [{ state, atMs, attempts: numberAt(atMs), reason }],
    );
  const decided = Object.values(facts.decisions).map(({ kind, atMs }): Moment => {
    const [state, reason] = decisions[kind];
    return [state, atMs, reason];
  });
  return [
    ...attempts.flatMap((it, at) => lines(momentsOf(it, facts, updatedAtMs), () => at + 1)),
    ...lines(decided, lastAt),
    ...lines(
      Object.values(facts.ends).map((it): Moment => [stateOfEnd(it.reason), it.atMs, it.code]),
      lastAt,
    ),
  ].toSorted((a, b) => a.atMs - b.atMs);
}

function momentsOf(it: Attempt, facts: Facts, updatedAtMs: number): readonly Moment[] {
  const { answer, lapsed } = it;
  const { approvedAtMs, reversal } = heardOf(it, facts);
  const asked = Object.values(it.absent).flatMap(({ firstMs, lastMs }) => [firstMs, lastMs]);
  const moments: Moment[] = [['submitting', it.atMs, it.lost ? 'LEDGER_RESTORED' : 'claimed']];
  // When its sender gave up is not kept: at the latest at the end of its lease, or when the order was written last.
  const lapsedAtMs = Math.min(it.leaseUntilMs, Math.max(updatedAtMs, it.atMs));
  if (lapsed && !it.lost) moments.push(['in-doubt', lapsedAtMs, lapsed.code]);
  moments.push(...[...new Set(asked)].map((atMs): Moment => ['in-doubt', atMs, 'not-known']));
  moments.push(['approved', reversal?.atMs, 'reversed']);
  if (answer?.kind === 'taken') moments.push(['accepted', answer.atMs, 'accepted']);
  moments.push(['approved', approvedAtMs, 'approved']);
  if (answer?.kind === 'refused')
    moments.push([answer.about === 'order' ? 'declined' : 'retryable', answer.atMs, answer.code]);
  return moments;
}

const decisions: Readonly<Record<Decision['kind'], readonly [OrderState, string]>> = {
  paid: ['approved', 'released-as-paid'],
  'not-paid': ['failed', 'released-as-not-paid'],
  cancel: ['cancelled', 'cancelled'],
};
