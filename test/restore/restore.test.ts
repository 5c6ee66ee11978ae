// What a restored ledger may have forgotten, and what is made of it.
import { describe, expect, it } from 'vitest';
import { decideClaim } from '../../lib/payout/claim.ts';
import type { LedgerEntry, OrderState } from '../../lib/payout/ledger.ts';
import { adopted } from '../../lib/restore/adopted-order.ts';
import { type Result, resultOf } from '../../lib/payout/result.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { startMs } from '../support/time-and-chance.ts';
import {
  doubtedAfterRestore,
  isWithoutContent,
  type LedgerStanding,
  mayBeForgotten,
  reopened,
} from '../../lib/restore/restored-ledger.ts';
import { unknownContent } from '../../lib/payout/fingerprint.ts';

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
    const failure = { code: 'NEW_CARD_DATA_NEEDED', message: 'the code is spent' } as const;
    expect(mayBeForgotten(anEntry({ state: 'held', failure, updatedAtMs: startMs }), 'transfer', restored(true))).toBe(
      true,
    );
  });

  it('when it rests at its check since after the gap, and its payment may have been sent in it', () => {
    const failure = { code: 'CHECK_VALIDATED', message: 'it may be paid' } as const;
    const checked = {
      operation: 'payout-check',
      state: 'held',
      failure,
      updatedAtMs: sinceMs + 60 * minuteMs,
    } as const;
    const before = anEntry({ ...checked, createdAtMs: startMs });
    expect(mayBeForgotten(before, 'payout-pay', restored(true))).toBe(true);
    const since = anEntry({ ...checked, createdAtMs: sinceMs + 2 * minuteMs });
    expect(mayBeForgotten(since, 'payout-pay', restored(true))).toBe(false);
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
    expect(mayBeForgotten(inState('failed'), 'pan-eligibility', restored(false))).toBe(false);
    expect(mayBeForgotten(inState('failed'), 'payout', { kind: 'foreign', of: 'another' })).toBe(false);
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
      revision: 93_434_000,
      failure: { code: 'LEDGER_RESTORED' },
      // The longest time-out that a worker of the old table can have.
      leaseUntilMs: sinceMs + 15 * minuteMs,
    });
    expect(doubted.fingerprint).toBe(claim.fingerprint);
    expect(doubted.owner).not.toBe('worker');
    expect(doubted.history).toEqual([{ state: 'in-doubt', atMs: sinceMs, attempts: 0, reason: 'LEDGER_RESTORED' }]);
    expect(doubted.failure?.message).toBe('the ledger was restored and may have forgotten that it was sent');
    expect(doubted.updatedAtMs).toBe(sinceMs);
  });

  it('long after the restore begins its quiet period now', () => {
    const nowMs = sinceMs + 60 * minuteMs;
    expect(doubtedAfterRestore(undefined, { ...claim, updatedAtMs: nowMs }, { sinceMs }).leaseUntilMs).toBe(nowMs);
  });

  it('of an order that is known keeps its attempts and how it began', () => {
    const standing = anEntry({ state: 'retryable', attempts: 2, revision: 4, unpublished: true });
    const doubted = doubtedAfterRestore(standing, { ...claim, attempts: 3 }, { sinceMs });
    expect(doubted).toMatchObject({
      state: 'in-doubt',
      attempts: 2,
      revision: 93_434_004,
      createdAtMs: standing.createdAtMs,
    });
    expect(doubted.history[0]).toEqual(standing.history[0]);
    expect(doubted.history.at(-1)).toMatchObject({ state: 'in-doubt', attempts: 2, reason: 'LEDGER_RESTORED' });
    expect(doubted).not.toHaveProperty('unpublished');
  });

  it('cuts a long history, so that the item stays small', () => {
    const doubted = doubtedAfterRestore(aLongStory(anEntry({ state: 'failed' })), claim, { sinceMs });
    expect(doubted.history.map(({ reason }) => reason)).toEqual(['1', '2', '3', 'LEDGER_RESTORED']);
  });
});

describe('an open order of the backup', () => {
  it('goes on without its looks, under another owner, with its state to be told anew', () => {
    const entry = anEntry({
      state: 'in-doubt',
      revision: 2,
      inquiries: { count: 3, negatives: 3, firstNegativeAtMs: startMs },
    });
    const next = reopened(entry, sinceMs);
    expect(next).toMatchObject({
      state: 'in-doubt',
      revision: 93_434_002,
      unpublished: true,
      updatedAtMs: entry.updatedAtMs,
    });
    expect(next).not.toHaveProperty('looks');
    expect(next.owner).not.toBe(entry.owner);
    expect(next.leaseUntilMs).toBe(sinceMs + 15 * minuteMs);
  });

  it('that is leased for longer than any worker lasts keeps that lease', () => {
    const leaseUntilMs = sinceMs + 16 * minuteMs;
    expect(reopened(anEntry({ state: 'in-doubt', leaseUntilMs }), sinceMs).leaseUntilMs).toBe(leaseUntilMs);
  });

  it('forgets when it was to be looked after: that is now', () => {
    const dueAtMs = startMs + 400 * 86_400_000;
    expect(reopened(anEntry({ state: 'in-doubt', dueAtMs }), sinceMs)).not.toHaveProperty('dueAtMs');
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

  it.each<keyof Result>(['operation', 'merchant', 'orderId', 'revision'])('is none without its %s', (field) => {
    const { [field]: _, ...result } = told({ state: 'approved', revision: 2 });
    expect(adopted(undefined, result as Result)).toBeUndefined();
  });

  it('that nobody remembers bears all that its result tells, and nothing else', () => {
    const failure = { code: 'GATEWAY_DECLINED', message: 'no' } as const;
    const result: Result = {
      version: 1,
      resultId: 'acme-eu/INV-1/4',
      operation: 'payout',
      merchant: 'acme-eu',
      endpointId: '39915',
      orderId: 'INV-1',
      status: 'declined',
      final: true,
      payoutId: '77',
      amount: '10.42',
      currency: 'EUR',
      attempts: 2,
      revision: 4,
      failure,
      occurredAt: '2026-11-21T10:00:00.000Z',
      batchId: 'b-1',
      context: '{"invoice":"1"}',
    };
    const at = { attempts: 2, leaseUntilMs: startMs, updatedAtMs: startMs, createdAtMs: startMs };
    expect(adopted(undefined, result)).toStrictEqual({
      key: 'acme-eu/INV-1',
      operation: 'payout',
      merchant: 'acme-eu',
      orderId: 'INV-1',
      endpointId: '39915',
      money: { currency: 'EUR', minorUnits: 1042n },
      batchId: 'b-1',
      context: '{"invoice":"1"}',
      state: 'declined',
      final: true,
      revision: 4,
      gatewayOrderId: '77',
      failure,
      ...at,
      fingerprint: unknownContent,
      messageId: '',
      owner: '~restored',
      history: [{ state: 'declined', atMs: startMs, attempts: 2, reason: 'adopted' }],
    });
  });

  it('that was told with little bears little, and no field without a value', () => {
    const { money: _, ...bare } = anEntry({ state: 'accepted', endpointId: '', orderId: 'INV-1', revision: 2 });
    const result = resultOf(bare);
    const entry = result && adopted(undefined, result);
    for (const field of ['money', 'batchId', 'context', 'failure', 'gatewayOrderId'])
      expect(entry).not.toHaveProperty(field);
    expect(entry?.endpointId).toBe('');
    expect(entry && resultOf(entry)).toEqual(result);
  });

  it.each([
    ['without a currency', { currency: undefined }],
    ['without an amount', { amount: undefined }],
    ['that is none', { amount: '10.421' }],
  ])('has no money by an amount %s', (_, changes) => {
    const result = { ...told({ state: 'approved', revision: 2 }), ...changes } as Result;
    expect(adopted(undefined, result)).not.toHaveProperty('money');
  });

  it('of a transfer is known by the gateway’s id of it', () => {
    const result = told({ state: 'approved', operation: 'transfer', revision: 2, gatewayOrderId: '88' });
    expect(result.transactionId).toBe('88');
    expect(adopted(undefined, result)?.gatewayOrderId).toBe('88');
  });

  it('over what the ledger remembers keeps how it began, and an id that is no more the present one’s', () => {
    const standing = aLongStory(
      anEntry({ state: 'in-doubt', revision: 2, gatewayOrderId: '77', note: 'x', dueAtMs: 1, batchId: 'b-1' }),
    );
    const failure = { code: 'NO_ANSWER', message: 'x' } as const;
    const inquiries = { count: 1, negatives: 1 };
    const { payoutId: _1, gatewayOrderId: _2, ...nameless } = told({ state: 'approved', revision: 3 });
    const entry = adopted({ ...standing, failure, inquiries }, nameless);
    expect(entry).toMatchObject({ batchId: 'b-1', messageId: 'message-1', revision: 3 });
    // One result id has one content: what its result did not name belongs to an attempt before.
    expect(entry).not.toHaveProperty('gatewayOrderId');
    expect(entry?.earlierAttempts).toEqual([{ gatewayOrderId: '77' }]);
    for (const field of ['failure', 'note', 'looks', 'dueAtMs']) expect(entry).not.toHaveProperty(field);
    expect(entry?.history.map(({ reason }) => reason)).toEqual(['1', '2', '3', 'adopted']);
    expect(entry?.history.at(-1)).toMatchObject({ state: 'approved', attempts: 1, atMs: startMs });
  });

  it('has no content that anybody knows, as none that was cancelled before its job came', () => {
    expect(isWithoutContent(anEntry({ fingerprint: unknownContent }))).toBe(true);
    expect(isWithoutContent(anEntry())).toBe(false);
  });
});

/** The same entry with four lines of history, each with its number for a reason. */
function aLongStory(entry: LedgerEntry): LedgerEntry {
  const [line] = entry.history;
  return line ? { ...entry, history: ['1', '2', '3', '4'].map((reason) => ({ ...line, reason })) } : entry;
}
