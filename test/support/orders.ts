// Orders for the suites of the stores: one of everyday size, and the largest that a claim and an answer make.
import { randomUUID } from 'node:crypto';
import { outsideTextLimitBytes } from '../../lib/gateway/redact.ts';
import { failureCodeNames } from '../../lib/payout/message/failures.ts';
import { contextLimitBytes } from '../../lib/payout/message/job-fields.ts';
import { type Answer, type Attempt, type Facts, noFacts, ofAttempt, unknownAt } from '../../lib/payout/order/facts.ts';
import { reportLevels } from '../../lib/payout/order/fact-schemas.ts';
import { recorded } from '../../lib/payout/order/record.ts';
import { type Content, newOrder, type Order, orderKey } from '../../lib/payout/order/order.ts';
import type { Orders, Written } from '../../lib/payout/order/orders.ts';
import { type OrderView, viewOf } from '../../lib/payout/order/projection.ts';
import { standings } from '../../lib/payout/order/standing.ts';
import { startMs } from './time-and-chance.ts';

/** An attempt of a payout whose lease runs, number 1, before its answer. */
export function anAttempt(changes: Partial<Attempt> = {}): Attempt {
  return {
    id: 'attempt-1',
    number: 1,
    atMs: startMs,
    accounts: ['account-1'],
    askable: true,
    leaseUntilMs: startMs + 100_000,
    ids: [],
    aliases: [],
    reports: [],
    amounts: [],
    absent: {},
    ...changes,
  };
}

/** The values that a story may choose. */
export interface OrderChoices extends Partial<Content> {
  readonly merchant?: string;
  readonly orderId?: string;
  /** Its facts, instead of one attempt under way. */
  readonly facts?: Facts;
  /** Its one attempt, where it differs. */
  readonly attempt?: Partial<Attempt>;
}

/** An order after one write: a payout of 10.42 EUR under way, under an order id that no other story has. */
export function anOrder(it: OrderChoices = {}): Order {
  const { merchant = 'acme-eu', orderId = `INV-${randomUUID()}`, facts, attempt, ...content } = it;
  const whole: Content = {
    operation: 'payout',
    endpointId: '39915',
    fingerprint: 'k1.fingerprint',
    money: { currency: 'EUR', minorUnits: 1042n },
    ...content,
  };
  const key = orderKey({ merchant, orderId });
  const added = facts ?? ofAttempt(anAttempt(attempt));
  return recorded(newOrder(key, startMs, whole), added, { nowMs: startMs, endId: 'end-1' });
}

/** The order after these facts, at this time, its result published. */
export function withFacts(order: Order, facts: Partial<Facts>, nowMs = startMs): Order {
  return asPublished(recorded(order, { ...noFacts, ...facts }, { nowMs, endId: 'end-1' }));
}

/** Writes the order where there is none. */
export const begun = (orders: Pick<Orders, 'write'>, order: Order): Promise<Written> =>
  orders.write(newOrder(order.key, order.createdAtMs), order);

/** The order without the mark of its result. */
export function asPublished(marked: Order): Order {
  const { unpublished: _, ...order } = marked;
  return order;
}

/** The order with the mark of its result, a version later. */
export const asMarked = (order: Order): Order => ({ ...order, unpublished: true, version: order.version + 1 });

/** The view of the order of `anOrder`, with these changes. */
export function aView(changes: Partial<OrderView> = {}): OrderView {
  const { merchant, orderId } = changes;
  const order = anOrder({ ...(merchant !== undefined && { merchant }), ...(orderId !== undefined && { orderId }) });
  const view = { ...viewOf(order), ...changes };
  const { isFinal: final, result } = standings[view.standing];
  return { ...view, ...(changes.standing && { final, result }), ...changes, key: changes.key ?? orderKey(view) };
}

/** An order of a batch that was taken and approved, with names and ids as long as they usually are. */
export function aUsualOrder(): Order {
  const attempt = anAttempt({
    id: randomUUID(),
    accounts: ['a'.repeat(12)],
    source: 's'.repeat(12),
    answer: { kind: 'taken', atMs: startMs + 1_500 },
    ids: ['9000123456'],
    reports: ['approved'],
  });
  const batchId = `payroll-2026-11-${'b'.repeat(16)}`;
  const fingerprint = `k1.${'f'.repeat(22)}`;
  return anOrder({ fingerprint, batchId, context: '{"invoice": 123.0}', facts: ofAttempt(attempt) });
}

/** A first attempt with every field at its limit at once, and the largest answer there can be. */
export function theLargestOrder(): Order {
  const code = failureCodeNames.reduce((a, b) => (b.length > a.length ? b : a));
  const atMs = startMs + 400 * 86_400_000;
  const answer: Answer = {
    kind: 'refused',
    about: 'account',
    connected: true,
    atMs,
    code,
    message: 'ж'.repeat(outsideTextLimitBytes / 2),
    gatewayCode: '1'.repeat(16),
    httpStatus: 599,
  };
  return anOrder({
    operation: 'transfer-by-ref',
    merchant: 'm'.repeat(64),
    orderId: '~'.repeat(128),
    endpointId: `group/${'9'.repeat(16)}`,
    fingerprint: `${'k'.repeat(16)}~${'c'.repeat(6)}.${'f'.repeat(22)}`,
    money: { currency: 'CLF', minorUnits: 9_999_999_999_999_999n },
    batchId: 'b'.repeat(48),
    context: JSON.stringify({ x: 'c'.repeat(contextLimitBytes - '{"x":""}'.length) }),
    attempt: {
      id: '0123456789abcdef'.repeat(2),
      atMs,
      leaseUntilMs: atMs,
      source: 's'.repeat(16),
      accounts: ['a'.repeat(12)],
      ids: ['9'.repeat(40)],
      answer,
    },
  });
}

/** An order with every fact that an order can have, true together or not. */
export function theFullestOrder(): Order {
  const atMs = startMs + 1_000;
  const said = { code: 'GATEWAY_REFUSED', message: 'Card number is invalid', gatewayCode: '8', httpStatus: 200 };
  const attempt = anAttempt({
    accounts: ['account-1', 'account-2'],
    reopens: 'end-0',
    source: 'message-1',
    cardKeyId: 'key-1',
    answer: { kind: 'refused', about: 'account', connected: true, atMs, ...said },
    ids: ['9000123', '9000124'],
    aliases: ['77'],
    reports: reportLevels,
    amounts: ['10.43 EUR'],
    lapsed: said,
    declined: said,
    unclear: said,
    reversal: { type: 'reversal', status: 'approved', amount: '3.00', atMs },
    overdue: true,
    absent: {
      'account-1': { firstMs: atMs, lastMs: atMs + 1, sinceRefusal: true, denies: true },
      'account-2': { sinceRefusal: true },
    },
  });
  const lost = anAttempt({ id: 'attempt-2', number: 2, lost: true, askable: false, accounts: [] });
  const seen = { saw: { 'attempt-1': 'taken|9000123|||', '["account-1","9000125",null]': 'seen|' } };
  const decided = {
    kind: 'not-paid' as const,
    by: 'ada',
    reason: 'asked the bank',
    atMs,
    saw: {},
  };
  return {
    ...anOrder({ batchId: '2026-11', context: '{"invoice": 123.0}' }),
    version: 7,
    facts: {
      attempts: { [attempt.id]: attempt, [lost.id]: lost },
      decisions: {
        'decision-1': { id: 'decision-1', ...decided },
        'decision-2': { id: 'decision-2', ...decided, ...seen },
      },
      unproven: ['decision-1'],
      ends: {
        'end-0': {
          id: 'end-0',
          number: 0,
          reason: 'expired',
          atMs,
          saw: {},
          code: 'X',
          message: '',
        },
        'end-1': { id: 'end-1', number: 5, reason: 'denied', atMs, ...seen, ...said },
      },
      unknown: Object.fromEntries(
        [
          { account: 'account-1', id: '9000125', since: 3, reports: ['seen' as const], amounts: [] },
          { after: 2, since: 4, reports: ['said-paid' as const], amounts: [] },
          {
            account: 'account-2',
            since: 5,
            reports: ['declined' as const],
            approvedAtMs: atMs,
            amounts: ['10.43 EUR'],
            reversal: { type: 'reversal', status: 'approved', amount: '3.00', atMs },
          },
        ].map((it) => [unknownAt(it), it]),
      ),
      stoppedAt: 6,
      surprises: ['approved - 9000126 - -'],
      dropped: { believed: 2, proven: 1 },
    },
    published: { revision: 4, digest: 'digest', atMs },
    unpublished: true,
    asks: [{ attempt: 'a-1', account: 'account-1' }],
    looks: 5,
    lookedAtMs: atMs,
    dueAtMs: atMs + 1,
    updatedAtMs: atMs,
  };
}
