// Every state, every owner, every content, every lease: what may a claim do? Only `take-over` leads to a POST.
import { describe, expect, it } from 'vitest';
import { type ClaimRequest, decideClaim, newEntry, takenOver } from '../../lib/payout/claim.ts';
import { restsUntilMs } from '../../lib/payout/due-work.ts';
import { type LedgerEntry, moved, moves, type OrderState } from '../../lib/payout/ledger.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { unknownContent } from '../../lib/payout/fingerprint.ts';

const request: ClaimRequest = {
  job: jobOf(aPayoutJob({ batchId: 'b-1', context: { invoice: '123' } })),
  fingerprints: ['k2.same', 'k1.same'],
  owner: 'me',
  messageId: 'm-2',
  nowMs: 1_000_000,
  leaseMs: 100_000,
};
const states = Object.keys(moves) as OrderState[];

function standing(changes: Partial<LedgerEntry>): LedgerEntry {
  return { ...newEntry(request), owner: 'somebody', messageId: 'm-1', ...changes };
}

describe('a claim that finds the same order of another owner', () => {
  it.each([
    ['submitting', 1_000_001, { kind: 'busy', untilMs: 1_000_001 }],
    ['submitting', 1_000_000, { kind: 'abandoned' }],
    ['submitting', 0, { kind: 'abandoned' }],
    ['retryable', 2_000_000, { kind: 'take-over' }],
    ['failed', 2_000_000, { kind: 'take-over' }],
    ['in-doubt', 0, { kind: 'stands' }],
    ['held', 0, { kind: 'stands' }],
    ['accepted', 0, { kind: 'stands' }],
    ['approved', 0, { kind: 'stands' }],
    ['declined', 0, { kind: 'stands' }],
    ['cancelled', 0, { kind: 'stands' }],
  ] as const)('%s, lease until %i: %j', (state, leaseUntilMs, decision) => {
    expect(decideClaim(standing({ state, leaseUntilMs }), request)).toEqual(decision);
  });

  it('failed, told to this very message: the end is repeated', () => {
    expect(decideClaim(standing({ state: 'failed', messageId: 'm-2' }), request)).toEqual({ kind: 'stands' });
  });

  it('retryable, from this very message: that is its next receive', () => {
    expect(decideClaim(standing({ state: 'retryable', messageId: 'm-2' }), request)).toEqual({ kind: 'take-over' });
  });
});

it.each([
  ['before its content was known', unknownContent],
  ['under a key that is not here', 'k9.other'],
])('a claim that finds an order called off %s leaves it: nothing of its id is sent', (_, fingerprint) => {
  expect(decideClaim(standing({ state: 'cancelled', fingerprint }), request)).toEqual({ kind: 'stands' });
});

describe.each(states)('a claim that finds %s', (state) => {
  it('of its own is its own, whatever the rest', () => {
    const entry = standing({ state, owner: 'me', fingerprint: 'k9.other', leaseUntilMs: 0 });
    expect(decideClaim(entry, request)).toEqual({ kind: 'ours' });
  });

  it('with other content is refused', () => {
    for (const fingerprint of ['k2.other', 'k1.other']) {
      for (const leaseUntilMs of [0, 2_000_000]) {
        expect(decideClaim(standing({ state, fingerprint, leaseUntilMs }), request)).toEqual({ kind: 'reused' });
      }
    }
  });

  it('under an older key recognises it', () => {
    const underOld = decideClaim(standing({ state, fingerprint: 'k1.same' }), request);
    expect(underOld).toEqual(decideClaim(standing({ state, fingerprint: 'k2.same' }), request));
  });
});

it.each(states.filter((state) => state !== 'cancelled'))(
  'a claim that finds %s under a key that is not here says nothing of its content',
  (state) => {
    expect(decideClaim(standing({ state, fingerprint: 'k9.same' }), request)).toEqual({ kind: 'unreadable' });
  },
);

it('the first entry of an order', () => {
  expect(newEntry(request)).toEqual({
    key: 'acme-eu/INV-1',
    operation: 'payout',
    merchant: 'acme-eu',
    endpointId: '39915',
    orderId: 'INV-1',
    money: { currency: 'EUR', minorUnits: 1042n },
    batchId: 'b-1',
    context: '{"invoice":"123"}',
    fingerprint: 'k2.same',
    state: 'submitting',
    revision: 1,
    final: false,
    owner: 'me',
    messageId: 'm-2',
    leaseUntilMs: 1_100_000,
    attempts: 1,
    createdAtMs: 1_000_000,
    updatedAtMs: 1_000_000,
    history: [{ state: 'submitting', atMs: 1_000_000, attempts: 1, reason: 'claimed' }],
  });
});

it('the first entry of an order whose batch was called off: never sent, and that is its end', () => {
  expect(newEntry({ ...request, callOff: true })).toMatchObject({
    state: 'cancelled',
    final: true,
    attempts: 0,
    history: [{ state: 'cancelled', atMs: 1_000_000, attempts: 0, reason: 'called-off' }],
  });
});

describe('an entry that is taken over', () => {
  const failure = { code: 'NOT_SENT', message: 'refused' } as const;
  const before = standing({ state: 'retryable', failure, revision: 7, attempts: 3, fingerprint: 'k1.same' });
  const after = takenOver(before, request);

  it('has a new owner, message and lease, one attempt and one revision more, and no failure', () => {
    expect(after).toMatchObject({
      state: 'submitting',
      owner: 'me',
      messageId: 'm-2',
      leaseUntilMs: 1_100_000,
      attempts: 4,
      revision: 8,
    });
    expect(after).not.toHaveProperty('failure');
  });

  it('is cancelled instead where its batch was called off', () => {
    const calledOff = takenOver(before, { ...request, callOff: true });
    expect(calledOff).toMatchObject({ state: 'cancelled', final: true, owner: 'me', messageId: 'm-2', attempts: 3 });
    expect(calledOff.history.at(-1)).toMatchObject({ state: 'cancelled', reason: 'called-off' });
  });

  it('keeps its identity and fingerprint', () => {
    for (const name of ['key', 'orderId', 'fingerprint', 'money', 'createdAtMs'] as const) {
      expect(after[name]).toEqual(before[name]);
    }
  });

  it.each(states.filter((state) => state !== 'retryable' && state !== 'failed'))('is never %s', (state) => {
    expect(() => takenOver(standing({ state }), request)).toThrow(RangeError);
  });
});

describe('an order whose POSTs are refused unprocessed', () => {
  const hour = { retryMaxDelaySeconds: 900 };
  const minuteMs = 60_000;
  /** Tries at these minutes, each with what came of it; `twice` was sent again at once with fresh credentials. */
  const tried = (...tries: readonly (readonly [minute: number, reason: string, twice?: 'twice'])[]) => {
    let entry = standing({ history: [], attempts: 0, state: 'retryable' });
    for (const [minute, reason, twice] of tries) {
      const attempts = entry.attempts + 1;
      const nowMs = minute * minuteMs;
      entry = moved(entry, { state: 'submitting', final: false, reason: 'claimed', nowMs, attempts });
      const seen = attempts + (twice ? 1 : 0);
      entry = moved(entry, { state: 'retryable', final: false, reason, nowMs, attempts: seen, unprocessed: true });
    }
    return entry;
  };
  const until = (entry: LedgerEntry) => restsUntilMs(entry, hour) / minuteMs;

  it.each([
    ['may be sent again at once, once', tried([0, 'RATE_LIMITED']), 0],
    ['rests after two, until an hour after the first of them', tried([0, 'RATE_LIMITED'], [10, 'HTTP_404']), 60],
    ['rests by the last two', tried([0, 'RATE_LIMITED'], [10, 'RATE_LIMITED'], [60, 'AUTHENTICATION']), 70],
    ['rests after two under one claim', tried([5, 'AUTHENTICATION', 'twice']), 65],
    ['does not count a try in which not a byte left', tried([0, 'RATE_LIMITED'], [1, 'NOT_SENT'], [2, 'NOT_SENT']), 0],
    [
      'remembers refused POSTs behind any number of such tries',
      tried([0, 'RATE_LIMITED'], [1, 'HTTP_404'], [2, 'NOT_SENT'], [3, 'NOT_SENT'], [4, 'NOT_SENT'], [5, 'NOT_SENT']),
      60,
    ],
    ['is tried as often as before where no connection is made', tried([0, 'NOT_SENT'], [1, 'NOT_SENT']), 0],
    ['a check that was not answered is asked again', tried([0, 'CHECK_UNANSWERED'], [1, 'CHECK_UNANSWERED']), 0],
  ])('%s', (_, entry, minutes) => {
    expect(until(entry)).toBe(minutes);
  });

  it('ended, it goes at the word of a person', () => {
    const entry = tried([0, 'RATE_LIMITED'], [10, 'RATE_LIMITED']);
    expect(restsUntilMs({ ...entry, state: 'failed' }, hour)).toBe(0);
  });
});
