// What became of the payments of a local run, and its books, cooked: it must be noticed, or `payouts local` would praise a broken worker.
import { describe, expect, it } from 'vitest';
import { type RunEvidence, runPayments, type SentMessage } from '../../lib/local/payments.ts';
import { booksOf, type ReportedPayment } from '../../lib/local/run-books.ts';
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
const paid = shown(
  anOrder({ orderId: 'A', attempt: { answer: { kind: 'taken', atMs: startMs }, ids: ['1'], reports: ['approved'] } }),
);
const declined = shown(anOrder({ orderId: 'B', attempt: { answer: { ...refused, message: 'no such bank' } } }));
const inDoubt = shown(anOrder({ orderId: 'C', attempt: { lapsed: { code: 'NO_ANSWER', message: 'reset' } } }));
const ordersOf = (...views: OrderView[]) => new Map(views.map((view) => [view.key, view]));
const toldOf = (...views: OrderView[]) => views.flatMap((view) => resultOf({ ...view, revision: 1 }) ?? []);

/** Three orders: one accepted, one declined, one in doubt; and a line that is no job. */
const honest: RunEvidence = {
  sent: [message(1, payout('A')), message(2, payout('B')), message(3, payout('C')), message(4, '{}')],
  results: [...toldOf(accepted, declined, inDoubt), refusalOf(4)],
  deadLetterMessageIds: ['message-4'],
  orders: ordersOf(accepted, declined, inDoubt),
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
  });
});

describe('the books', () => {
  const line = (orderId: string, changes: Partial<ReportedPayment> = {}): ReportedPayment => ({
    merchant: 'acme-eu',
    orderId,
    gatewayOrderId: '1',
    currency: 'EUR',
    amount: '10.42',
    status: 'processing',
    ...changes,
  });
  const report = [line('A'), line('C')];
  const twice = line('C', { gatewayOrderId: '2' });

  it('agree', () => {
    expect(booksOf(honest, report)).toEqual({
      agree: true,
      paidTwice: [],
      disagreements: [],
      counted: [{ currency: 'EUR', amount: '20.84', orders: 2 }],
    });
  });

  it('agree where the report says more than the ledger of what has no end', () => {
    expect(booksOf(honest, [line('A', { status: 'approved' }), line('C', { status: 'declined' })]).agree).toBe(true);
  });

  it('agree where a message is left, which publishes a result or carries an answer', () => {
    const late = { ...honest, sent: [...honest.sent, message(5, payout('D'))], results: toldOf(declined, inDoubt) };
    const waiting = new Map(['acme-eu/A', 'acme-eu/D'].map((key) => [key, {}]));
    expect(booksOf({ ...late, results: [...late.results, refusalOf(4)], waiting }, [...report, line('D')]).agree).toBe(
      true,
    );
  });

  it.each<[what: string, reported: readonly ReportedPayment[], seen: Partial<RunEvidence>, noticed: string]>([
    ['an order was paid twice', [...report, twice], {}, 'acme-eu/C'],
    [
      'an order that the ledger does not have was paid twice, while its job waits',
      [...report, line('D'), line('D', { gatewayOrderId: '2' })],
      { sent: [...honest.sent, message(5, payout('D'))], waiting: new Map([['acme-eu/D', {}]]) },
      'acme-eu/D',
    ],
    [
      'the gateway has no proof of what the ledger says is paid',
      [line('A', { status: 'error' }), line('C')],
      { orders: ordersOf(paid, declined, inDoubt), results: toldOf(paid, declined, inDoubt) },
      'acme-eu/A: A status that proves nothing',
    ],
    ['a payment is unknown to the ledger', [...report, line('Z')], {}, 'acme-eu/Z: Under way, and unknown'],
    ['a job is lost', report, { sent: [...honest.sent, message(5, payout('D'))] }, 'acme-eu/D has neither'],
    [
      'a result says more than the ledger, while a job waits',
      report,
      { results: toldOf(accepted, declined, { ...paid, key: inDoubt.key }), waiting: new Map([[inDoubt.key, {}]]) },
      'acme-eu/C: A result differs',
    ],
    ['a result is missing', report, { results: toldOf(accepted, declined) }, 'acme-eu/C: its result is none'],
  ])('disagree: %s', (_what, reported, seen, noticed) => {
    const { agree, paidTwice, disagreements } = booksOf({ ...honest, ...seen }, reported);
    expect({ agree, noticed: [...paidTwice, ...disagreements] }).toEqual({
      agree: false,
      noticed: [expect.stringContaining(noticed)],
    });
  });
});
