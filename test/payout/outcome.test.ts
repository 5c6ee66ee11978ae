import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideClaim, newEntry, takenOver } from '../../lib/payout/claim.ts';
import { hasMoneyInDoubt } from '../../lib/payout/control.ts';
import type { Job } from '../../lib/payout/job.ts';
import { type LedgerEntry, moved, moves, type OrderState, waitsForCardData } from '../../lib/payout/ledger.ts';
import { releaseOrder } from '../../lib/payout/operator-actions.ts';
import {
  afterSingleUse,
  type Outcome,
  type PendingOutcome,
  readPendingOutcome,
  writePendingOutcome,
} from '../../lib/payout/outcome.ts';
import { whyNotReleasable } from '../../lib/payout/release.ts';
import { settled } from '../../lib/payout/settlement.ts';
import { aPayoutJob, aTransferJob, jobOf, withoutParams } from '../support/jobs.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { aRecord, deliveryOf } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';
import { outlivesItsClaim } from '../../lib/payout/due-work.ts';

const failure = { code: 'GATEWAY_REFUSED', message: 'no', gatewayCode: '8', httpStatus: 200 } as const;
const carried = (outcome: Outcome): PendingOutcome => ({ owner: 'me', attempts: 2, statusInquiry: true, outcome });

describe('a carried answer', () => {
  it.each<Outcome>([
    { kind: 'accepted', gatewayOrderId: '9' },
    { kind: 'accepted' },
    { kind: 'accepted', gatewayOrderId: '9', gatewayAlias: '10' },
    { kind: 'declined', failure },
    { kind: 'not-processed', reason: 'credentials-refused', failure },
    { kind: 'not-processed', reason: 'rate-limited', failure, retryAfterSeconds: 30 },
    { kind: 'check-unanswered', failure },
    { kind: 'in-doubt', failure, gatewayOrderId: '9' },
    { kind: 'retryable', failure: { code: 'NOT_SENT', message: 'refused' } },
    { kind: 'unsendable', failure },
    { kind: 'in-doubt', failure },
  ])('is read as it was written: %j', (outcome) => {
    expect(readPendingOutcome(writePendingOutcome(carried(outcome)))).toStrictEqual(carried(outcome));
  });

  it('of a version that knew refused signatures as an outcome of their own is read', () => {
    const older = { owner: 'me', attempts: 1, statusInquiry: false, outcome: { kind: 'credentials-refused', failure } };
    const outcome = { kind: 'not-processed', reason: 'credentials-refused', failure };
    expect(readPendingOutcome(JSON.stringify(older))).toStrictEqual({ ...older, outcome });
  });

  it.each([
    undefined,
    '',
    'null',
    '{}',
    '{"owner":"me"',
    '[]',
    '{"owner":"me","attempts":1,"statusInquiry":false,"outcome":{"kind":"paid"}}',
    '{"owner":"me","attempts":1,"statusInquiry":false,"outcome":{"kind":"declined"}}',
    '{"owner":"me","attempts":1,"statusInquiry":false,"outcome":{"kind":"in-doubt","failure":{"code":"LUNAR_ECLIPSE","message":"x"}}}',
    '{"owner":"me","attempts":"1","statusInquiry":false,"outcome":{"kind":"accepted"}}',
    '{"owner":7,"attempts":1,"statusInquiry":false,"outcome":{"kind":"accepted"}}',
    '{"owner":"me","attempts":1,"statusInquiry":false,"outcome":{"kind":"accepted","gatewayOrderId":9}}',
  ])('that is garbled is none: %s', (text) => {
    expect(readPendingOutcome(text)).toBeUndefined();
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['undefined', 'object']).toContain(typeof readPendingOutcome(text));
      }),
    );
  });
});

describe('an answer on its way', () => {
  const settledBy = (owner: string, outcome: Outcome) =>
    writePendingOutcome({ owner, attempts: 1, statusInquiry: false, outcome });

  it('stays with its message while newer code has the entry', async () => {
    const world = aWorld();
    const answer = settledBy('me', { kind: 'accepted', gatewayOrderId: '9' });
    const read = async () => ({ kind: 'unreadable', reason: 'state "split"' }) as const;
    Object.assign(world.ledger, { read });
    const record = aRecord(aPayoutJob(), { messageId: 'm-1', attributes: { answer } });
    expect(await world.deliver(record, 1_000)).toEqual(['m-1']);
    expect(world.jobsQueue.copies.taken).toEqual([]);
    expect(world.log[0]?.fields.failureCode).toBe('LEDGER_ENTRY_UNREADABLE');
  });

  it('goes round while newer code has the order that it ends', async () => {
    // given an order that newer code writes to while its POST is under way
    const world = aWorld();
    const { advance } = world.ledger;
    const newer = async () => ({ kind: 'unreadable', reason: 'state "split"' }) as const;
    world.gateway.meanwhile(() => void Object.assign(world.ledger, { advance: newer }));

    // when the gateway accepts, then a copy carries its answer
    expect(await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }))).toEqual([]);
    const [copy] = world.jobsQueue.copies.taken;
    if (!copy) throw new Error('there is no copy');
    expect(readPendingOutcome(copy.attributes.answer)).toMatchObject({ outcome: { kind: 'accepted' } });

    // and who can read the order settles it
    Object.assign(world.ledger, { advance });
    await world.deliver(deliveryOf(copy));
    expect(world.results.taken).toMatchObject([{ status: 'accepted', payoutId: '9000001' }]);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('does not make the attempts of its order fewer', async () => {
    // given an order in its second attempt, whose claim was written although no answer came
    const world = aWorld();
    world.gateway.moods('refuses the connection');
    await world.deliver(aRecord(aPayoutJob()));
    world.ledger.faults('claim', 'up', 'down', 'down', 'down', 'down');
    world.ledger.faults('advance', 'answer lost');
    await world.deliver(aRecord(aPayoutJob()));
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'submitting', attempts: 2 });

    // when the copy says that nothing was sent under it
    const copy = world.jobsQueue.copies.taken.find(({ attributes }) => attributes.answer !== undefined);
    if (!copy) throw new Error('there is no copy');
    await world.deliver(deliveryOf(copy));

    // then
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'retryable', attempts: 2 });
  });
});

describe('a stranger who can write to the queue', () => {
  const forged = (owner: string) =>
    writePendingOutcome({ owner, attempts: 1, statusInquiry: false, outcome: { kind: 'declined', failure } });

  it("can't settle an order that is held: the owner in the answer is not the one who claimed it", async () => {
    const world = aWorld();
    world.gateway.moods('stalls');
    await world.deliver(aRecord(aPayoutJob()));
    await world.deliver(aRecord(aPayoutJob(), { attributes: { answer: forged('stranger') } }));
    expect(world.entries.get('acme-eu/INV-1')?.state).toBe('held');
    expect(world.results.taken.map(({ status }) => status)).toEqual(['held', 'held']);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it("can't end an order that is over, not even with its owner's name", async () => {
    const world = aWorld();
    await world.deliver(aRecord(aPayoutJob()));
    const owner = world.entries.get('acme-eu/INV-1')?.owner ?? '';
    await world.deliver(aRecord(aPayoutJob(), { attributes: { answer: forged(owner) } }));
    expect(world.entries.get('acme-eu/INV-1')?.state).toBe('accepted');
  });

  it("can't make another end of an order that a person has released as not paid", async () => {
    const world = aWorld();
    world.gateway.moods('stalls');
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
    const owner = world.entries.get('acme-eu/INV-1')?.owner ?? '';
    await releaseOrder('acme-eu/INV-1', { as: 'not-paid', by: 'ops', reason: 'the bank knows nothing' }, world.ports);
    const attributes = { originMessageId: 'm-1', answer: forged(owner) };
    await world.deliver(aRecord(aPayoutJob(), { attributes }));
    expect(world.results.taken.map(({ status }) => status)).toEqual(['held', 'failed', 'failed']);
    expect(world.log.map(({ event }) => event)).not.toContain('answer-overtaken');
  });

  it('can at most have his message treated as one without an answer', async () => {
    const world = aWorld();
    const garbled = { answer: '{"owner":', waits: 'many', originMessageId: 'm-1' };
    expect(await world.deliver(aRecord(aPayoutJob(), { attributes: garbled }))).toEqual([]);
    expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  });
});

// What the rules of the ledger say of orders whose CVV is spent.

const cvvSpent = { code: 'NEW_CARD_DATA_NEEDED', message: 'seal the card data anew' } as const;
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
  anEntry({ operation: 'transfer', state: 'held', revision: 2, failure: cvvSpent, ...changes });

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

it('a card key waits for the claim that may take its order over, or that holds it; any other outlives its claim', () => {
  const stays = (entry: LedgerEntry, nowMs = startMs) => !outlivesItsClaim(entry, nowMs);
  const leaseUntilMs = startMs + 100_000;
  const claimed = anEntry({ state: 'submitting', leaseUntilMs });
  expect(states.filter((state) => stays(anEntry({ state, leaseUntilMs })))).toEqual([
    'submitting',
    'retryable',
    'failed',
  ]);
  expect([stays(claimed, leaseUntilMs - 1), stays(claimed, leaseUntilMs)]).toEqual([true, false]);
  expect([stays(waiting()), stays(anEntry({ state: 'held' }))]).toEqual([true, false]);
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
    [{ kind: 'declined', failure: cvvSpent }],
    [{ kind: 'unsendable', failure: cvvSpent }],
    [{ kind: 'capped', failure: cvvSpent }],
    [{ kind: 'in-doubt', failure: cvvSpent }],
  ])('is what it is otherwise: $kind', (outcome) => {
    expect(afterSingleUse(outcome)).toBe(outcome);
  });
});

describe('spent card data settles', () => {
  const spent: Outcome = { kind: 'spent', failure: cvvSpent };
  const context = { nowMs: startMs + 20, attempts: 1, statusInquiry: true };
  const submitting = newEntry(request(job('key-1')));

  it('a claim as held, even on its last receive', () => {
    expect(settled(submitting, spent, context)).toMatchObject({ state: 'held', final: false, failure: cvvSpent });
  });

  it('a claim that was called lost meanwhile, as held or failed: it is no doubt', () => {
    const doubt = moved(submitting, { state: 'in-doubt', final: false, reason: 'WORKER_LOST', nowMs: startMs });
    expect(settled(doubt, spent, context)).toMatchObject({ state: 'held', failure: cvvSpent });
    const held = moved(submitting, { state: 'held', final: false, reason: 'WORKER_LOST', nowMs: startMs });
    expect(settled(held, spent, context)).toMatchObject({ state: 'failed', final: true, failure: cvvSpent });
  });
});
