// What a dead letter would do if it came back. A person reads this before a payout goes out, and a schedule acts on it
// without one: it must be what the worker does, in the worker's order.
import type { FailureCode } from '../../lib/payout/failures.ts';
import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import type { Outcome } from '../../lib/payout/outcome.ts';
import { isRetriedUnattended, type RedriveClass, redriveStep } from '../../lib/dead-letters/redrive.ts';
import type { RedriveFacts } from '../../lib/dead-letters/redrive-facts.ts';
import { aPayoutJob, anEligibilityJob, jobOf } from '../support/jobs.ts';
import { aContract, found, someFacts } from '../support/redrive-facts.ts';
import { startMs } from '../support/time-and-chance.ts';

const stepOf = (changes: Partial<RedriveFacts>) => redriveStep(someFacts(changes));
const moves = (kind: RedriveClass, because: string) => ({ class: kind, because, changes: true });
const stays = (kind: RedriveClass, because: string) => ({ class: kind, because, changes: false });

const failure = (code: FailureCode) => ({ code, message: 'x' });
const closed = { failure: failure('PLAIN_CARD_DATA'), forGood: true };
const unreadable = { kind: 'unreadable', reason: 'written by newer code' } as const;
const noSecret = { kind: 'unavailable', failure: failure('MERCHANT_UNKNOWN') } as const;
const answerOf = (outcome: Outcome) => ({ owner: 'worker-1', attempts: 1, statusInquiry: false, outcome });
const doubt = answerOf({ kind: 'in-doubt', failure: failure('NO_ANSWER') });
const notSent = answerOf({ kind: 'retryable', failure: failure('NOT_SENT') });

describe('an order that was never sent is sent', () => {
  it.each<[string, RedriveFacts['standing'], string]>([
    ['that nobody claimed', undefined, 'new'],
    ['that failed, by the reason of its failure', found({ state: 'failed', failure: failure('NOT_SENT') }), 'NOT_SENT'],
    ['that is to be tried again, by its state where it has no reason', found({ state: 'retryable' }), 'retryable'],
  ])('%s', (_, standing, because) => {
    expect(stepOf({ standing })).toEqual(moves('submit', because));
  });

  it('unless its batch was called off: then it ends, though the secret that it needs is gone', () => {
    expect(stepOf({ leave: 'call off' })).toEqual(moves('end', 'called-off'));
    expect(stepOf({ leave: 'call off', contract: noSecret })).toEqual(moves('end', 'called-off'));
  });

  it('unless the merchant’s secret can’t be had: it would come straight back', () => {
    expect(stepOf({ contract: noSecret })).toEqual(stays('reject', 'MERCHANT_UNKNOWN'));
  });

  it('unless its time is over', () => {
    const job = jobOf(aPayoutJob({ expiresAt: '2026-11-21T11:00:00Z' }));
    expect(stepOf({ job, nowMs: startMs + 3_599_999 })).toEqual(moves('submit', 'new'));
    expect(stepOf({ job, nowMs: startMs + 3_600_000 })).toEqual(moves('end', 'EXPIRED'));
  });

  it('unless it bears a field that its contract does not know', () => {
    const job = jobOf(aPayoutJob({ params: { purpose: 'rent' } }));
    expect(stepOf({ job })).toEqual(stays('reject', 'FIELD_NOT_IN_CONTRACT'));
    expect(stepOf({ job, contract: aContract({ extraFields: { payout: ['purpose'] } }) })).toEqual(
      moves('submit', 'new'),
    );
  });

  it('unless a second person has yet to approve it', () => {
    expect(stepOf({ contract: aContract({ twoPersonRelease: true }) })).toEqual(stays('reject', 'NOT_APPROVED'));
  });

  it('unless the secret lacks the key that signs it, which the merchant may have chosen', () => {
    const withKeyFor = (method: 'HMAC-SHA1' | 'RSA-SHA256', profile = {}) => ({
      ...aContract(profile),
      methods: [method],
    });
    const byHmac = { signatureMethod: { payout: 'HMAC-SHA1' } } as const;
    expect(stepOf({ contract: withKeyFor('RSA-SHA256') })).toEqual(moves('submit', 'new'));
    expect(stepOf({ contract: withKeyFor('HMAC-SHA1') })).toEqual(stays('reject', 'SECRET_INVALID'));
    expect(stepOf({ contract: withKeyFor('RSA-SHA256', byHmac) })).toEqual(stays('reject', 'SECRET_INVALID'));
    expect(stepOf({ contract: withKeyFor('HMAC-SHA1', byHmac) })).toEqual(moves('submit', 'new'));
    // Another operation's choice is not its own.
    const check = { job: jobOf(anEligibilityJob()), contract: withKeyFor('HMAC-SHA1') };
    expect(stepOf(check)).toEqual(moves('submit', 'new'));
  });
});

describe('an order above a cap is held', () => {
  it.each([
    ['but not at exactly the cap for one order', '10.42', moves('submit', 'new')],
    ['a cent above the cap for one order', '10.41', moves('hold', 'CAP_EXCEEDED')],
  ])('%s', (_, single, step) => {
    expect(stepOf({ contract: aContract({ caps: { EUR: { single } } }) })).toEqual(step);
  });

  it('where the day has no room for it, to the cent', () => {
    expect(stepOf({ dayRoom: 1042n })).toEqual(moves('submit', 'new'));
    expect(stepOf({ dayRoom: 1041n })).toEqual(moves('hold', 'CAP_EXCEEDED'));
  });

  it('before its time is looked at, as the worker does', () => {
    const job = jobOf(aPayoutJob({ expiresAt: '2026-11-21T10:30:00Z' }));
    expect(stepOf({ job, dayRoom: 0n })).toEqual(moves('hold', 'CAP_EXCEEDED'));
  });

  it('but never a check, which moves no money', () => {
    expect(stepOf({ job: jobOf(anEligibilityJob()), dayRoom: 0n })).toEqual(moves('submit', 'new'));
  });
});

describe('an order that was sent is told again, and nothing is written', () => {
  it.each<[string, Partial<LedgerEntry>, ReturnType<typeof stays>]>([
    ['paid', { state: 'approved', final: true }, stays('nothing', 'approved')],
    ['accepted for good', { state: 'accepted', final: true }, stays('nothing', 'accepted')],
    ['accepted, its end to be asked for', { state: 'accepted', final: false }, stays('inquire', 'accepted')],
    ['in doubt', { state: 'in-doubt', failure: failure('NO_ANSWER') }, stays('inquire', 'NO_ANSWER')],
    ['held', { state: 'held', failure: failure('CAP_EXCEEDED') }, stays('hold', 'CAP_EXCEEDED')],
    ['of other content', { state: 'approved', fingerprint: 'k1.other' }, stays('nothing', 'ORDER_ID_REUSED')],
  ])('%s', (_, changes, step) => {
    expect(stepOf({ standing: found(changes) })).toEqual(step);
  });
});

describe('an order whose worker never reported', () => {
  it('goes into doubt where the gateway can be asked, and is held where it can’t', () => {
    expect(stepOf({ standing: found(), contract: aContract({ statusInquiry: true }) })).toEqual(
      moves('inquire', 'WORKER_LOST'),
    );
    expect(stepOf({ standing: found() })).toEqual(moves('hold', 'WORKER_LOST'));
  });

  it('goes into doubt while nobody knows whether it can be asked about', () => {
    expect(stepOf({ standing: found(), contract: noSecret })).toEqual(moves('inquire', 'WORKER_LOST'));
  });

  it('is made again where it is a check: it moves no money', () => {
    const facts = someFacts({ job: jobOf(anEligibilityJob()) });
    expect(redriveStep({ ...facts, standing: found({}, facts) })).toEqual(moves('submit', 'WORKER_LOST'));
  });

  it('is left to that worker while its lease runs', () => {
    expect(stepOf({ standing: found({ leaseUntilMs: startMs + 3_600_001 }) })).toEqual(stays('wait', 'busy'));
  });
});

describe('a letter with an answer', () => {
  it.each<[string, Outcome, string]>([
    ['accepted', { kind: 'accepted' }, 'accepted'],
    ['declined', { kind: 'declined', failure: failure('GATEWAY_REFUSED') }, 'GATEWAY_REFUSED'],
  ])('of "%s" writes it, and the merchant’s pause does not keep it', (_, outcome, because) => {
    const facts = { standing: found(), answer: answerOf(outcome) };
    expect(stepOf(facts)).toEqual(moves('settle', because));
    expect(stepOf({ ...facts, leave: 'wait', closed })).toEqual(moves('settle', because));
  });

  it('that knows no more than the ledger repeats where the order stands', () => {
    const lost = { failure: failure('WORKER_LOST') };
    expect(stepOf({ standing: found({ state: 'in-doubt', ...lost }), answer: doubt })).toEqual(
      stays('inquire', 'WORKER_LOST'),
    );
    expect(stepOf({ standing: found({ state: 'held', ...lost }), answer: doubt })).toEqual(
      stays('hold', 'WORKER_LOST'),
    );
  });

  it('of "never sent" sends it again at once, under the same rules as any other', () => {
    const facts = { standing: found(), answer: notSent };
    expect(stepOf(facts)).toEqual(moves('submit', 'NOT_SENT'));
    expect(stepOf({ ...facts, dayRoom: 0n })).toEqual(moves('hold', 'CAP_EXCEEDED'));
    expect(stepOf({ ...facts, leave: 'wait' })).toEqual(stays('wait', 'not-now'));
    expect(stepOf({ ...facts, closed })).toEqual(stays('reject', 'PLAIN_CARD_DATA'));
  });
});

describe('while its merchant is paused, a letter', () => {
  it('waits, whatever became of its order', () => {
    for (const standing of [undefined, found({ state: 'approved' }), found(), unreadable])
      expect(stepOf({ leave: 'wait', standing })).toEqual(stays('wait', 'not-now'));
  });

  it('waits with an answer about an order that nobody knows', () => {
    expect(stepOf({ leave: 'wait', answer: notSent })).toEqual(stays('wait', 'not-now'));
  });

  it('that would be refused for its card data comes straight back all the same', () => {
    expect(stepOf({ leave: 'wait', closed })).toEqual(stays('reject', 'PLAIN_CARD_DATA'));
  });

  it('with an answer that can’t be written comes straight back: the worker tries that before it asks leave', () => {
    expect(stepOf({ leave: 'wait', standing: unreadable, answer: notSent })).toEqual(
      stays('reject', 'LEDGER_ENTRY_UNREADABLE'),
    );
  });
});

it('an entry that this version can’t read sends the letter straight back', () => {
  expect(stepOf({ standing: unreadable })).toEqual(stays('reject', 'LEDGER_ENTRY_UNREADABLE'));
});

describe('a schedule may bring back by itself', () => {
  it.each([
    ['submit', 'new', true],
    ['submit', 'NOT_SENT', true],
    ['submit', 'RATE_LIMITED', true],
    ['submit', 'WORKER_LOST', true],
    // A person, or an inquiry over the quiet period, has ended these: a person sends them again, or nobody.
    ['submit', 'RELEASED_NOT_PAID', false],
    ['submit', 'NOT_AT_GATEWAY', false],
    ['submit', 'DISCARDED', false],
    ['inquire', 'NO_ANSWER', true],
    ['settle', 'GATEWAY_REFUSED', true],
    ['hold', 'NOT_SENT', false],
    ['end', 'called-off', false],
    ['nothing', 'approved', false],
    ['after', 'same-order', false],
    ['wait', 'not-now', false],
    ['reject', 'SECRET_INVALID', false],
  ] as const)('%s because of %s: %s', (kind, because, allowed) => {
    expect(isRetriedUnattended({ class: kind, because, changes: true })).toBe(allowed);
  });
});
