// Whose a finding is where the gateway's answer names no id of its own: the attempt's by whose id it was asked.
import { expect, it } from 'vitest';
import { factsOfFinding } from '../../../lib/payout/inquire/finding-facts.ts';
import { ofAttempt } from '../../../lib/payout/order/facts.ts';
import { fold } from '../../../lib/payout/order/fold.ts';
import { join } from '../../../lib/payout/order/join.ts';
import { anAttempt, anOrder } from '../../support/orders.ts';

const terms = { visibleAfterMs: 60_000, namesNewest: false };

it('a decline in answer to a question by the id of the first attempt says nothing of the second, which is unheard of', () => {
  // given: the first was released as not paid, and its answer came late; the second got none
  const first = anAttempt({ id: 'a', answer: { kind: 'taken', atMs: 9 }, ids: ['9001'] });
  const second = anAttempt({ id: 'b', number: 2, lapsed: { code: 'NO_ANSWER', message: 'no answer' } });
  const order = { ...anOrder(), facts: join(ofAttempt(first), ofAttempt(second)) };
  const { content } = order;
  if (!content) throw new Error('it has a content');
  expect(fold(order.facts)).toMatchObject({ kind: 'accepted', attempt: { id: 'a' } });
  // when
  const failure = { code: 'GATEWAY_DECLINED', message: 'Insufficient funds' } as const;
  const found = factsOfFinding(
    { order, content, attempt: first, account: 'account-1', askedMs: 9 },
    { kind: 'declined', failure },
    10,
    terms,
  );
  // then
  expect(Object.keys(found.attempts)).toEqual(['a']);
  expect(fold(join(order.facts, found))).toMatchObject({ kind: 'in-doubt', attempt: { id: 'b' } });
});

const unknown = { kind: 'unknown-order' } as const;
const leaseUntilMs = 100_000;
/** Two clocks are a minute apart at most. */
const leaseOverMs = leaseUntilMs + 60_000;

// Seed 7225 of five jobs: the gateway's answer came eighteen seconds after it was asked.
it.each([
  ['that was asked before the lease was over by any clock proves nothing, however late its answer', -1, undefined],
  [
    'begins the quiet period with its answer and ends it with its question: the gateway looked at some moment between them',
    1,
    { 'account-1': { firstMs: leaseOverMs + 18_000, lastMs: leaseOverMs + 1 } },
  ],
])('a look %s', (_, afterMs, absent) => {
  const attempt = anAttempt({ id: 'a', leaseUntilMs, lapsed: { code: 'NO_ANSWER', message: 'no answer' } });
  const order = { ...anOrder(), facts: ofAttempt(attempt) };
  const { content } = order;
  if (!content) throw new Error('it has a content');
  const question = { order, content, attempt, account: 'account-1', askedMs: leaseOverMs + afterMs };
  const found = factsOfFinding(question, unknown, leaseOverMs + 18_000, terms);
  expect(found.attempts['a']?.absent).toEqual(absent);
});

it.each([
  [true, { sinceRefusal: true }],
  [false, undefined],
])(
  'an account that names the newest (%s) answers about an attempt by naming the one before',
  (namesNewest, absence) => {
    const first = anAttempt({ id: 'a', answer: { kind: 'taken', atMs: 1 }, ids: ['9001'], reports: ['declined'] });
    const refused = { kind: 'refused', about: 'account', connected: true, atMs: 9, code: 'X', message: '' } as const;
    const second = anAttempt({ id: 'b', number: 2, answer: refused });
    const order = { ...anOrder(), facts: join(ofAttempt(first), ofAttempt(second)) };
    const { content } = order;
    if (!content) throw new Error('it has a content');
    const question = { order, content, attempt: second, account: 'account-1', askedMs: 60_009 };
    const finding = { kind: 'pending', status: 'declined', gatewayOrderId: '9001' } as const;
    const found = factsOfFinding(question, finding, 60_010, { ...terms, namesNewest });
    expect(found.attempts['b']?.absent['account-1']).toEqual(absence);
  },
);
