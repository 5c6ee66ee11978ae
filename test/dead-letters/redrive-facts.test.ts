// How an order stands towards a letter that might come back: asked in the worker's order, so that a plan says what the
// worker then does. A wrong word here is a promise to a person that their payout goes out, or does not.
import { describe, expect, it } from 'vitest';
import { unknownContent } from '../../lib/payout/claim.ts';
import type { LedgerEntry, OrderState } from '../../lib/payout/ledger.ts';
import type { Outcome } from '../../lib/payout/outcome.ts';
import { type RedriveFacts, standOf } from '../../lib/dead-letters/redrive-facts.ts';
import { anEligibilityJob, jobOf } from '../support/jobs.ts';
import { found, someFacts } from '../support/redrive-facts.ts';
import { startMs } from '../support/time-and-chance.ts';

const kindOf = (changes: Partial<RedriveFacts>) => standOf(someFacts(changes)).kind;
const unreadable = { kind: 'unreadable', reason: 'written by newer code' } as const;
const closed = { failure: { code: 'PLAIN_CARD_DATA', message: 'in the clear' }, forGood: true } as const;
const accepted: Outcome = { kind: 'accepted', gatewayOrderId: '77' };
const notSent: Outcome = { kind: 'retryable', failure: { code: 'NOT_SENT', message: 'refused' } };
const answerOf = (owner: string, outcome: Outcome = accepted, attempts = 1) => ({
  owner,
  attempts,
  statusInquiry: false,
  outcome,
});

describe('before the order is looked at', () => {
  it('an order that the ledger does not know is unclaimed', () => {
    expect(standOf(someFacts())).toEqual({ kind: 'unclaimed' });
  });

  it('card data that can’t be had keeps it closed, claimed or not', () => {
    for (const standing of [undefined, unreadable, found({ state: 'failed' })])
      expect(standOf(someFacts({ standing, closed }))).toEqual({ kind: 'closed', ...closed });
  });

  it('an entry that can’t be read says why', () => {
    expect(standOf(someFacts({ standing: unreadable }))).toEqual(unreadable);
  });
});

describe('a letter with an answer', () => {
  it('settles the order that its claim left open, before its card data is judged', () => {
    const standing = found();
    const stand = standOf(someFacts({ standing, closed, answer: answerOf('worker-1') }));
    expect(stand).toMatchObject({
      kind: 'answered',
      entry: standing.entry,
      next: { state: 'accepted', final: true, gatewayOrderId: '77', updatedAtMs: startMs + 3_600_000 },
    });
  });

  it('by which acceptance is not the end, where the gateway can be asked', () => {
    const answer = { ...answerOf('worker-1'), statusInquiry: true };
    expect(standOf(someFacts({ standing: found(), answer }))).toMatchObject({ next: { final: false } });
  });

  it.each([
    [1, 3, 3],
    [4, 3, 4],
  ])('counts the attempts of whoever knows of more: ledger %i, letter %i', (ledger, letter, attempts) => {
    const answer = answerOf('worker-1', accepted, letter);
    const stand = standOf(someFacts({ standing: found({ attempts: ledger }), answer }));
    expect(stand).toMatchObject({ next: { attempts } });
  });

  it('of "never sent" makes the order ready to be sent again; a redriven message has all its receives before it', () => {
    const stand = standOf(someFacts({ standing: found(), answer: answerOf('worker-1', notSent) }));
    expect(stand).toMatchObject({ kind: 'answered', next: { state: 'retryable', final: false } });
  });

  it('of acceptance is written even over an order that has failed meanwhile, or it could be paid twice', () => {
    const standing = found({ state: 'failed', final: true });
    const stand = standOf(someFacts({ standing, answer: answerOf('worker-1') }));
    expect(stand).toMatchObject({ kind: 'answered', next: { state: 'accepted' } });
  });

  it('of anything else is not: the end that was told stays', () => {
    const standing = found({ state: 'failed', final: true });
    expect(kindOf({ standing, answer: answerOf('worker-1', notSent) })).toBe('take-over');
  });

  it('of another claim is a stranger’s, and the order is judged without it', () => {
    const answer = answerOf('worker-2');
    expect(kindOf({ standing: found({ leaseUntilMs: startMs + 86_400_000 }), answer })).toBe('busy');
    expect(kindOf({ standing: found(), answer, closed })).toBe('closed');
  });

  it('about an order that the ledger does not know changes nothing', () => {
    expect(kindOf({ answer: answerOf('worker-1') })).toBe('unclaimed');
    expect(kindOf({ answer: answerOf('worker-1'), closed })).toBe('closed');
  });

  it('waits for whoever can read the entry, whatever its card data: the answer must not get lost', () => {
    const answer = answerOf('worker-1');
    expect(standOf(someFacts({ standing: unreadable, answer }))).toEqual(unreadable);
    expect(standOf(someFacts({ standing: unreadable, answer, closed }))).toEqual(unreadable);
  });
});

describe('an order that is in the ledger', () => {
  const nowMs = startMs + 3_600_000;

  it.each<[string, Partial<LedgerEntry>, string]>([
    ['that never left', { state: 'retryable' }, 'take-over'],
    ['that failed under another message', { state: 'failed' }, 'take-over'],
    ['that is being sent', { state: 'submitting', leaseUntilMs: nowMs + 1 }, 'busy'],
    ['whose worker never reported', { state: 'submitting', leaseUntilMs: nowMs }, 'abandoned'],
    ['that was paid', { state: 'approved' }, 'stands'],
    ['whose content was forgotten in a restore', { state: 'in-doubt', fingerprint: unknownContent }, 'stands'],
    ['with other content', { state: 'accepted', fingerprint: 'k1.other' }, 'reused'],
  ])('%s', (_, changes, kind) => {
    const standing = found(changes);
    expect(standOf(someFacts({ standing }))).toEqual({ kind, entry: standing.entry });
  });

  it('by a key that this version lacks can’t be told from another', () => {
    expect(standOf(someFacts({ standing: found({ fingerprint: 'k0.content' }) }))).toEqual({
      kind: 'unreadable',
      reason: 'its fingerprint was made under a key that is not among the keys',
    });
  });

  it('is never taken for a claim of the plan’s own: a plan claims nothing', () => {
    expect(() => standOf(someFacts({ standing: found({ owner: '~plan' }) }))).toThrow('a plan claims nothing');
  });
});

describe('a sealed job', () => {
  const plain = someFacts();
  const job = { ...plain.job, sealedParams: 'header.key.iv.text.tag' };
  /** The fingerprint of a sealed job is of what can be seen of it, and never that of the order that was opened. */
  const sealed = (standing: RedriveFacts['standing'], changes: Partial<RedriveFacts> = {}) =>
    standOf(someFacts({ job, fingerprints: ['k2.seal', 'k1.seal'], standing, ...changes }));

  it('is taken for the order’s own where all that stands outside the seal is the same', () => {
    expect(sealed(found({ state: 'accepted' })).kind).toBe('stands');
    expect(sealed(found({ state: 'failed' })).kind).toBe('take-over');
  });

  it.each<[string, Partial<LedgerEntry>]>([
    ['operation', { operation: 'transfer' }],
    ['endpoint', { endpointId: '40000' }],
    ['amount', { money: { currency: 'EUR', minorUnits: 1043n } }],
    ['currency', { money: { currency: 'USD', minorUnits: 1042n } }],
  ])('with another %s is another order under the same id', (_, changes) => {
    expect(sealed(found({ state: 'failed', ...changes })).kind).toBe('reused');
  });

  it('of money is not the order that had none, nor the other way round', () => {
    const { money: _, ...moneyless } = found({ state: 'failed' }).entry;
    expect(sealed({ kind: 'found', entry: moneyless }).kind).toBe('reused');
    const { money: __, ...without } = job;
    expect(sealed(found({ state: 'failed' }), { job: without }).kind).toBe('reused');
  });

  it('of a check, which has no money, is known all the same', () => {
    const facts = someFacts({ job: jobOf(anEligibilityJob()), fingerprints: ['k1.check'] });
    const check = { ...facts.job, sealedParams: job.sealedParams };
    expect(sealed(found({ state: 'failed' }, facts), { job: check }).kind).toBe('take-over');
  });

  it('is not known by a fingerprint whose key is gone', () => {
    expect(sealed(found({ state: 'failed', fingerprint: 'k0.content' }))).toMatchObject({ kind: 'unreadable' });
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
    expect(standOf(someFacts({ job, standing }))).toEqual({ kind: 'take-over', entry: standing.entry });
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
