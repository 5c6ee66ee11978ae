// What a person may make of an order, and what the ledger keeps of who did it and why.
import { describe, expect, it } from 'vitest';
import { takesAnswerOf } from '../../lib/payout/claim.ts';
import { moves, type OrderState } from '../../lib/payout/ledger.ts';
import {
  cancelled,
  cancelledBeforehand,
  type Release,
  released,
  saidBy,
  whyNotReleasable,
} from '../../lib/payout/release.ts';
import { resultOf } from '../../lib/payout/result.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';
import { isCancelledBeforehand } from '../../lib/payout/fingerprint.ts';

const nowMs = startMs + 3_600_000;
const release: Release = { as: 'not-paid', by: 'ops', reason: 'the bank has no such payment', nowMs };
const states = Object.keys(moves) as OrderState[];
const noAnswer = { code: 'NO_ANSWER', message: 'the connection was reset' } as const;
const held = anEntry({ state: 'held', revision: 2, failure: noAnswer, unpublished: true });

describe('a release', () => {
  it.each(states)('of %s: is it possible?', (state) => {
    const why = whyNotReleasable(anEntry({ state }), release);
    const possible = state === 'held' || state === 'in-doubt';
    expect(why).toBe(possible ? undefined : `the order is ${state}; only held or doubtful orders are released`);
  });

  it('as paid is not possible for what a cap held: it was never sent', () => {
    const capped = anEntry({ state: 'held', failure: { code: 'CAP_EXCEEDED', message: 'more than 1.00 EUR' } });
    expect(whyNotReleasable(capped, { ...release, as: 'paid' })).toMatch(/before it was sent/);
    expect(whyNotReleasable(capped, release)).toBeUndefined();
  });

  it('under another gateway order id than the known one is somebody else’s order', () => {
    const known = anEntry({ state: 'held', gatewayOrderId: '9000123' });
    expect(whyNotReleasable(known, { as: 'paid', gatewayOrderId: '9000124' })).toMatch(/9000123, not 9000124/);
    expect(whyNotReleasable(known, { as: 'paid', gatewayOrderId: '9000123' })).toBeUndefined();
    expect(whyNotReleasable(known, { as: 'paid' })).toBeUndefined();
  });

  it('as paid: approved, without a failure, with who and why', () => {
    const entry = released(held, { ...release, as: 'paid', gatewayOrderId: '9000123' });
    expect(entry).toMatchObject({
      state: 'approved',
      final: true,
      revision: 3,
      gatewayOrderId: '9000123',
      note: 'ops: the bank has no such payment',
      updatedAtMs: nowMs,
    });
    expect(entry).not.toHaveProperty('failure');
    expect(entry).not.toHaveProperty('unpublished');
    expect(entry.history.at(-1)).toEqual({ state: 'approved', atMs: nowMs, attempts: 1, reason: 'released-as-paid' });
    expect(resultOf(entry)).toMatchObject({ status: 'approved', payoutId: '9000123' });
  });

  it('as not paid: failed, and the merchant is told who says so', () => {
    const entry = released(held, release);
    expect(entry).toMatchObject({ state: 'failed', final: true, revision: 3 });
    expect(entry.history.at(-1)).toMatchObject({ reason: 'released-as-not-paid' });
    expect(resultOf(entry)?.failure).toEqual({
      code: 'RELEASED_NOT_PAID',
      message: 'ops: the bank has no such payment',
    });
  });

  it('does not stop the truth: the owner’s own answer that the gateway took it is still heard', () => {
    const failed = released(held, release);
    expect(takesAnswerOf(failed, held.owner, true)).toBe(true);
    expect(takesAnswerOf(failed, held.owner, false)).toBe(false);
    expect(takesAnswerOf(failed, 'somebody', true)).toBe(false);
    expect(takesAnswerOf(released(held, { ...release, as: 'paid' }), held.owner, true)).toBe(false);
  });
});

describe('a cancellation', () => {
  const order = {
    operation: 'payout',
    merchant: 'acme-eu',
    orderId: 'INV-1',
    by: 'ops',
    reason: 'entered twice',
  } as const;

  it('before the job came knows no content', () => {
    const entry = cancelledBeforehand({ ...order, owner: 'id-1', nowMs });
    expect(entry).toMatchObject({
      key: 'acme-eu/INV-1',
      state: 'cancelled',
      final: true,
      revision: 1,
      attempts: 0,
      note: 'ops: entered twice',
      history: [{ state: 'cancelled', atMs: nowMs, attempts: 0, reason: 'cancelled' }],
    });
    expect(isCancelledBeforehand(entry)).toBe(true);
    expect(resultOf(entry)).not.toHaveProperty('endpointId');
  });

  it('of a check is kept apart from the payment of the same id', () => {
    const check = cancelledBeforehand({ ...order, operation: 'pan-eligibility', owner: 'id-1', nowMs });
    expect(check.key).toBe('acme-eu~check/INV-1');
  });

  it.each(['retryable', 'failed'] as const)('of %s is proven never to have been sent', (state) => {
    const after = cancelled(anEntry({ state }), 'ops', 'entered twice', nowMs);
    expect(after).toMatchObject({ state: 'cancelled', final: true, note: 'ops: entered twice' });
    expect(after.history.at(-1)).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
    expect(isCancelledBeforehand(after)).toBe(false);
  });

  it.each(states.filter((state) => state !== 'retryable' && state !== 'failed'))('of %s does not exist', (state) => {
    expect(() => cancelled(anEntry({ state }), 'ops', 'entered twice', nowMs)).toThrow(RangeError);
  });
});

describe('what a person says', () => {
  it('is cut to what the item takes', () => {
    const said = saidBy('ops', 'ж'.repeat(200));
    expect(Buffer.byteLength(said)).toBeLessThanOrEqual(80);
    expect(said).toMatch(/^ops: ж+…$/);
  });

  it('bears no card number and no control characters into the ledger', () => {
    expect(saidBy('ops', 'card 4111 1111 1111 1111\nsaw it')).toBe('ops: card [redacted] saw it');
    expect(released(held, { ...release, reason: '4111111111111111' }).failure?.message).toBe('ops: [redacted]');
  });
});
