// What one look makes of an order: how doubt ends, and how acceptance becomes truth.
import { noInquiries } from '../../lib/payout/due-work.ts';
import { describe, expect, it } from 'vitest';
import { type ClaimRequest, decideClaim, newEntry, takenOver } from '../../lib/payout/claim.ts';
import type { Finding } from '../../lib/gateway/finding.ts';
import type { Asking } from '../../lib/payout/retry-policy.ts';
import { afterInquiry } from '../../lib/payout/inquiry-step.ts';
import { type LedgerEntry, type Inquiries, moves, type OrderState, isAskedAbout } from '../../lib/payout/ledger.ts';
import { defaultProfile, type Profile } from '../../lib/gateway/profile.ts';
import { resultOf } from '../../lib/payout/result.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';

const hour = 3_600_000;
const states = Object.keys(moves) as OrderState[];
const request: ClaimRequest = {
  job: jobOf(aPayoutJob()),
  fingerprints: ['k1.same'],
  owner: 'me',
  messageId: 'm-1',
  nowMs: 0,
  leaseMs: 100_000,
};
const failure = { code: 'NO_ANSWER', message: 'reset' } as const;

/** Claimed at 0, in this state since second 100. */
function standing(state: OrderState, changes: Partial<LedgerEntry> = {}): LedgerEntry {
  const claimed = newEntry(request);
  const line = { state, atMs: 100_000, attempts: 1, reason: 'x' };
  return { ...claimed, state, revision: 2, updatedAtMs: 100_000, history: [...claimed.history, line], ...changes };
}

const asking = (nowMs: number, profile: Partial<Profile> = {}): Asking => ({
  nowMs,
  profile: { ...defaultProfile, statusInquiry: true, ...profile },
  rhythm: { doubtFirstInquirySeconds: 60 },
});

const approved: Finding = { kind: 'approved', gatewayOrderId: '9' };
const declined: Finding = { kind: 'declined', gatewayOrderId: '9', failure: { code: 'FILTERED', message: 'fraud' } };
const pending: Finding = { kind: 'pending', gatewayOrderId: '9', status: 'processing' };
const unknownOrder: Finding = { kind: 'unknown-order' };
const unclear: Finding = { kind: 'unclear', reason: 'no answer' };
const refused: Finding = { kind: 'credentials-refused' };

describe('by itself the gateway is asked about', () => {
  it.each(states)('%s', (state) => {
    expect(isAskedAbout(standing(state))).toBe(state === 'in-doubt' || state === 'accepted');
    expect(isAskedAbout(standing(state, { final: true }))).toBe(state === 'in-doubt');
  });
});

describe('the gateway says that the order is paid', () => {
  it.each<OrderState>(['accepted', 'in-doubt', 'held', 'retryable', 'failed', 'declined', 'cancelled'])(
    '%s becomes approved',
    (state) => {
      const { next, ...rest } = afterInquiry(standing(state, { failure }), approved, asking(hour));
      expect(next).toMatchObject({
        state: 'approved',
        final: true,
        gatewayOrderId: '9',
        revision: 3,
        updatedAtMs: hour,
      });
      expect(next).not.toHaveProperty('failure');
      expect(rest).toEqual({});
    },
  );

  it.each<OrderState>(['approved', 'submitting'])('%s stays as it is', (state) => {
    const entry = standing(state);
    expect(afterInquiry(entry, approved, asking(hour))).toEqual({ next: entry });
  });
});

describe('the gateway says that the order ended unpaid', () => {
  it.each<OrderState>(['accepted', 'in-doubt', 'held', 'failed', 'approved'])('%s becomes declined', (state) => {
    const { next } = afterInquiry(standing(state), declined, asking(hour));
    expect(next).toMatchObject({ state: 'declined', final: true, revision: 3, failure: { code: 'FILTERED' } });
  });

  // What was never sent may still be sent: whoever was declined, it was not this attempt.
  it.each<OrderState>(['declined', 'retryable', 'submitting'])('%s stays as it is', (state) => {
    const entry = standing(state);
    expect(afterInquiry(entry, declined, asking(hour))).toEqual({ next: entry });
  });
});

describe('late truth', () => {
  it('is a new revision of the same order, there and back again', () => {
    const first = afterInquiry(standing('accepted'), approved, asking(1 * hour)).next;
    const second = afterInquiry(first, declined, asking(24 * hour)).next;
    const third = afterInquiry(second, approved, asking(48 * hour)).next;
    expect([first, second, third].map((it) => resultOf(it))).toMatchObject([
      { resultId: 'acme-eu/INV-1/3', status: 'approved', final: true },
      { resultId: 'acme-eu/INV-1/4', status: 'declined', final: true, failure: { code: 'FILTERED' } },
      { resultId: 'acme-eu/INV-1/5', status: 'approved', final: true },
    ]);
    expect(resultOf(third)).not.toHaveProperty('failure');
  });

  it.each([pending, unknownOrder, unclear, refused])('is an end, never $kind', (finding) => {
    for (const state of ['approved', 'declined'] as const) {
      const entry = standing(state, { final: true });
      expect(afterInquiry(entry, finding, asking(99 * hour))).toEqual({ next: entry });
    }
  });
});

describe('the gateway has the order', () => {
  it.each<OrderState>(['in-doubt', 'held', 'retryable', 'failed'])(
    '%s becomes accepted, and is asked about in 5 s',
    (state) => {
      const step = afterInquiry(
        standing(state, { failure, inquiries: { count: 7, negatives: 3 } }),
        pending,
        asking(hour),
      );
      expect(step).toMatchObject({
        next: { state: 'accepted', final: false, gatewayOrderId: '9', revision: 3 },
        nextInquirySeconds: 5,
      });
      for (const name of ['failure', 'looks', 'dueAtMs']) expect(step.next).not.toHaveProperty(name);
      expect(step.next.history.at(-1)).toMatchObject({ state: 'accepted', reason: 'found' });
    },
  );

  it('accepted long ago: the look is counted, without a new revision', () => {
    const entry = standing('accepted', { gatewayOrderId: '9' });
    const { next, nextInquirySeconds } = afterInquiry(entry, pending, asking(700_000));
    expect(nextInquirySeconds).toBe(298);
    const inquiries = { count: 1, negatives: 0, askedAtMs: 700_000 };
    expect(next).toEqual({ ...entry, inquiries, dueAtMs: 700_000 + 298_000 + 120_000 });
  });

  it('accepted for good, as the contract offered no inquiry then: stays', () => {
    const entry = standing('accepted', { final: true });
    expect(afterInquiry(entry, pending, asking(hour))).toEqual({ next: entry });
  });
});

describe('the gateway knows no such order', () => {
  const twice: Inquiries = { count: 5, negatives: 1, firstNegativeAtMs: 160_000 };
  const quietEnds = 160_000 + 1_800_000;

  it('once: doubt goes on, and the answer is counted', () => {
    const entry = standing('in-doubt', { failure });
    const inquiries = { count: 1, negatives: 1, firstNegativeAtMs: 160_000, askedAtMs: 160_000 };
    expect(afterInquiry(entry, unknownOrder, asking(160_000))).toEqual({
      next: { ...entry, inquiries, dueAtMs: 160_000 + 240_000 },
      nextInquirySeconds: 120,
    });
  });

  it('a second before the quiet period is over: doubt goes on for a second', () => {
    const step = afterInquiry(standing('in-doubt', { inquiries: twice }), unknownOrder, asking(quietEnds - 1_000));
    expect(step).toMatchObject({ next: { state: 'in-doubt', revision: 2 }, nextInquirySeconds: 1 });
  });

  it('over the quiet period, and the profile lets nothing be sent again: held', () => {
    const { next, ...rest } = afterInquiry(standing('in-doubt', { inquiries: twice }), unknownOrder, asking(quietEnds));
    expect(next).toMatchObject({
      state: 'held',
      final: false,
      failure: {
        code: 'NOT_AT_GATEWAY',
        message: 'asked 2 times over the quiet period, the gateway knows no such order',
      },
    });
    expect(rest).toEqual({});
  });

  it('over the quiet period, and the profile lets it be sent again: failed, and a new message may send', () => {
    const entry = standing('in-doubt', { inquiries: twice });
    const { next } = afterInquiry(entry, unknownOrder, asking(quietEnds, { resubmitUnknownOrders: true }));
    expect(next).toMatchObject({ state: 'failed', final: true, failure: { code: 'NOT_AT_GATEWAY' } });

    // The message that sent it only repeats the end; a new one is a new request.
    const later = { ...request, owner: 'you', nowMs: quietEnds + 1 };
    expect(decideClaim(next, later)).toEqual({ kind: 'stands' });
    expect(decideClaim(next, { ...later, messageId: 'm-2' })).toEqual({ kind: 'take-over' });
    const again = takenOver(next, { ...later, messageId: 'm-2' });
    expect(again).toMatchObject({ state: 'submitting', attempts: 2, leaseUntilMs: quietEnds + 100_001 });
    expect(again).not.toHaveProperty('looks');
  });

  it('twice, but something else in between: it is counted anew', () => {
    const entry = standing('in-doubt', { inquiries: twice });
    const reset = afterInquiry(entry, unclear, asking(quietEnds - 2_000)).next;
    expect(reset.inquiries).toMatchObject({ count: 6, negatives: 0 });
    const step = afterInquiry(reset, unknownOrder, asking(quietEnds, { resubmitUnknownOrders: true }));
    expect(step.next).toMatchObject({ state: 'in-doubt', inquiries: { negatives: 1, firstNegativeAtMs: quietEnds } });
  });

  it.each<OrderState>(['held', 'failed', 'retryable'])('and %s is not asked about by itself: stays', (state) => {
    const entry = standing(state, { inquiries: twice });
    expect(afterInquiry(entry, unknownOrder, asking(99 * hour, { resubmitUnknownOrders: true }))).toEqual({
      next: entry,
    });
  });

  it('though it accepted it: acceptance stands, however often', () => {
    const inquiries = { count: 90, negatives: 90, firstNegativeAtMs: 160_000 };
    const entry = standing('accepted', { inquiries });
    const { next } = afterInquiry(entry, unknownOrder, asking(99 * hour, { resubmitUnknownOrders: true }));
    expect(next).toMatchObject({ state: 'accepted', revision: 2, inquiries: { count: 91, negatives: 91 } });
  });
});

describe.each([unclear, refused, unknownOrder])('doubt that $kind does not end', (finding) => {
  const begin = 100_000;
  const day = 86_400_000;

  it('goes on a second before its horizon, for a second', () => {
    const step = afterInquiry(standing('in-doubt', { failure }), finding, asking(begin + day - 1_000));
    expect(step).toMatchObject({ next: { state: 'in-doubt', failure }, nextInquirySeconds: 1 });
  });

  it('is held at its horizon, with the failure that it came from', () => {
    const step = afterInquiry(standing('in-doubt', { failure }), finding, asking(begin + day));
    expect(step).toMatchObject({ next: { state: 'held', final: false, failure } });
    expect(step).not.toHaveProperty('nextInquirySeconds');
    expect(step.next.history.at(-1)).toMatchObject({ state: 'held', reason: 'horizon' });
  });

  it('is held with a failure in any case', () => {
    const step = afterInquiry(standing('in-doubt'), finding, asking(begin + day));
    const message = 'the gateway never said how the order stands';
    expect(step.next.failure).toEqual({ code: 'UNCLEAR_ANSWER', message });
  });

  it('and that is held already, stays so', () => {
    const entry = standing('held', { failure });
    expect(afterInquiry(entry, finding, asking(begin + 9 * day))).toEqual({ next: entry });
  });
});

describe('a reversal of an order in doubt', () => {
  const reversed: Finding = { kind: 'reversed', transactionType: 'reversal', status: 'approved', gatewayOrderId: '9' };
  const day = 86_400_000;
  const reversal = { type: 'reversal', status: 'approved' };

  it('is told before the horizon, and the order is asked about again', () => {
    const step = afterInquiry(standing('in-doubt', { failure }), reversed, asking(hour));
    expect(step).toMatchObject({ next: { state: 'in-doubt', revision: 3, reversal }, nextInquirySeconds: 60 * 2 });
  });

  it('is told with the hold past the horizon: no word puts off that a person must look', () => {
    const step = afterInquiry(standing('in-doubt', { failure }), reversed, asking(100_000 + day));
    expect(step).toMatchObject({ next: { state: 'held', revision: 3, reversal, failure } });
    expect(step).not.toHaveProperty('nextInquirySeconds');
    expect(step.next.history.at(-1)).toMatchObject({ state: 'held', reason: 'horizon' });
  });
});

it('the looks of an order that was never asked about begin at none', () => {
  expect(noInquiries).toEqual({ count: 0, negatives: 0 });
});

it('every state takes every finding', () => {
  for (const state of states) {
    for (const finding of [approved, declined, pending, unknownOrder, unclear, refused]) {
      for (const final of [true, false]) {
        const entry = standing(state, { final });
        const { next } = afterInquiry(entry, finding, asking(99 * hour));
        expect(next === entry || next.revision === 3 || next.inquiries?.count === 1).toBe(true);
      }
    }
  }
});
