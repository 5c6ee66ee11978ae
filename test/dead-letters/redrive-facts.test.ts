// What a plan rests on: the answer that a letter carries, and whose order a job is whose seal stays closed.
import { describe, expect, it } from 'vitest';
import { answered, claimOf, type RedriveFacts } from '../../lib/dead-letters/redrive-facts.ts';
import type { LedgerEntry, OrderState } from '../../lib/payout/ledger.ts';
import type { Outcome } from '../../lib/payout/outcome.ts';
import { decideUnopened } from '../../lib/payout/stopped-order.ts';
import { anEligibilityJob, jobOf } from '../support/jobs.ts';
import { failure as failureOf, found, someFacts } from '../support/redrive-facts.ts';
import { startMs } from '../support/time-and-chance.ts';

const accepted: Outcome = { kind: 'accepted', gatewayOrderId: '77' };
const notSent: Outcome = { kind: 'retryable', failure: failureOf('NOT_SENT') };
const answerOf = (owner: string, outcome: Outcome = accepted, attempts = 1) => ({
  owner,
  attempts,
  statusInquiry: false,
  outcome,
});
const after = (changes: Partial<RedriveFacts>) => answered(someFacts(changes));

describe('a letter with an answer', () => {
  it('settles the order that its claim left open', () => {
    expect(after({ standing: found(), answer: answerOf('worker-1') })).toMatchObject({
      state: 'accepted',
      final: true,
      gatewayOrderId: '77',
      updatedAtMs: startMs + 3_600_000,
    });
  });

  it('by which acceptance is not the end, where the gateway can be asked', () => {
    const answer = { ...answerOf('worker-1'), statusInquiry: true };
    expect(after({ standing: found(), answer })).toMatchObject({ final: false });
  });

  it.each([
    [1, 3, 3],
    [4, 3, 4],
  ])('counts the attempts of whoever knows of more: ledger %i, letter %i', (ledger, letter, attempts) => {
    const answer = answerOf('worker-1', accepted, letter);
    expect(after({ standing: found({ attempts: ledger }), answer })).toMatchObject({ attempts });
  });

  it('of "never sent" makes the order ready to be sent again; a redriven message has all its receives before it', () => {
    expect(after({ standing: found(), answer: answerOf('worker-1', notSent) })).toMatchObject({ state: 'retryable' });
  });

  it('of acceptance is written even over an order that has failed meanwhile, or it could be paid twice', () => {
    const standing = found({ state: 'failed', final: true });
    expect(after({ standing, answer: answerOf('worker-1') })).toMatchObject({ state: 'accepted' });
    expect(after({ standing, answer: answerOf('worker-1', notSent) })).toBeUndefined();
  });

  it('of another claim waits while a worker is at the order, and changes nothing where it proves nothing', () => {
    expect(after({ standing: found(), answer: answerOf('worker-2') })).toBeUndefined();
    expect(after({ answer: answerOf('worker-1', notSent) })).toBeUndefined();
  });

  it('about an order that the ledger does not know makes it known: it is not sent again', () => {
    expect(after({ answer: answerOf('worker-1') })).toMatchObject({ state: 'accepted', owner: 'worker-1' });
  });
});

/** What a claim by the letter would find. */
function kindOf(changes: Partial<RedriveFacts>) {
  const facts = someFacts(changes);
  if (facts.standing?.kind !== 'found') throw new Error('the story has no order');
  return decideUnopened(facts.standing.entry, claimOf(facts)).kind;
}

describe('a sealed job', () => {
  const plain = someFacts();
  const job = { ...plain.job, sealedParams: 'header.key.iv.text.tag' };
  /** The fingerprint of a sealed job is of what can be seen of it, and never that of the order that was opened. */
  const sealed = (standing: RedriveFacts['standing'], changes: Partial<RedriveFacts> = {}) =>
    kindOf({ job, fingerprints: ['k2.seal', 'k1.seal'], standing, ...changes });

  it('is taken for the order’s own where all that stands outside the seal is the same', () => {
    expect(sealed(found({ state: 'accepted' }))).toBe('stands');
    expect(sealed(found({ state: 'failed' }))).toBe('take-over');
  });

  it.each<[string, Partial<LedgerEntry>]>([
    ['operation', { operation: 'transfer' }],
    ['endpoint', { endpointId: '40000' }],
    ['amount', { money: { currency: 'EUR', minorUnits: 1043n } }],
    ['currency', { money: { currency: 'USD', minorUnits: 1042n } }],
  ])('with another %s is another order under the same id', (_, changes) => {
    expect(sealed(found({ state: 'failed', ...changes }))).toBe('reused');
  });

  it('of money is not the order that had none, nor the other way round', () => {
    const { money: _, ...moneyless } = found({ state: 'failed' }).entry;
    expect(sealed({ kind: 'found', entry: moneyless })).toBe('reused');
    const { money: __, ...without } = job;
    expect(sealed(found({ state: 'failed' }), { job: without })).toBe('reused');
  });

  it('of a check, which has no money, is known all the same', () => {
    const facts = someFacts({ job: jobOf(anEligibilityJob()), fingerprints: ['k1.check'] });
    const check = { ...facts.job, sealedParams: job.sealedParams };
    expect(sealed(found({ state: 'failed' }, facts), { job: check })).toBe('take-over');
  });

  it('is not known by a fingerprint whose key is gone', () => {
    expect(sealed(found({ state: 'failed', fingerprint: 'k0.content' }))).toBe('unreadable');
  });

  it('that is in the clear is never known by its looks', () => {
    const standing = found({ state: 'failed', fingerprint: 'k1.other' });
    expect(kindOf({ standing })).toBe('reused');
  });
});

describe('an order that waits for new card data', () => {
  const failure = { code: 'NEW_CARD_DATA_NEEDED', message: 'the code is spent' } as const;
  const job = { ...someFacts().job, sealedParams: 'header.key.iv.text.tag' };
  const waiting = (changes: Partial<LedgerEntry> = {}) =>
    found({ state: 'held', failure, cardKeyId: 'card-1', ...changes });

  it('may be sent by a sealed job once a key for it was deposited: only the worker sees what the seal holds', () => {
    const standing = waiting();
    expect(kindOf({ job, standing })).toBe('take-over');
  });

  it('is held on without a key, and by a job that brings no seal', () => {
    const { cardKeyId: _, ...keyless } = waiting().entry;
    expect(kindOf({ job, standing: { kind: 'found', entry: keyless } })).toBe('stands');
    expect(kindOf({ standing: waiting() })).toBe('stands');
  });

  it.each<OrderState>(['in-doubt', 'accepted', 'submitting'])('is not one that is %s, key or no key', (state) => {
    expect(kindOf({ job, standing: waiting({ state }) })).not.toBe('take-over');
  });
});
