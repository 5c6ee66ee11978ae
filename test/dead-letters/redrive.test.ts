// What a dead letter would do if it came back. A person reads this before a payout goes out, and a schedule acts on it
// without one: it must be what the worker does, by the same gates and the same ledger.
import { describe, expect, it } from 'vitest';
import { type RedriveClass, type RedriveFacts, redriveStep } from '../../lib/dead-letters/judge-dead-letter.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import type { Failure, FailureCode } from '../../lib/payout/message/failures.ts';
import type { Passage, StopVerdict } from '../../lib/payout/gates.ts';
import type { Job } from '../../lib/payout/message/job.ts';
import type { Attempt } from '../../lib/payout/order/facts.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, anEligibilityJob, jobOf } from '../support/jobs.ts';
import { anyTurn } from '../support/memory-lanes.ts';
import { anOrder } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const hour = 3_600_000;
const failure = (code: FailureCode): Failure => ({ code, message: 'x' });

/** Through every gate, under this contract. */
function passed(profile: Partial<Profile> = {}, job: Job = jobOf(aPayoutJob())): Passage {
  return { kind: 'passed', job, credentials: someCredentials({ profile }), turn: anyTurn };
}

/** Stopped, by the gate of pauses unless it says otherwise. */
const stopped = (verdict: StopVerdict, by: Extract<Passage, { kind: 'stopped' }>['by'] = 'pause'): Passage => ({
  kind: 'stopped',
  by,
  verdict,
  job: jobOf(aPayoutJob()),
});

const roomFor = (room: bigint) => [{ name: 'acme-eu perDay EUR', counts: 1_042n, room }];

/** What a redrive of an unclaimed payout would do an hour later, unless the story says otherwise. */
function stepOf(changes: Partial<RedriveFacts>) {
  const { job = jobOf(aPayoutJob()) } = changes;
  return redriveStep({
    job,
    passage: passed({}, job),
    fingerprints: ['k1.content'],
    read: { kind: 'none' },
    isLost: false,
    dayCaps: [],
    nowMs: startMs + hour,
    ...changes,
  });
}

/** The order of the letter, after one attempt that is like this. */
function ofAttempt(changes: Partial<Attempt> = {}, fingerprint = 'k1.content'): RedriveFacts['read'] {
  const { endpointId } = jobOf(aPayoutJob());
  return found(anOrder({ orderId: 'INV-1', endpointId, fingerprint, attempt: { askable: false, ...changes } }));
}
const found = (order: Order) => ({ kind: 'found', order }) as const;
const refusal = (about: 'order' | 'account', code: FailureCode): Partial<Attempt> => ({
  answer: { kind: 'refused', about, connected: false, atMs: startMs, ...failure(code) },
});
const lapsed: Partial<Attempt> = { lapsed: failure('NO_ANSWER') };
const taken: Partial<Attempt> = { answer: { kind: 'taken', atMs: startMs } };
const waiting = ofAttempt(refusal('account', 'NOT_SENT'));
const declined = ofAttempt(refusal('order', 'GATEWAY_DECLINED'));

const moves = (kind: RedriveClass, because: string) => ({ class: kind, because, changes: true });
const stays = (kind: RedriveClass, because: string) => ({ class: kind, because, changes: false });

const paused = stopped({ kind: 'wait', because: 'paused' });

const refused = (code: FailureCode, by: 'card-data' | 'expiry' | 'contract' = 'contract') =>
  stopped({ kind: 'refuse', failure: failure(code) }, by);
const calledOff = refused('CALLED_OFF');

describe('an order that was never sent, or has ended, is sent', () => {
  it('if it was never claimed', () => {
    expect(stepOf({})).toEqual(moves('submit', 'new'));
  });

  it('where it waits to be tried again, by the reason of its refusal', () => {
    expect(stepOf({ read: waiting })).toEqual(moves('submit', 'NOT_SENT'));
  });

  it('where it has ended, under the name of that very end', () => {
    expect(stepOf({ read: declined })).toEqual({ ...moves('submit', 'GATEWAY_DECLINED'), resends: 'end-1' });
  });

  it('but where two persons released it only where it names that end itself: else it is approved anew', () => {
    const approved = jobOf(aPayoutJob({ approval: '0.' }));
    expect(stepOf({ read: declined, job: approved })).toEqual(stays('reject', 'NOT_APPROVED'));
    const retried = { ...approved, resends: 'end-1' };
    expect(stepOf({ read: declined, job: retried })).toEqual(moves('submit', 'GATEWAY_DECLINED'));
    const outdated = { ...approved, resends: 'end-0' };
    expect(stepOf({ read: declined, job: outdated })).toEqual(stays('nothing', 'GATEWAY_DECLINED'));
  });

  it('unless its batch was called off: then it ends', () => {
    expect(stepOf({ passage: calledOff })).toEqual(moves('end', 'CALLED_OFF'));
  });

  it('unless its time is over: then it ends', () => {
    for (const read of [{ kind: 'none' } as const, waiting])
      expect(stepOf({ passage: refused('EXPIRED', 'expiry'), read })).toEqual(moves('end', 'EXPIRED'));
  });

  it('unless it is refused: it would come straight back', () => {
    const passage = refused('FIELD_NOT_IN_CONTRACT');
    for (const read of [{ kind: 'none' } as const, waiting])
      expect(stepOf({ passage, read })).toEqual(stays('reject', 'FIELD_NOT_IN_CONTRACT'));
    const job = jobOf(aPayoutJob({ resends: 'end-1' }));
    expect(stepOf({ passage, read: declined, job })).toEqual(stays('reject', 'FIELD_NOT_IN_CONTRACT'));
  });

  it('unless it is refused and names no end: the result of its order is published again', () => {
    for (const passage of [refused('FIELD_NOT_IN_CONTRACT'), refused('EXPIRED', 'expiry'), calledOff])
      expect(stepOf({ passage, read: declined })).toEqual(stays('nothing', 'GATEWAY_DECLINED'));
  });

  it('unless its merchant’s secret must be mended, or made: it would wait', () => {
    const lacking = stopped({ kind: 'wait', because: failure('SECRET_INVALID') }, 'credentials');
    expect(stepOf({ passage: lacking })).toEqual(stays('wait', 'SECRET_INVALID'));
    const unknown = { kind: 'wait', because: failure('MERCHANT_UNKNOWN') } as const;
    // It comes back for a day, and is refused then (test/stories/waiting.test.ts).
    expect(stepOf({ passage: stopped(unknown, 'credentials') })).toEqual(stays('wait', 'MERCHANT_UNKNOWN'));
  });
});

describe('an order above a cap waits', () => {
  it.each([
    ['but not at exactly the cap for one order', '10.42', moves('submit', 'new')],
    ['a cent above the cap for one order', '10.41', stays('wait', 'cap')],
  ])('%s', (_, single, step) => {
    expect(stepOf({ passage: passed({ caps: { EUR: { single } } }) })).toEqual(step);
  });

  it('where the day has no room for it, to the cent', () => {
    expect(stepOf({ dayCaps: roomFor(1042n) })).toEqual(moves('submit', 'new'));
    expect(stepOf({ dayCaps: roomFor(1041n) })).toEqual(stays('wait', 'cap'));
  });

  it('but never a check, which moves no money', () => {
    expect(stepOf({ job: jobOf(anEligibilityJob()), dayCaps: [] })).toEqual(moves('submit', 'new'));
  });
});

describe('an order that was sent is told again, and nothing is written', () => {
  it.each<[string, RedriveFacts['read'], ReturnType<typeof stays>]>([
    ['paid', ofAttempt({ ...taken, reports: ['approved'] }), stays('nothing', 'paid')],
    ['accepted for good', ofAttempt(taken), stays('nothing', 'accepted')],
    ['accepted, its end to be asked for', ofAttempt({ ...taken, askable: true }), stays('inquire', 'confirming')],
    ['held in doubt', ofAttempt({ ...lapsed, overdue: true }), stays('hold', 'HELD_UNPROVEN')],
  ])('%s, whatever a gate says by now', (_, read, step) => {
    for (const passage of [passed(), paused, calledOff, refused('PLAIN_CARD_DATA', 'card-data')])
      expect(stepOf({ read, passage })).toEqual(step);
  });

  it('in doubt, where the gateway can be asked: nothing is sent', () => {
    expect(stepOf({ read: ofAttempt({ ...lapsed, askable: true }) })).toMatchObject({ class: 'inquire' });
  });

  it('of other content is refused', () => {
    for (const passage of [passed(), paused])
      expect(stepOf({ passage, read: ofAttempt(taken, 'k1.other') })).toEqual(stays('nothing', 'ORDER_ID_REUSED'));
  });
});

describe('an order whose worker never reported', () => {
  it('is asked about, or held, once its lease is over', () => {
    expect(stepOf({ read: ofAttempt({ askable: true }) })).toMatchObject({ class: 'inquire', changes: true });
  });

  it('is left to that worker while its lease runs', () => {
    const read = ofAttempt({ leaseUntilMs: startMs + hour + 1 });
    expect(stepOf({ read })).toEqual(stays('wait', 'busy'));
  });
});

it('while its merchant is paused, a letter whose order is not sent waits', () => {
  const spent = ofAttempt({ ...refusal('account', 'NOT_SENT'), cardKeyId: 'key-1' });
  for (const read of [{ kind: 'none' } as const, waiting, declined, spent])
    expect(stepOf({ passage: paused, read })).toEqual(stays('wait', 'paused'));
});

it('after a restore that may have lost its order, a letter puts the order in doubt, and nothing is sent', () => {
  expect(stepOf({ isLost: true })).toEqual(moves('hold', 'LEDGER_RESTORED'));
});

it('an order that this version can’t read sends the letter straight back', () => {
  const read = { kind: 'unreadable', reason: 'written by newer code' } as const;
  for (const passage of [passed(), paused])
    expect(stepOf({ read, passage })).toEqual(stays('reject', 'LEDGER_ENTRY_UNREADABLE'));
});
