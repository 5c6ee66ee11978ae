// The books of a local run, cooked in every way: each must be noticed, or `payouts local` would praise a broken worker.
import { describe, expect, it } from 'vitest';
import type { Result } from '../../lib/payout/message/result.ts';
import { type Accounts, closeAccounts, type CountedPayment, type SentMessage } from '../../lib/local/accounts.ts';
import { accountsAsText } from '../../lib/cli/local/local-report.ts';
import { anEligibilityJob, aPayoutJob, type JobBody } from '../support/jobs.ts';

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

/** Every difference, whatever its currency. */
const differences = ({ money = [] }: Accounts) => money.map((it) => it.difference);

describe('honest books', () => {
  it('agree: what was counted is what was accepted and what is in doubt', () => {
    const accounts = close();
    expect(accounts).toMatchObject({ messages: 3, orders: 3, agree: true, paidTwice: [], disagreements: [] });
    expect(accounts.endings).toMatchObject({ accepted: 1, declined: 1, 'in doubt': 1, missing: 0 });
    expect(accounts.money).toEqual([
      {
        currency: 'EUR',
        counted: '20.84',
        countedOrders: 2,
        accepted: '10.42',
        acceptedOrders: 1,
        inDoubtCounted: '10.42',
        inDoubtCountedOrders: 1,
        difference: '0.00',
      },
    ]);
    expect(accountsAsText(accounts, 1000)).toContain('money and results agree');
  });

  it('agree when an order in doubt was never paid: nobody claims that it was', () => {
    expect(close({ payments: [payment('A')] })).toMatchObject({ agree: true });
  });

  it('take the highest revision of an order, in whatever sequence the results came', () => {
    const results = [result('A', { revision: 5 }), result('A', { revision: 3, status: 'held', final: false })];
    const accounts = close({ sent: [message(1, payout('A'))], results, payments: [payment('A')] });
    expect(accounts).toMatchObject({ orders: 1, agree: true, endings: { accepted: 1, 'in doubt': 0 } });
  });

  it('count a duplicate with its order, a rejected message by itself, a check apart', () => {
    const rejected: Result = {
      version: 1,
      resultId: 'rejected/message-3',
      status: 'rejected',
      final: true,
      attempts: 0,
      occurredAt: '2026-11-21T10:00:00.000Z',
    };
    const { amount: _amount, currency: _currency, ...check } = result('P', { operation: 'pan-eligibility' });
    const accounts = close({
      sent: [
        message(1, payout('A')),
        message(2, payout('A')),
        message(3, 'not json'),
        message(4, anEligibilityJob({ orderId: 'P' })),
      ],
      results: [result('A'), rejected, { ...check, resultId: 'acme-eu/P/2' }],
      payments: [payment('A')],
    });
    expect(accounts).toMatchObject({ agree: true, orders: 2, endings: { accepted: 2, failed: 1, checked: 1 } });
  });

  it('call a message without a result, but with a dead letter, an end that is not nice', () => {
    const sent = [...honest.sent, message(4, payout('D'))];
    const accounts = close({ sent, deadLetterMessageIds: ['message-4'] });
    expect(accounts).toMatchObject({ agree: true, deadLetters: 1, endings: { 'dead letter only': 1 } });
  });

  it('say that nobody counted the money where the gateway is not the simulator', () => {
    const { payments: _payments, ...uncounted } = honest;
    const accounts = closeAccounts(uncounted);
    expect(accounts.agree).toBe(true);
    expect(accounts).not.toHaveProperty('money');
    expect(accountsAsText(accounts, 1000)).toContain('nobody counted the money');
  });

  it('compare amounts, not their spelling', () => {
    const results = [result('A', { amount: '10.50' })];
    const accounts = close({ sent: [message(1, payout('A'))], results, payments: [payment('A', { amount: '10.5' })] });
    expect(accounts).toMatchObject({ agree: true });
    expect(differences(accounts)).toEqual(['0.00']);
  });
});

describe('cooked books', () => {
  it.each<[what: string, changes: Partial<Parameters<typeof closeAccounts>[0]>, noticed: RegExp]>([
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
      'failed, but counted',
      {
        results: [...honest.results, result('B', { status: 'failed', revision: 3 })],
        payments: [...honest.payments, payment('B')],
      },
      /B is failed, but/,
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
    ['another currency', { payments: [payment('A', { currency: 'USD' }), payment('C')] }, /counted were 10.42 USD/],
    ['no end', { sent: [...honest.sent, message(4, payout('D'))] }, /line 4 has neither a result nor a dead letter/],
    [
      "another merchant's payment",
      { payments: [payment('A', { merchant: 'globex-us' }), payment('C')] },
      /acme-eu\/A is accepted, but the gateway counted no money/,
    ],
  ])('%s: noticed', (_what, changes, noticed) => {
    const accounts = close(changes);
    expect(accounts.agree).toBe(false);
    expect(accounts.disagreements.join('\n')).toMatch(noticed);
    expect(accountsAsText(accounts, 1000)).toMatch(/✘ money and results disagree/);
  });

  it('names the order that was paid twice, even where the order is in doubt', () => {
    const accounts = close({ payments: [payment('A'), payment('C', { count: 2, amount: '20.84' })] });
    expect(accounts).toMatchObject({ agree: false, paidTwice: ['acme-eu/C'] });
    expect(accountsAsText(accounts, 1000)).toContain('acme-eu/C was paid more than once');
  });

  it('shows the difference in the table of money', () => {
    expect(differences(close({ payments: [payment('C')] }))).toEqual(['-10.42']);
    expect(differences(close({ payments: [...honest.payments, payment('Z')] }))).toEqual(['10.42']);
  });
});
