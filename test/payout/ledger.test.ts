import { describe, expect, it } from 'vitest';
import { newEntry } from '../../lib/payout/claim.ts';
import { takesAnswerOf } from '../../lib/payout/claim.ts';
import { type LedgerEntry, moved, moves, orderKey, type OrderState } from '../../lib/payout/ledger.ts';
import { aPayoutJob, anEligibilityJob, jobOf } from '../support/jobs.ts';

const states = Object.keys(moves) as OrderState[];
const claimed = newEntry({
  job: jobOf(aPayoutJob()),
  fingerprints: ['k1.x'],
  owner: 'me',
  messageId: 'm-1',
  nowMs: 1_000,
  leaseMs: 100_000,
});
const inState = (state: OrderState, changes: Partial<LedgerEntry> = {}) => ({ ...claimed, state, ...changes });
const to = (state: OrderState) => ({ state, final: false, reason: 'x', nowMs: 2_000 });

describe('the moves of an order are exactly these', () => {
  const allowed = new Set([
    'submitting accepted',
    'submitting declined',
    'submitting failed',
    'submitting retryable',
    'submitting in-doubt',
    'submitting held',
    'retryable submitting',
    'retryable failed',
    'failed submitting',
    'failed failed',
    'in-doubt accepted',
    'in-doubt declined',
    'in-doubt failed',
    'in-doubt retryable',
    'in-doubt held',
    'held accepted',
    'held declined',
    'held failed',
    'held retryable',
    'accepted approved',
    'accepted declined',
    'accepted held',
    'in-doubt approved',
    'held approved',
    'retryable cancelled',
    'failed cancelled',
    // Late truth: the gateway's reconciliation may change what it called final.
    'approved declined',
    'declined approved',
    'failed approved',
    'failed declined',
    // Never sent by us, and the gateway has it all the same: sent again, it would be paid twice.
    'failed accepted',
    'retryable accepted',
    'retryable approved',
    // Called off once a person had released it: late truth finds its way in.
    'cancelled accepted',
    'cancelled approved',
    'cancelled declined',
  ]);
  const pairs = states.flatMap((from) => states.map((next) => [from, next] as const));

  const isAllowed = ([from, next]: readonly [OrderState, OrderState]) => allowed.has(`${from} ${next}`);

  it.each(pairs.filter(isAllowed))('%s to %s', (from, next) => {
    expect(moved(inState(from), to(next))).toMatchObject({ state: next, revision: 2, updatedAtMs: 2_000 });
  });

  it.each(pairs.filter((pair) => !isAllowed(pair)))('never %s to %s', (from, next) => {
    expect(() => moved(inState(from), to(next))).toThrow(`an order can't move from ${from} to ${next}`);
  });

  it('no doubt leads straight to a POST', () => {
    for (const state of ['in-doubt', 'held', 'accepted'] as const) expect(moves[state]).not.toContain('submitting');
  });
});

describe('a move', () => {
  it('adds a line of history with the reason and the attempts', () => {
    const entry = moved(claimed, { ...to('retryable'), reason: 'NOT_SENT', attempts: 2 });
    expect(entry.history).toEqual([
      { state: 'submitting', atMs: 1_000, attempts: 1, reason: 'claimed' },
      { state: 'retryable', atMs: 2_000, attempts: 2, reason: 'NOT_SENT' },
    ]);
  });

  it('leaves identity, owner and fingerprint alone', () => {
    const entry = moved(claimed, to('held'));
    for (const name of ['key', 'operation', 'orderId', 'owner', 'messageId', 'fingerprint', 'createdAtMs'] as const) {
      expect(entry[name]).toBe(claimed[name]);
    }
  });

  it('drops the failure and the unpublished mark of the state before, and keeps the gateway id', () => {
    const failure = { code: 'NO_ANSWER', message: 'reset' } as const;
    const entry = moved(inState('held', { failure, unpublished: true, gatewayOrderId: '9' }), to('accepted'));
    expect(entry).not.toHaveProperty('failure');
    expect(entry).not.toHaveProperty('unpublished');
    expect(entry.gatewayOrderId).toBe('9');
  });

  it.each([
    ['NOT_SENT', [1_000, 90_001, 100_000, 100_001]],
    // When the last two POSTs were refused says until when it rests (due-work.ts).
    ['RATE_LIMITED', [1_000, 90_000, 90_001, 100_000, 100_001]],
  ])('cuts a long history of %s in the middle: the first line and the last three stay', (reason, kept) => {
    let entry: LedgerEntry = claimed;
    for (let round = 1; round <= 10; round += 1) {
      entry = moved(entry, { ...to('retryable'), reason, nowMs: round * 10_000 });
      entry = moved(entry, { ...to('submitting'), nowMs: round * 10_000 + 1 });
    }
    expect(entry.revision).toBe(21);
    expect(entry.history.map(({ atMs }) => atMs)).toEqual(kept);
  });
});

describe('the identity of an order', () => {
  it('is merchant and order id; checks are kept apart', () => {
    expect(orderKey(jobOf(aPayoutJob()))).toBe('acme-eu/INV-1');
    expect(orderKey(jobOf(anEligibilityJob({ orderId: 'INV-1' })))).toBe('acme-eu~check/INV-1');
  });

  it('is not shared by orders whose names could be read together', () => {
    const keys = [
      aPayoutJob({ merchant: 'a', orderId: 'b/c' }),
      aPayoutJob({ merchant: 'a', orderId: '~check/b' }),
      anEligibilityJob({ merchant: 'a', orderId: 'b' }),
      aPayoutJob({ merchant: 'a', orderId: 'b' }),
    ].map((body) => orderKey(jobOf(body)));
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("the owner's own answer", () => {
  it.each(states)('over %s', (state) => {
    expect(takesAnswerOf(inState(state), 'me')).toBe(['submitting', 'in-doubt', 'held'].includes(state));
    expect(takesAnswerOf(inState(state), 'somebody')).toBe(false);
  });
});
