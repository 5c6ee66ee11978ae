// The books of a local run, cooked in every way: each must be noticed, or `payouts local` would praise a broken worker.
import { describe, expect, it } from 'vitest';
import {
  booksOf,
  type CountedPayment,
  paymentLines,
  type RunEvidence,
  runPayments,
  type SentMessage,
} from '../../lib/local/payments.ts';
import { parseJob } from '../../lib/payout/message/job.ts';
import { rejection } from '../../lib/payout/message/result.ts';
import { type OrderView, resultOf, viewOf } from '../../lib/payout/order/projection.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { aPayoutJob, type JobBody } from '../support/jobs.ts';
import { anOrder } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const message = (line: number, body: JobBody | string): SentMessage => ({
  line,
  messageId: `message-${line}`,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const payment = (orderId: string, changes: Partial<CountedPayment> = {}): CountedPayment => ({
  merchant: 'acme-eu',
  orderId,
  currency: 'EUR',
  count: 1,
  amount: '10.42',
  ...changes,
});
const payout = (orderId: string) => aPayoutJob({ orderId });

/** Its result is on the queue. */
const shown = (order: Order): OrderView => {
  const { unpublished: _, ...view } = viewOf(order);
  return view;
};

const refused = { kind: 'refused', about: 'order', connected: true, atMs: startMs, code: 'GATEWAY_REFUSED' } as const;
const accepted = shown(
  anOrder({ orderId: 'A', attempt: { answer: { kind: 'taken', atMs: startMs }, ids: ['1'], askable: false } }),
);
const declined = shown(anOrder({ orderId: 'B', attempt: { answer: { ...refused, message: 'no such bank' } } }));
const inDoubt = shown(anOrder({ orderId: 'C', attempt: { lapsed: { code: 'NO_ANSWER', message: 'reset' } } }));
const ordersOf = (...views: OrderView[]) => new Map(views.map((view) => [view.key, view]));
const toldOf = (...views: OrderView[]) => views.flatMap((view) => resultOf({ ...view, revision: 1 }) ?? []);

/** Three orders: one accepted and counted, one declined, one in doubt that was counted; and a line that is no job. */
const honest: RunEvidence = {
  sent: [message(1, payout('A')), message(2, payout('B')), message(3, payout('C')), message(4, '{}')],
  results: [...toldOf(accepted, declined, inDoubt), refusalOf(4)],
  deadLetterMessageIds: ['message-4'],
  orders: ordersOf(accepted, declined, inDoubt),
  payments: [payment('A'), payment('C')],
};

function refusalOf(line: number) {
  const read = parseJob('{}');
  if (read.kind === 'job') throw new Error('it is none');
  const failure = { code: 'INVALID_MESSAGE', message: 'version is missing' } as const;
  return rejection({ messageId: `message-${line}`, nowMs: startMs, identity: read.identity, failure });
}

describe('what became of the payments', () => {
  it('is one standing for each order, and for each message that became none', () => {
    expect(runPayments(honest).map(({ order, standing }) => [order, standing])).toEqual([
      ['acme-eu/A', 'accepted'],
      ['acme-eu/B', 'declined'],
      ['acme-eu/C', 'in-doubt'],
      ['line 4', 'rejected'],
    ]);
  });

  it('counts an order once, however often its job was sent, and a job that waits with its reason', () => {
    // given a job that was sent twice, one that waits, and a dead letter that no result names
    const failure = { code: 'AUTHENTICATION', message: 'the gateway refused the key' };
    const payments = runPayments({
      ...honest,
      sent: [...honest.sent, message(5, payout('A')), message(6, payout('D')), message(7, payout('E'))],
      deadLetterMessageIds: ['message-7'],
      waiting: new Map([['acme-eu/D', { failure }]]),
    });
    expect(payments.slice(4)).toEqual([
      { order: 'acme-eu/D', standing: 'not-started', failure, money: { currency: 'EUR', minorUnits: 1042n } },
      { order: 'acme-eu/E', standing: 'dead-letter', money: { currency: 'EUR', minorUnits: 1042n } },
    ]);
    expect(paymentLines(payments)).toContainEqual({
      standing: 'accepted',
      currency: 'EUR',
      count: 1,
      minorUnits: 1042n,
    });
  });
});

describe('the books', () => {
  it('agree', () => {
    expect(booksOf(honest)).toEqual({
      agree: true,
      paidTwice: [],
      disagreements: [],
      counted: [{ currency: 'EUR', amount: '20.84', orders: 2 }],
    });
  });

  it.each<[what: string, changes: Partial<RunEvidence>, noticed: RegExp]>([
    [
      'an order was paid twice',
      { payments: [payment('A'), payment('C', { count: 2, amount: '20.84' })] },
      /^acme-eu\/C$/,
    ],
    ['accepted, but not counted', { payments: [payment('C')] }, /A is accepted, the gateway counted nothing/],
    [
      'declined, but counted',
      { payments: [payment('A'), payment('B')] },
      /B is declined, the gateway counted 10.42 EUR/,
    ],
    [
      'counted, but no order',
      { payments: [payment('A'), payment('Z')] },
      /Z was paid, and the ledger has no such order/,
    ],
    ['another amount', { payments: [payment('A', { amount: '10.43' })] }, /A: the gateway counted 10.43 EUR, another/],
    ['no end', { sent: [...honest.sent, message(5, payout('D'))] }, /line 5 has neither an order nor a dead letter/],
    ["another merchant's", { payments: [payment('A', { merchant: 'globex-us' })] }, /A is accepted, .*nothing/],
    ['a result is missing', { results: toldOf(accepted, declined) }, /C is in-doubt, its last result says nothing/],
    [
      'a result says otherwise',
      { results: toldOf(accepted, { ...declined, result: 'accepted' }, inDoubt) },
      /B is declined, its last result says accepted/,
    ],
  ])('%s: noticed', (_what, changes, noticed) => {
    const { agree, paidTwice, disagreements } = booksOf({ ...honest, ...changes });
    expect(agree).toBe(false);
    expect([...paidTwice, ...disagreements].some((it) => noticed.test(it))).toBe(true);
  });

  it('miss no result of an order whose message is left, which publishes it', () => {
    const results = toldOf(declined, inDoubt);
    expect(booksOf({ ...honest, results: [...results, refusalOf(4)] }).agree).toBe(false);
    const waiting = new Map([['acme-eu/A', {}]]);
    expect(booksOf({ ...honest, results: [...results, refusalOf(4)], waiting }).agree).toBe(true);
  });

  it('takes the payment of an order whose message may carry the answer for no lie, and of a declined one for none', () => {
    const waiting = new Map([['acme-eu/D', {}]]);
    const late = { sent: [...honest.sent, message(5, payout('D'))], waiting };
    const payments = [payment('A'), payment('B', { declinedCount: 1 }), payment('D')];
    expect(booksOf({ ...honest, ...late, payments }).agree).toBe(true);
  });
});
