// What a dead letter would do if it came back. A person reads this before a payout goes out, and a schedule acts on it
// without one: it must be what the worker does, by the same gates and the same ledger.
import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import type { Outcome } from '../../lib/payout/outcome.ts';
import { type RedriveClass, redriveStep } from '../../lib/dead-letters/redrive.ts';
import type { RedriveFacts } from '../../lib/dead-letters/redrive-facts.ts';
import { anEligibilityJob, jobOf } from '../support/jobs.ts';
import { failure, found, passed, someFacts, stopped } from '../support/redrive-facts.ts';
import { startMs } from '../support/time-and-chance.ts';

const stepOf = (changes: Partial<RedriveFacts>) => redriveStep(someFacts(changes));
const moves = (kind: RedriveClass, because: string) => ({ class: kind, because, changes: true });
const stays = (kind: RedriveClass, because: string) => ({ class: kind, because, changes: false });

const paused = stopped({ kind: 'wait', because: 'paused' });
const calledOff = stopped({ kind: 'cancel' });
const refused = (code: Parameters<typeof failure>[0], by: 'card-data' | 'expiry' | 'contract' = 'contract') =>
  stopped({ kind: 'refuse', failure: failure(code) }, by);
const unreadable = { kind: 'unreadable', reason: 'written by newer code' } as const;
const answerOf = (outcome: Outcome) => ({ owner: 'worker-1', attempts: 1, statusInquiry: false, outcome });
const doubt = answerOf({ kind: 'in-doubt', failure: failure('NO_ANSWER') });
const notSent = answerOf({ kind: 'retryable', failure: failure('NOT_SENT') });
const wasInDoubt = { state: 'in-doubt', atMs: startMs, attempts: 1, reason: 'NO_ANSWER' } as const;

describe('an order that was never sent is sent', () => {
  it.each<[string, RedriveFacts['standing'], string]>([
    ['that nobody claimed', undefined, 'new'],
    ['that failed, by the reason of its failure', found({ state: 'failed', failure: failure('NOT_SENT') }), 'NOT_SENT'],
    ['that is to be tried again, by its state where it has no reason', found({ state: 'retryable' }), 'retryable'],
  ])('%s', (_, standing, because) => {
    expect(stepOf({ standing })).toEqual(moves('submit', because));
  });

  it('unless its batch was called off: then it ends', () => {
    expect(stepOf({ passage: calledOff })).toEqual(moves('end', 'called-off'));
    expect(stepOf({ passage: calledOff, standing: found({ state: 'failed' }) })).toEqual(moves('end', 'called-off'));
  });

  it('unless its time is over: then it ends, and where there is an order that waits, by that order', () => {
    const passage = refused('EXPIRED', 'expiry');
    expect(stepOf({ passage })).toEqual(stays('end', 'EXPIRED'));
    expect(stepOf({ passage, standing: found({ state: 'retryable' }) })).toEqual(moves('end', 'EXPIRED'));
  });

  it('unless it is refused: it would come straight back, and fail the order that waits', () => {
    const passage = refused('FIELD_NOT_IN_CONTRACT');
    expect(stepOf({ passage })).toEqual(stays('reject', 'FIELD_NOT_IN_CONTRACT'));
    expect(stepOf({ passage, standing: found({ state: 'failed' }) })).toEqual(stays('reject', 'FIELD_NOT_IN_CONTRACT'));
    expect(stepOf({ passage, standing: found({ state: 'retryable' }) })).toEqual(
      moves('reject', 'FIELD_NOT_IN_CONTRACT'),
    );
  });

  it('unless its merchant’s secret must be mended, or made: it would wait', () => {
    const lacking = stopped({ kind: 'wait', because: failure('SECRET_INVALID') }, 'credentials');
    expect(stepOf({ passage: lacking })).toEqual(stays('wait', 'SECRET_INVALID'));
    const unknown = { kind: 'wait', because: failure('MERCHANT_UNKNOWN'), uncopied: true } as const;
    // It comes back for a day, and is refused then (test/journey/no-secret-for-days.test.ts).
    expect(stepOf({ passage: stopped(unknown, 'credentials') })).toEqual(stays('wait', 'MERCHANT_UNKNOWN'));
  });
});

describe('an order that may have been sent, and was released since,', () => {
  const standing = found({ state: 'failed', failure: failure('RELEASED_NOT_PAID'), history: [wasInDoubt] });

  it('is sent again where every gate lets it pass', () => {
    expect(stepOf({ standing })).toEqual(moves('submit', 'RELEASED_NOT_PAID'));
  });

  it('stands as it is where a gate stops it, and its letter comes straight back', () => {
    for (const passage of [calledOff, refused('EXPIRED', 'expiry'), refused('NOT_APPROVED')])
      expect(stepOf({ standing, passage })).toEqual(stays('reject', 'RELEASED_NOT_PAID'));
  });
});

describe('an order above a cap is held', () => {
  it.each([
    ['but not at exactly the cap for one order', '10.42', moves('submit', 'new')],
    ['a cent above the cap for one order', '10.41', moves('hold', 'CAP_EXCEEDED')],
  ])('%s', (_, single, step) => {
    expect(stepOf({ passage: passed({ caps: { EUR: { single } } }) })).toEqual(step);
  });

  it('where the day has no room for it, to the cent', () => {
    expect(stepOf({ dayRoom: 1042n })).toEqual(moves('submit', 'new'));
    expect(stepOf({ dayRoom: 1041n })).toEqual(moves('hold', 'CAP_EXCEEDED'));
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
  ])('%s, whatever a gate says by now', (_, changes, step) => {
    for (const passage of [passed(), paused, calledOff, refused('PLAIN_CARD_DATA', 'card-data')])
      expect(stepOf({ standing: found(changes), passage })).toEqual(step);
  });
});

describe('an order whose worker never reported', () => {
  it('goes into doubt where the gateway can be asked, and is held where it can’t', () => {
    expect(stepOf({ standing: found(), statusInquiry: true })).toEqual(moves('inquire', 'WORKER_LOST'));
    expect(stepOf({ standing: found() })).toEqual(moves('hold', 'WORKER_LOST'));
    expect(stepOf({ standing: found(), passage: paused })).toEqual(moves('hold', 'WORKER_LOST'));
  });

  it('is made again where it is a check: it moves no money', () => {
    const facts = someFacts({ job: jobOf(anEligibilityJob()) });
    expect(redriveStep({ ...facts, standing: found({}, facts) })).toEqual(moves('submit', 'WORKER_LOST'));
  });

  it('is left to that worker while its lease runs', () => {
    const standing = found({ leaseUntilMs: startMs + 3_600_001 });
    expect(stepOf({ standing })).toEqual(stays('wait', 'busy'));
    // What may hold card data in the clear does not wait as a copy.
    expect(stepOf({ standing, passage: refused('PLAIN_CARD_DATA', 'card-data') })).toEqual(stays('reject', 'busy'));
  });
});

describe('a letter with an answer', () => {
  it.each<[string, Outcome, string]>([
    ['accepted', { kind: 'accepted' }, 'accepted'],
    ['declined', { kind: 'declined', failure: failure('GATEWAY_REFUSED') }, 'GATEWAY_REFUSED'],
  ])('of "%s" writes it, whatever a gate says', (_, outcome, because) => {
    for (const passage of [passed(), paused, refused('PLAIN_CARD_DATA', 'card-data')])
      expect(stepOf({ standing: found(), answer: answerOf(outcome), passage })).toEqual(moves('settle', because));
  });

  it('that knows no more than the ledger repeats where the order stands', () => {
    const lost = { failure: failure('WORKER_LOST') };
    expect(stepOf({ standing: found({ state: 'in-doubt', ...lost }), answer: doubt })).toEqual(
      stays('inquire', 'WORKER_LOST'),
    );
  });

  it('of "never sent" sends it again at once, under the same rules as any other', () => {
    const facts = { standing: found(), answer: notSent };
    expect(stepOf(facts)).toEqual(moves('submit', 'NOT_SENT'));
    expect(stepOf({ ...facts, dayRoom: 0n })).toEqual(moves('hold', 'CAP_EXCEEDED'));
    expect(stepOf({ ...facts, passage: paused })).toEqual(stays('wait', 'paused'));
    expect(stepOf({ ...facts, passage: refused('PLAIN_CARD_DATA', 'card-data') })).toEqual(
      moves('reject', 'PLAIN_CARD_DATA'),
    );
  });
});

describe('while its merchant is paused, a letter', () => {
  it('waits, where its order was not sent', () => {
    for (const standing of [undefined, found({ state: 'retryable' }), found({ state: 'failed' })])
      expect(stepOf({ passage: paused, standing })).toEqual(stays('wait', 'paused'));
  });

  it('waits with an answer about an order that nobody knows', () => {
    expect(stepOf({ passage: paused, answer: notSent })).toEqual(stays('wait', 'paused'));
  });
});

it('an entry that this version can’t read sends the letter straight back', () => {
  for (const passage of [passed(), paused])
    expect(stepOf({ standing: unreadable, passage })).toEqual(stays('reject', 'LEDGER_ENTRY_UNREADABLE'));
});
