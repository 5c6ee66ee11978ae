// What a restored ledger may have forgotten, and what is made of it.
import { describe, expect, it } from 'vitest';
import { decideClaim, unknownContent } from '../../lib/domain/claim.ts';
import type { OrderState } from '../../lib/domain/ledger.ts';
import {
  adopted,
  doubtedAfterRestore,
  type LedgerStanding,
  mayBeForgotten,
  reopened,
} from '../../lib/domain/restore.ts';
import { type Result, resultOf } from '../../lib/domain/result.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { startMs } from '../support/time-and-chance.ts';

const minuteMs = 60_000;
const sinceMs = startMs + 10 * minuteMs;
const restored = (settled: boolean): LedgerStanding => ({
  kind: 'restored',
  restored: { toMs: startMs, sinceMs, settled },
});
const inState = (state: OrderState, updatedAtMs = startMs) => anEntry({ state, updatedAtMs });

describe('an order may have been forgotten', () => {
  it('when the ledger does not know it, until the restore is settled', () => {
    expect(mayBeForgotten(undefined, 'payout', restored(false))).toBe(true);
    expect(mayBeForgotten(undefined, 'payout', restored(true))).toBe(false);
  });

  it.each<OrderState>(['retryable', 'failed'])('when the ledger calls it %s since before the gap ended', (state) => {
    for (const settled of [false, true]) {
      expect(mayBeForgotten(inState(state), 'payout', restored(settled))).toBe(true);
      // Two clocks differ by less than a minute.
      expect(mayBeForgotten(inState(state, sinceMs + minuteMs - 1), 'payout', restored(settled))).toBe(true);
      expect(mayBeForgotten(inState(state, sinceMs + minuteMs), 'payout', restored(settled))).toBe(false);
    }
  });

  it('when it waits for card data since then, which another message may have brought', () => {
    const failure = { code: 'NEW_CARD_DATA_NEEDED', message: 'the code is spent' };
    expect(mayBeForgotten(anEntry({ state: 'held', failure, updatedAtMs: startMs }), 'transfer', restored(true))).toBe(
      true,
    );
  });

  it.each<OrderState>(['submitting', 'in-doubt', 'held', 'accepted', 'approved', 'declined', 'cancelled'])(
    'never when it is %s: nothing of it is sent from there',
    (state) => {
      expect(mayBeForgotten(inState(state), 'payout', restored(false))).toBe(false);
    },
  );

  it('never when it moves no money, nor in a table that was never restored', () => {
    expect(mayBeForgotten(undefined, 'pan-eligibility', restored(false))).toBe(false);
    expect(mayBeForgotten(undefined, 'payout', { kind: 'ledger' })).toBe(false);
  });
});

describe('doubt in the place of a claim', () => {
  const claim = anEntry({ state: 'submitting', owner: 'worker', attempts: 1, revision: 1, updatedAtMs: sinceMs });

  it('of an order that nobody knows says that nothing is known of attempts', () => {
    const doubted = doubtedAfterRestore(undefined, claim, { sinceMs });
    expect(doubted).toMatchObject({
      state: 'in-doubt',
      final: false,
      attempts: 0,
      revision: 100,
      failure: { code: 'LEDGER_RESTORED' },
      // The longest time-out that a worker of the old table can have.
      leaseUntilMs: sinceMs + 15 * minuteMs,
    });
    expect(doubted.fingerprint).toBe(claim.fingerprint);
    expect(doubted.owner).not.toBe('worker');
  });

  it('of an order that is known keeps its attempts and how it began', () => {
    const standing = anEntry({ state: 'retryable', attempts: 2, revision: 4, unpublished: true });
    const doubted = doubtedAfterRestore(standing, { ...claim, attempts: 3 }, { sinceMs });
    expect(doubted).toMatchObject({ state: 'in-doubt', attempts: 2, revision: 104, createdAtMs: standing.createdAtMs });
    expect(doubted.history[0]).toEqual(standing.history[0]);
    expect(doubted.history.at(-1)).toMatchObject({ state: 'in-doubt', reason: 'LEDGER_RESTORED' });
    expect(doubted).not.toHaveProperty('unpublished');
  });
});

describe('an open order of the backup', () => {
  it('goes on without its looks, under another owner, with its state to be told anew', () => {
    const entry = anEntry({
      state: 'in-doubt',
      revision: 2,
      looks: { count: 3, negatives: 3, firstNegativeAtMs: startMs },
    });
    const next = reopened(entry, sinceMs);
    expect(next).toMatchObject({ state: 'in-doubt', revision: 102, unpublished: true, updatedAtMs: entry.updatedAtMs });
    expect(next).not.toHaveProperty('looks');
    expect(next.owner).not.toBe(entry.owner);
    expect(next.leaseUntilMs).toBe(sinceMs + 15 * minuteMs);
  });

  it('that is being sent has no result to tell', () => {
    expect(reopened(anEntry({ state: 'submitting', revision: 1 }), sinceMs)).not.toHaveProperty('unpublished');
  });
});

describe('an order that is put back', () => {
  const told = (changes: Parameters<typeof anEntry>[0]): Result => {
    const result = resultOf(anEntry({ gatewayOrderId: '9000001', ...changes }));
    if (!result) throw new Error('it has no result');
    return result;
  };

  it('tells the same result again, and is never sent: its content is not known', () => {
    const result = told({ state: 'approved', final: true, revision: 3 });
    const entry = adopted(undefined, result);
    expect(entry && resultOf(entry)).toEqual(result);
    expect(entry?.fingerprint).toBe(unknownContent);
    const request = {
      job: jobOf(aPayoutJob()),
      fingerprints: ['k1.x'],
      owner: 'w',
      messageId: 'm',
      nowMs: 0,
      leaseMs: 1,
    } as const;
    expect(entry && decideClaim(entry, request)).toEqual({ kind: 'stands' });
    const failed = entry && { ...entry, state: 'failed' as const };
    expect(failed && decideClaim(failed, request)).toEqual({ kind: 'stands' });
  });

  it('goes over what the ledger remembers where it tells of a later revision, and only there', () => {
    const standing = anEntry({ state: 'accepted', revision: 2, unpublished: true });
    const later = adopted(standing, told({ state: 'approved', final: true, revision: 3 }));
    expect(later).toMatchObject({ state: 'approved', revision: 3, fingerprint: standing.fingerprint });
    expect(later).not.toHaveProperty('unpublished');
    expect(adopted(standing, told({ state: 'in-doubt', revision: 2 }))).toBeUndefined();
    expect(adopted({ ...standing, revision: 102 }, told({ state: 'approved', revision: 3 }))).toBeUndefined();
  });

  it('is none that was never sent, that moves no money, or that never became an order', () => {
    expect(adopted(undefined, told({ state: 'failed', revision: 2 }))).toBeUndefined();
    expect(adopted(undefined, told({ state: 'accepted', operation: 'pan-eligibility', revision: 2 }))).toBeUndefined();
    const { revision: _, ...rejected } = told({ state: 'declined', revision: 2 });
    expect(adopted(undefined, rejected)).toBeUndefined();
  });
});
