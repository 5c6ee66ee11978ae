// A message that a person throws away: its order ends as never sent, and the ledger keeps who and why.
import { describe, expect, it } from 'vitest';
import { discarded } from '../../lib/dead-letters/discard.ts';
import { takesAnswerOf } from '../../lib/payout/claim.ts';
import { moves, type OrderState } from '../../lib/payout/ledger.ts';
import { resultOf } from '../../lib/payout/result.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';

const nowMs = startMs + 3_600_000;
const job = jobOf(aPayoutJob({ batchId: 'b-1', context: { invoice: '1' } }));
const request = { job, fingerprints: ['k1.x'] as const, owner: 'desk-1', messageId: 'm-1', nowMs };
const discarding = { by: 'ops', reason: 'the customer called it off', nowMs };

describe('throwing away the message of an order', () => {
  it('that was never claimed: failed, without an attempt, and its result says who and why', () => {
    const entry = discarded(undefined, request, discarding);
    expect(entry).toMatchObject({ key: 'acme-eu/INV-1', fingerprint: 'k1.x', messageId: 'm-1', leaseUntilMs: nowMs });
    expect(entry.history).toEqual([{ state: 'failed', atMs: nowMs, attempts: 0, reason: 'DISCARDED' }]);
    expect(resultOf(entry)).toEqual({
      version: 1,
      resultId: 'acme-eu/INV-1/1',
      operation: 'payout',
      merchant: 'acme-eu',
      endpointId: '39915',
      orderId: 'INV-1',
      status: 'failed',
      final: true,
      amount: '10.42',
      currency: 'EUR',
      attempts: 0,
      revision: 1,
      failure: { code: 'DISCARDED', message: 'ops: the customer called it off' },
      occurredAt: '2026-11-21T11:00:00.000Z',
      batchId: 'b-1',
      context: '{"invoice":"1"}',
    });
  });

  it.each(['retryable', 'failed'] as const)('that is %s: failed, one revision on, by this message', (state) => {
    const standing = anEntry({ state, revision: 4, attempts: 3, owner: 'worker-7', messageId: 'another' });
    const entry = discarded(standing, request, discarding);
    expect(entry).toMatchObject({ state: 'failed', final: true, revision: 5, attempts: 3, messageId: 'm-1' });
    expect(entry.failure).toEqual({ code: 'DISCARDED', message: 'ops: the customer called it off' });
    expect(entry.history.at(-1)).toEqual({ state: 'failed', atMs: nowMs, attempts: 3, reason: 'DISCARDED' });
    expect(entry.updatedAtMs).toBe(nowMs);
    // The claim's own answer, should it come after all, is still taken: then the order is never sent again.
    expect(takesAnswerOf(entry, 'worker-7', true)).toBe(true);
  });

  it('is possible for no order that may have been sent', () => {
    const unsent = new Set<OrderState>(['retryable', 'failed']);
    const sent = (Object.keys(moves) as OrderState[]).filter((state) => !unsent.has(state));
    const possible = sent.filter((state) => moves[state].includes('failed'));
    // From these the worker itself, an inquiry or a release may lead to failed; whoever discards asks decideClaim first.
    expect(possible).toEqual(['submitting', 'in-doubt', 'held']);
    for (const state of ['accepted', 'approved', 'declined', 'cancelled'] as const)
      expect(() => discarded(anEntry({ state }), request, discarding)).toThrow(/can't move/);
  });

  it('a card number in the reason does not get into the ledger', () => {
    const entry = discarded(undefined, request, { ...discarding, reason: 'card 4111 1111 1111 1111 is closed' });
    expect(entry.failure?.message).toBe('ops: card [redacted] is closed');
  });
});
