// What the rules of the ledger say of orders whose CVV is spent.
import { describe, expect, it } from 'vitest';
import { decideClaim, newEntry, takenOver, takesCardKey } from '../../lib/payout/claim.ts';
import { hasMoneyInDoubt } from '../../lib/payout/control.ts';
import type { Job } from '../../lib/payout/job.ts';
import { type LedgerEntry, moved, moves, type OrderState, waitsForCardData } from '../../lib/payout/ledger.ts';
import { afterSingleUse, type Outcome } from '../../lib/payout/outcome.ts';
import { whyNotReleasable } from '../../lib/payout/release.ts';
import { settled } from '../../lib/payout/settlement.ts';
import { aTransferJob, jobOf, withoutParams } from '../support/jobs.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';

const failure = { code: 'NEW_CARD_DATA_NEEDED', message: 'seal the card data anew' } as const;
const states = Object.keys(moves) as OrderState[];
const job = (keyId?: string): Job => ({
  ...jobOf(withoutParams(aTransferJob(), 'cvv2')),
  ...(keyId !== undefined && { sealedCode: { field: 'cvv2', keyId, sealed: 'x' } }),
});
const request = (it: Job) => ({
  job: it,
  fingerprints: ['k1.fingerprint'] as const,
  owner: 'worker-2',
  messageId: 'message-2',
  nowMs: startMs + 1_000,
  leaseMs: 100_000,
});
const waiting = (changes: Partial<LedgerEntry> = {}) =>
  anEntry({ operation: 'transfer', state: 'held', revision: 2, failure, ...changes });

describe('an order that is held for new card data', () => {
  it('is taken over by a claim that brings the key which lies beside it', () => {
    expect(decideClaim(waiting({ cardKeyId: 'key-2' }), request(job('key-2')))).toEqual({ kind: 'take-over' });
  });

  it.each([
    ['whose key is another', waiting({ cardKeyId: 'key-2' }), job('key-1')],
    ['whose key is gone', waiting(), job('key-1')],
    ['without any', waiting({ cardKeyId: 'key-2' }), job()],
  ])('stands for a job %s', (_, entry, it) => {
    expect(decideClaim(entry, request(it))).toEqual({ kind: 'stands' });
  });

  it('stands for other content, and for a job with its key when it is held as doubt', () => {
    const other = { ...request(job('key-2')), fingerprints: ['k1.other'] as const };
    expect(decideClaim(waiting({ cardKeyId: 'key-2' }), other)).toEqual({ kind: 'reused' });
    const doubt = waiting({ cardKeyId: 'key-2', failure: { code: 'NO_ANSWER', message: '' } });
    expect(decideClaim(doubt, request(job('key-2')))).toEqual({ kind: 'stands' });
  });

  it('keeps neither failure nor key id once it is taken over', () => {
    const taken = takenOver(waiting({ cardKeyId: 'key-2' }), request(job('key-2')));
    expect(taken).toMatchObject({ state: 'submitting', owner: 'worker-2', attempts: 2, revision: 3 });
    expect(taken).not.toHaveProperty('failure');
    expect(taken).not.toHaveProperty('cardKeyId');
  });

  it('bears no money in doubt, and can be released as not paid alone', () => {
    expect(hasMoneyInDoubt(waiting())).toBe(false);
    expect(whyNotReleasable(waiting(), { as: 'not-paid' })).toBeUndefined();
    expect(whyNotReleasable(waiting(), { as: 'paid' })).toBe(
      'NEW_CARD_DATA_NEEDED held the order before it was sent, so it is not paid',
    );
  });
});

it('out of `held` a POST is allowed for nothing else', () => {
  for (const code of ['NO_ANSWER', 'WORKER_LOST', 'CAP_EXCEEDED', 'UNCLEAR_ANSWER'] as const) {
    const entry = waiting({ failure: { code, message: '' } });
    expect(waitsForCardData(entry)).toBe(false);
    const claim = () => moved(entry, { state: 'submitting', final: false, reason: 'claimed', nowMs: startMs });
    expect(claim).toThrow("an order can't move from held to submitting");
  }
});

it('a key may be left beside an order that a claim may take over, and beside no other', () => {
  expect(states.filter((state) => takesCardKey(anEntry({ state })))).toEqual(['retryable', 'failed']);
  expect(takesCardKey(waiting())).toBe(true);
});

describe('the outcome of an attempt that took a CVV', () => {
  it('is that its card data is spent, where another order could be sent again', () => {
    const busy: Outcome = {
      kind: 'not-processed',
      reason: 'rate-limited',
      failure: { code: 'RATE_LIMITED', message: 'slow down', httpStatus: 429, gatewayCode: '7' },
      retryAfterSeconds: 40,
    };
    expect(afterSingleUse(busy)).toEqual({
      kind: 'spent',
      failure: {
        code: 'NEW_CARD_DATA_NEEDED',
        message: 'RATE_LIMITED; seal the card data anew and send the order again',
        httpStatus: 429,
        gatewayCode: '7',
      },
    });
  });

  it.each<[Outcome]>([
    [{ kind: 'accepted', gatewayOrderId: '1' }],
    [{ kind: 'declined', failure }],
    [{ kind: 'unsendable', failure }],
    [{ kind: 'capped', failure }],
    [{ kind: 'in-doubt', failure }],
  ])('is what it is otherwise: $kind', (outcome) => {
    expect(afterSingleUse(outcome)).toBe(outcome);
  });
});

describe('spent card data settles', () => {
  const spent: Outcome = { kind: 'spent', failure };
  const context = { nowMs: startMs + 20, attempts: 1, statusInquiry: true };
  const submitting = newEntry(request(job('key-1')));

  it('a claim as held, even on its last receive', () => {
    expect(settled(submitting, spent, context)).toMatchObject({ state: 'held', final: false, failure });
  });

  it('a claim that was called lost meanwhile, as held or failed: it is no doubt', () => {
    const doubt = moved(submitting, { state: 'in-doubt', final: false, reason: 'WORKER_LOST', nowMs: startMs });
    expect(settled(doubt, spent, context)).toMatchObject({ state: 'held', failure });
    const held = moved(submitting, { state: 'held', final: false, reason: 'WORKER_LOST', nowMs: startMs });
    expect(settled(held, spent, context)).toMatchObject({ state: 'failed', final: true, failure });
  });
});
