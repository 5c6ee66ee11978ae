// The books of a local run, cooked in every way: each must be noticed, or `payouts local` would praise a broken worker.
import { describe, expect, it } from 'vitest';
import type { Result } from '../../lib/payout/message/result.ts';
import { type Accounts, closeAccounts, type CountedPayment, type SentMessage } from '../../lib/local/accounts.ts';
import { aPayoutJob, type JobBody } from '../support/jobs.ts';

const message = (line: number, body: JobBody | string): SentMessage => ({
  line,
  messageId: `message-${line}`,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const result = (orderId: string, changes: Partial<Result> = {}): Result => {
  const revision = changes.revision ?? 2;
  return {
    version: 1,
    resultId: `acme-eu/${orderId}/${revision}`,
    operation: 'payout',
    merchant: 'acme-eu',
    orderId,
    status: 'accepted',
    final: true,
    amount: '10.42',
    currency: 'EUR',
    attempts: 1,
    revision,
    occurredAt: '2026-11-21T10:00:00.000Z',
    ...changes,
  };
};

const payment = (orderId: string, changes: Partial<CountedPayment> = {}): CountedPayment => ({
  merchant: 'acme-eu',
  orderId,
  currency: 'EUR',
  count: 1,
  amount: '10.42',
  ...changes,
});

const payout = (orderId: string) => aPayoutJob({ orderId });

/** Three orders: one accepted and counted, one declined, one in doubt that was counted. */
const honest = {
  sent: [message(1, payout('A')), message(2, payout('B')), message(3, payout('C'))],
  results: [result('A'), result('B', { status: 'declined' }), result('C', { status: 'held', final: false })],
  deadLetterMessageIds: [],
  payments: [payment('A'), payment('C')],
};

const close = (changes: Partial<Parameters<typeof closeAccounts>[0]> = {}): Accounts =>
  closeAccounts({ ...honest, ...changes });

describe('cooked books', () => {
  it.each<[what: string, changes: Partial<Parameters<typeof closeAccounts>[0]>, noticed: RegExp]>([
    [
      'an order in doubt was paid twice',
      { payments: [payment('A'), payment('C', { count: 2, amount: '20.84' })] },
      /C was paid more than once/,
    ],
    [
      'an order was paid twice',
      { payments: [payment('A', { count: 2, amount: '20.84' }), payment('C')] },
      /A: the result/,
    ],
    ['accepted, but not counted', { payments: [payment('C')] }, /A is accepted, but the gateway counted no money/],
    [
      'declined, but counted',
      { payments: [...honest.payments, payment('B')] },
      /B is declined, but .* counted 10.42 EUR/,
    ],
    [
      'counted, but no result',
      { payments: [...honest.payments, payment('Z')] },
      /Z was paid, but no result speaks of it/,
    ],
    [
      'another amount',
      { payments: [payment('A', { amount: '10.43' }), payment('C')] },
      /says 10.42 EUR, counted were 10.43/,
    ],
    ['no end', { sent: [...honest.sent, message(4, payout('D'))] }, /line 4 has neither a result nor a dead letter/],
    [
      "another merchant's payment",
      { payments: [payment('A', { merchant: 'globex-us' }), payment('C')] },
      /acme-eu\/A is accepted, but the gateway counted no money/,
    ],
  ])('%s: noticed', (_what, changes, noticed) => {
    const accounts = close(changes);
    expect(accounts.agree).toBe(false);
    const told = [...accounts.disagreements, ...accounts.paidTwice.map((order) => `${order} was paid more than once`)];
    expect(told.join('\n')).toMatch(noticed);
  });
});
