// What each outcome makes of an order.
import { describe, expect, it } from 'vitest';
import { newEntry } from '../../lib/payout/claim.ts';
import type { LedgerEntry, OrderState } from '../../lib/payout/ledger.ts';
import type { Outcome } from '../../lib/payout/outcome.ts';
import { abandoned, type SettleContext, settled } from '../../lib/payout/settlement.ts';
import { aPayoutJob, anEligibilityJob, type JobBody, jobOf } from '../support/jobs.ts';

const failure = { code: 'GATEWAY_REFUSED', message: 'said so' } as const;
const context = { nowMs: 5_000, attempts: 2, statusInquiry: false };
const claimed = (body: JobBody = aPayoutJob()) =>
  newEntry({ job: jobOf(body), fingerprints: ['k1.x'], owner: 'me', messageId: 'm-1', nowMs: 1_000, leaseMs: 1 });

describe('the entry after an attempt', () => {
  it.each<[string, Outcome, Partial<SettleContext>, object]>([
    [
      'accepted',
      { kind: 'accepted', gatewayOrderId: '9' },
      {},
      { state: 'accepted', final: true, gatewayOrderId: '9' },
    ],
    ['accepted, to be asked about', { kind: 'accepted' }, { statusInquiry: true }, { state: 'accepted', final: false }],
    ['declined', { kind: 'declined', failure }, { statusInquiry: true }, { state: 'declined', final: true, failure }],
    [
      'in doubt under an id, which is kept',
      { kind: 'in-doubt', failure, gatewayOrderId: '9' },
      {},
      { state: 'held', final: false, gatewayOrderId: '9' },
    ],
    [
      'credentials refused: it waits',
      { kind: 'not-processed', reason: 'credentials-refused', failure },
      {},
      { state: 'retryable', final: false, failure },
    ],
    [
      'not processed, and tried a thousand times: it waits',
      { kind: 'not-processed', reason: 'account', failure },
      { attempts: 1000, waited: { tooLong: false, deliveries: 1000 } },
      { state: 'retryable', final: false, failure, attempts: 1000 },
    ],
    ['a check without answer', { kind: 'check-unanswered', failure }, {}, { state: 'retryable', final: false }],
    [
      'a check without answer, for the fifth time',
      { kind: 'check-unanswered', failure },
      { attempts: 5 },
      { state: 'held', final: false, attempts: 5 },
    ],
    ['retryable', { kind: 'retryable', failure }, {}, { state: 'retryable', final: false, failure }],
    [
      'retryable, after fourteen days: it says what it waited for at last',
      { kind: 'retryable', failure },
      { waited: { tooLong: true, deliveries: 1 } },
      {
        state: 'failed',
        final: true,
        failure: { code: 'WAITED_TOO_LONG', message: 'it waited for 14 days: said so' },
      },
    ],
    ['unsendable', { kind: 'unsendable', failure }, {}, { state: 'failed', final: true, failure }],
    ['in doubt', { kind: 'in-doubt', failure }, {}, { state: 'held', final: false, failure }],
    [
      'in doubt, to be asked about',
      { kind: 'in-doubt', failure },
      { statusInquiry: true },
      { state: 'in-doubt', final: false },
    ],
  ])('%s', (_, outcome, changes, expected) => {
    const entry = settled(claimed(), outcome, { ...context, ...changes });
    expect(entry).toMatchObject({ attempts: 2, ...expected, revision: 2, updatedAtMs: 5_000, owner: 'me' });
  });
});

describe('an order that is given back again and again', () => {
  const login = { code: 'AUTHENTICATION', message: 'unknown login' } as const;
  const refused = { kind: 'not-processed', reason: 'credentials-refused', failure: login } as const;
  const often = { ...context, attempts: 20, waited: { tooLong: false, deliveries: 20 } };
  const sentAgain = (entry: LedgerEntry) => ({ ...entry, state: 'submitting' as const });
  const before = sentAgain(settled(claimed(), refused, context));

  it('fails where its login was refused twenty times, the last time too', () => {
    expect(settled(before, refused, often)).toMatchObject({ state: 'failed', final: true, failure: login });
  });

  it.each<[string, Outcome, Partial<SettleContext>]>([
    ['what refused it now was not its login', { kind: 'not-processed', reason: 'account', failure }, {}],
    ['it was not sent now', { kind: 'retryable', failure }, {}],
    ['it was sent less often', refused, { attempts: 19 }],
    ['a person has brought it back since', refused, { waited: { tooLong: false, deliveries: 19 } }],
  ])('waits where %s', (_, outcome, changes) => {
    expect(settled(before, outcome, { ...often, ...changes })).toMatchObject({ state: 'retryable', final: false });
  });

  it('waits where another thing refused it before', () => {
    const elsewhere = settled(claimed(), { kind: 'not-processed', reason: 'account', failure }, context);
    expect(settled(sentAgain(elsewhere), refused, often)).toMatchObject({ state: 'retryable' });
  });
});

it('what is known at last never to have been sent leaves no attempt behind that may have been processed', () => {
  const lost = settled(claimed(), { kind: 'in-doubt', failure }, context);
  expect(lost).toMatchObject({ state: 'held', unproven: true });
  const end = settled(lost, { kind: 'spent', failure: { code: 'NEW_CARD_DATA_NEEDED', message: 'spent' } }, context);
  expect(end).toMatchObject({ state: 'failed' });
  expect(end).not.toHaveProperty('unproven');
});

it('attempts never go down: a claim that was written anew for another account may not have heard of it', () => {
  const entry = { ...claimed(), attempts: 3 };
  expect(settled(entry, { kind: 'accepted' }, context).attempts).toBe(3);
  expect(settled(entry, { kind: 'retryable', failure }, context).attempts).toBe(3);
});

describe('a late answer', () => {
  it.each<OrderState>(['in-doubt', 'held'])('that knows no more than %s changes nothing', (state) => {
    const entry = { ...claimed(), state };
    expect(settled(entry, { kind: 'in-doubt', failure }, context)).toBe(entry);
  });

  it('that a cap held it leaves an order with the person that it waits for already', () => {
    const lost = { code: 'WORKER_LOST', message: 'never reported' } as const;
    const entry = { ...claimed(), state: 'held' as const, failure: lost };
    expect(settled(entry, { kind: 'capped', failure }, context)).toBe(entry);
  });

  it.each<OrderState>(['in-doubt', 'held'])('that knows more ends %s, without its failure', (state) => {
    const entry = settled({ ...claimed(), state, failure }, { kind: 'accepted', gatewayOrderId: '9' }, context);
    expect(entry).toMatchObject({ state: 'accepted', gatewayOrderId: '9' });
    expect(entry).not.toHaveProperty('failure');
  });
});

describe('an order whose worker never reported', () => {
  it('is held, or in doubt where the gateway can be asked', () => {
    const now = { nowMs: 5_000 };
    expect(abandoned(claimed(), { ...now, statusInquiry: false })).toMatchObject({
      state: 'held',
      final: false,
      failure: { code: 'WORKER_LOST' },
    });
    expect(abandoned(claimed(), { ...now, statusInquiry: true })).toMatchObject({ state: 'in-doubt' });
  });

  it('is simply asked again if it is a check', () => {
    const entry = abandoned(claimed(anEligibilityJob()), { nowMs: 5_000, statusInquiry: false });
    expect(entry).toMatchObject({ state: 'retryable', final: false });
  });
});
