// Open work: the orders to which something must still happen, when the sweeper looks after them, and their measures. The index of open work
// is made from this.
import type { measuredSchema, Read } from './fact-schemas.ts';
import { attemptsOf, type Inquiry } from './facts.ts';
import { fold, type Status } from './fold.ts';
import type { Order } from './order.ts';
import { leaseOverAtMs, waitHorizonMs } from './time.ts';
import { viewOf } from './projection.ts';
import { whereSet } from '../where-set.ts';

/**
 * The kinds of open work; the sweeper and the operator's tool look orders up by them. `unpublished`: a question is left to ask, or the
 * order is held and its result is to be published. `submitting` also holds orders whose only work is a result to publish.
 */
export type OpenWorkKind = 'submitting' | 'in-doubt' | 'accepted' | 'overdue' | 'held' | 'unpublished';

/** Time that an order has to move by itself before the leader sets it moving. */
const sweepSlackMs = 120_000;

/** Until the first question about an order that may have been taken, and between two. The gateway demands 3 to 5 s. */
export const firstQuestionSeconds = 5;
/** The first question about a refusal. The delivery that sends again asks sooner, if there is one. */
const refusedQuestionMs = 600_000;

/** The kind of an order's open work, and its moment in the index (epoch ms); undefined if nothing is left to do. */
export function openWorkOf(order: Order): { readonly kind: OpenWorkKind; readonly atMs: number } | undefined {
  const { dueAtMs, updatedAtMs, facts, unpublished } = order;
  const movedAtMs = dueAtMs ?? updatedAtMs + sweepSlackMs;
  const work = ofStatus(fold(facts), order, movedAtMs);
  if (leftToAsk(order) || (unpublished && work?.kind === 'held')) return { kind: 'unpublished', atMs: movedAtMs };
  if (!unpublished || work) return work;
  // The place that its claim has given it, so that the answer moves nothing in the index.
  const last = attemptsOf(facts).at(-1);
  return { kind: 'submitting', atMs: dueAtMs ?? Math.max(movedAtMs, last ? leaseOverAtMs(last) : 0) };
}

function ofStatus(status: Status, { dueAtMs, updatedAtMs }: Order, movedAtMs: number): ReturnType<typeof openWorkOf> {
  switch (status.kind) {
    case 'sending':
      return { kind: 'submitting', atMs: dueAtMs ?? leaseOverAtMs(status.attempt) };
    case 'verifying':
      return { kind: 'submitting', atMs: dueAtMs ?? updatedAtMs + refusedQuestionMs };
    case 'ready':
      // Its message brings it sooner. Without one it is over at its horizon.
      return { kind: 'submitting', atMs: Math.max(status.attempt.leaseUntilMs + waitHorizonMs, dueAtMs ?? 0) };
    case 'in-doubt':
      return { kind: 'in-doubt', atMs: dueAtMs ?? updatedAtMs + firstQuestionSeconds * 1000 };
    case 'accepted':
      if (!status.attempt.askable) return undefined;
      return { kind: 'accepted', atMs: dueAtMs ?? updatedAtMs + firstQuestionSeconds * 1000 };
    case 'held':
      return status.reason === 'no-end' ? { kind: 'overdue', atMs: movedAtMs } : { kind: 'held', atMs: updatedAtMs };
    case 'over':
      return status.end ? undefined : { kind: 'submitting', atMs: movedAtMs };
    case 'new':
    case 'approved':
      return undefined;
    default:
      return status satisfies never;
  }
}

export type Measured = Read<typeof measuredSchema>;

/** The measures of an order; undefined if it is neither in doubt nor held nor overdue. */
export function measuredOf(order: Order): Measured | undefined {
  const status = fold(order.facts);
  if (status.kind !== 'in-doubt' && status.kind !== 'held') return undefined;
  const { updatedAtMs: sinceMs, money, standing } = viewOf(order);
  const state = status.kind === 'held' && status.reason === 'no-end' ? 'overdue' : status.kind;
  return { state, sinceMs, money, unsent: (state === 'held' && standing === 'held-unpaid') || undefined };
}

/** The next question of a person or a callback that was not asked yet. */
export const leftToAsk = ({ asks, facts }: Order): Inquiry | undefined =>
  asks?.find(({ attempt, tried }) => !tried && facts.attempts[attempt] !== undefined);

/** The order after a question, with the time of the next one, if there is one. */
export function askedAbout(
  order: Order,
  question: {
    readonly asked: Inquiry;
    readonly isAnswered: boolean;
    readonly nowMs: number;
    readonly inSeconds?: number;
  },
): Order {
  const { asks = [], lookedAtMs, dueAtMs: _, ...rest } = order;
  const { asked, isAnswered, nowMs } = question;
  const isAsked = ({ attempt, account }: Inquiry) => attempt === asked.attempt && account === asked.account;
  const left = asks.flatMap((one) => (isAsked(one) ? (isAnswered ? [] : [{ ...one, tried: true as const }]) : [one]));
  const inSeconds = left.some(({ tried }) => !tried) ? firstQuestionSeconds : question.inSeconds;
  const sinceMs = asks.length > 0 && left.length === 0 ? nowMs : lookedAtMs;
  return whereSet<Order>({
    ...rest,
    looks: order.looks + 1,
    asks: left.length > 0 ? left : undefined,
    lookedAtMs: sinceMs,
    dueAtMs: inSeconds === undefined ? undefined : nowMs + inSeconds * 1000,
  });
}
