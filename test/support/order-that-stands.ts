// An order whose facts give it the standing of a story: for stories that begin with an order that the worker has left.
import type { FailureCode } from '../../lib/payout/message/failures.ts';
import { type Attempt, type Decision, noFacts, type Reversal, type Reason } from '../../lib/payout/order/facts.ts';
import { recorded } from '../../lib/payout/order/record.ts';
import { signOf } from '../../lib/payout/order/signs.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Standing as Word } from '../../lib/payout/order/standing.ts';
import { anAttempt, anOrder, asPublished, type OrderChoices, withFacts } from './orders.ts';
import { startMs } from './time-and-chance.ts';

/** The standings of a payout with an order. */
export type OrderStanding = Exclude<
  Word,
  'not-started' | 'held-unpaid' | 'checked' | 'rejected' | 'id-taken' | 'dead-letter' | 'unreadable'
>;

/** The standing of the order. */
export interface Standing extends Omit<OrderChoices, 'facts' | 'attempt'> {
  readonly standing?: OrderStanding;
  readonly gatewayOrderId?: string;
  readonly failure?: Reason & { readonly code: FailureCode };
  /** The person who called it off, and the reason. */
  readonly by?: string;
  readonly reason?: string;
  /** The later transaction that undid it. */
  readonly reversal?: Reversal;
  /** Epoch ms of its attempt. */
  readonly createdAtMs?: number;
  /** Epoch ms of its last revision; that of its attempt unless the story says otherwise. */
  readonly updatedAtMs?: number;
}

/** The order; a payout under way unless the story says otherwise. */
export function anOrderThatStands({ standing = 'sending', ...it }: Standing = {}): Order {
  const {
    gatewayOrderId,
    failure,
    createdAtMs: atMs = startMs,
    updatedAtMs = atMs,
    by = 'anna',
    reason = 'x',
    reversal,
    ...choices
  } = it;
  const ids = gatewayOrderId === undefined ? [] : [gatewayOrderId];
  const said = failure ?? { code: 'NO_ANSWER', message: 'no answer' };
  const attempt = {
    atMs,
    ids,
    askable: standing === 'in-doubt' || standing === 'confirming',
    leaseUntilMs: atMs + 100_000,
    ...factsThat(standing, said, atMs),
    ...(reversal && { reversal }),
  };
  const sent = anOrder({ ...choices, attempt });
  const order = { ...sent, createdAtMs: atMs, updatedAtMs, published: { ...sent.published, atMs: updatedAtMs } };
  // Refused again and again, until its message had waited for as long as any may.
  const verdict = { reason: 'waited-too-long', ...said } as const;
  if (standing === 'failed')
    return asPublished(recorded(order, noFacts, { nowMs: updatedAtMs, endId: 'end-1', verdict }));
  if (standing !== 'cancelled') return order;
  const decision: Decision = {
    id: 'cancel-1',
    kind: 'cancel',
    by,
    reason,
    atMs,
    saw: { 'attempt-1': signOf(anAttempt({ ids }), noFacts) },
  };
  return withFacts(order, { decisions: { [decision.id]: decision } }, updatedAtMs);
}

function factsThat(standing: OrderStanding, said: Reason & { code: string }, atMs: number): Partial<Attempt> {
  const refused = (about: 'order' | 'account') =>
    ({ answer: { kind: 'refused', about, connected: false, atMs, ...said } }) as const;
  const answer = { kind: 'taken', atMs } as const;
  switch (standing) {
    case 'sending':
      return {};
    case 'waiting':
    case 'failed':
    case 'cancelled':
      return refused('account');
    case 'in-doubt':
      return { lapsed: said };
    case 'held':
      return { lapsed: said, overdue: true };
    case 'confirming':
    case 'accepted':
      return { answer };
    case 'paid':
      return { answer, reports: ['approved'], approvedAtMs: atMs };
    case 'declined':
      return refused('order');
    default:
      return standing satisfies never;
  }
}
