// Orders for the suites that look at storage: one of everyday size, and the largest that a claim and an answer make.
import { randomUUID } from 'node:crypto';
import { outsideTextLimitBytes } from '../../lib/gateway/redact.ts';
import { failureCodeNames } from '../../lib/payout/failures.ts';
import { contextLimitBytes } from '../../lib/payout/job-message.ts';
import { type Answer, type Attempt, type Facts, noFacts, ofAttempt } from '../../lib/payout/order/facts.ts';
import { type Content, newOrder, type Order, orderKey } from '../../lib/payout/order/order.ts';
import { recorded } from '../../lib/payout/order/record.ts';
import { type OrderView, viewOf } from '../../lib/payout/order/view.ts';
import { startMs } from './time-and-chance.ts';

/** An attempt of a payout whose lease runs, number 1, before its answer. */
export function anAttempt(changes: Partial<Attempt> = {}): Attempt {
  return {
    id: 'attempt-1',
    number: 1,
    atMs: startMs,
    operation: 'payout',
    movesMoney: true,
    accounts: ['account-1'],
    askable: true,
    leaseUntilMs: startMs + 100_000,
    ids: [],
    aliases: [],
    reports: [],
    amounts: [],
    negatives: {},
    ...changes,
  };
}

/** What a story may choose of an order. */
export interface OrderChoices extends Partial<Content> {
  readonly merchant?: string;
  readonly orderId?: string;
  /** Its facts, instead of one attempt under way. */
  readonly facts?: Facts;
  /** Its one attempt, where that differs. */
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
  const key = orderKey({ operation: whole.operation, merchant, orderId });
  const { operation } = whole;
  const added = facts ?? ofAttempt(anAttempt({ operation, ...attempt }));
  return recorded(newOrder(key, startMs, whole), added, { nowMs: startMs, endId: 'end-1' });
}

/** The order after these facts, at this time. */
export function withFacts(order: Order, facts: Partial<Facts>, nowMs = startMs): Order {
  return recorded(order, { ...noFacts, ...facts }, { nowMs, endId: 'end-1', publishes: true });
}

/** How an order is seen: that of `anOrder`, with these changes. */
export function aView(changes: Partial<OrderView> = {}): OrderView {
  const { merchant, orderId } = changes;
  const order = anOrder({ ...(merchant !== undefined && { merchant }), ...(orderId !== undefined && { orderId }) });
  const view = { ...viewOf(order), ...changes };
  return { ...view, key: changes.key ?? orderKey(view) };
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
