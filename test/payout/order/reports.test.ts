// Whose a report is: the attempt that bears its name, and without a known name the one attempt that can be meant.
import { describe, expect, it } from 'vitest';
import { whyUndecided } from '../../../lib/payout/order/decisions.ts';
import { type Attempt, type Facts, noFacts, ofAttempt } from '../../../lib/payout/order/facts.ts';
import { fold } from '../../../lib/payout/order/fold.ts';
import { join } from '../../../lib/payout/order/join.ts';
import { recorded } from '../../../lib/payout/order/record.ts';
import { factsOfReport, type Report } from '../../../lib/payout/order/reports.ts';
import { signsOf } from '../../../lib/payout/order/signs.ts';
import { factsOfSilence } from '../../../lib/payout/order/time.ts';
import { anAttempt, anOrder } from '../../support/orders.ts';

const tooFast = {
  kind: 'refused',
  about: 'pace',
  connected: true,
  atMs: 1,
  code: 'RATE_LIMITED',
  message: '',
} as const;
const heard = (facts: Facts, report: Partial<Report> & Pick<Report, 'level'>): Facts =>
  join(facts, factsOfReport(facts, { account: 'account-1', atMs: 9, ...report }, 40));
const all = (...attempts: Attempt[]): Facts => attempts.map(ofAttempt).reduce(join, noFacts);
const outcome = (facts: Facts): string => {
  const status = fold(facts);
  return 'reason' in status ? `${status.kind} ${status.reason}` : status.kind;
};
/** One POST was refused for its pace, the next was taken under another name than callbacks bear. */
const takenAfter429 = (askable: boolean): Facts =>
  all(
    anAttempt({ id: 'a', askable, answer: tooFast }),
    anAttempt({ id: 'b', number: 2, askable, answer: { kind: 'taken', atMs: 5 }, aliases: ['55'] }),
  );

describe('after one 429, and an acceptance under an alias', () => {
  it('a callback that it was paid ends the order', () => {
    expect(outcome(heard(takenAfter429(false), { id: '9001', level: 'approved', callback: 'proven' }))).toBe(
      'approved',
    );
  });

  it('a decline by the id alone is for a person if the gateway cannot be asked whose it is', () => {
    const facts = heard(takenAfter429(false), { id: '9001', level: 'declined', callback: 'proven' });
    expect(outcome(facts)).toBe('held unclear-decline');
  });

  it('a decline that bears the alias ends it', () => {
    const facts = heard(takenAfter429(false), { id: '9001', alias: '55', level: 'declined', callback: 'proven' });
    expect(outcome(facts)).toBe('over declined');
  });

  it('a decline ends it once the account, asked long enough after the refusal, has known no such order', () => {
    const before = takenAfter429(true);
    const silence = { account: 'account-1', askedMs: 70_000, answeredMs: 70_001 };
    const asked = join(before, factsOfSilence(before, silence, { visibleAfterMs: 60_000 }));
    expect(outcome(heard(asked, { id: '9001', level: 'declined', callback: 'proven' }))).toBe('over declined');
  });
});

describe('a callback that proves too little', () => {
  const silent = ofAttempt(anAttempt({ askable: false, lapsed: { code: 'NO_ANSWER', message: '' } }));

  it.each(['doubtful', 'contradicting'] as const)(
    'as it is %s, says "paid": it approves nothing, and two persons decide that it is not so',
    (callback) => {
      const facts = heard(silent, { id: '9001', level: 'approved', callback });
      expect(outcome(facts)).not.toBe('approved');
      expect(JSON.stringify(signsOf(facts))).toContain('said-paid');
      expect(whyUndecided(facts, 'not-paid')).toBeUndefined();
    },
  );

  it('is one sign, however often it comes', () => {
    const once = heard(silent, { id: '9001', level: 'approved', callback: 'doubtful' });
    const often = Array.from({ length: 1_000 }, (_, at) => `9${at}`).reduce(
      (facts, id) => heard(facts, { id, level: 'approved', callback: 'doubtful' }),
      once,
    );
    expect(often).toEqual(once);
  });
});

it('of more transactions than an order keeps no person may say that none was paid', () => {
  const nine = Array.from({ length: 9 }, (_, at) => `900${at}`);
  const facts = nine.reduce((before, id) => heard(before, { id, level: 'seen' }), noFacts);
  expect(outcome(facts)).toBe('held several');
  expect([whyUndecided(facts, 'not-paid'), whyUndecided(facts, 'cancel')]).toEqual([
    expect.stringContaining('use a new id'),
    expect.stringContaining('use a new id'),
  ]);
});

it('what was called back before its answer is the attempt’s, once that bears the id', () => {
  const before = heard(all(anAttempt({ id: 'a' }), anAttempt({ id: 'b', number: 2 })), {
    id: '9002',
    level: 'approved',
  });
  expect(outcome(before)).toBe('held unknown-transaction');
  const answered = join(
    before,
    ofAttempt(anAttempt({ id: 'b', number: 2, answer: { kind: 'taken', atMs: 9 }, ids: ['9002'] })),
  );
  expect(fold(answered)).toMatchObject({ kind: 'approved', attempt: { id: 'b' } });
});

it('what a filter has declined while it was the only attempt stays declined when the order is sent again', () => {
  const taken = anAttempt({ answer: { kind: 'taken', atMs: 5 }, ids: ['9001'] });
  const sent = recorded(anOrder({ facts: noFacts }), ofAttempt(taken), { nowMs: 6, endId: 'e1' });
  const filtered = factsOfReport(sent.facts, { account: 'account-1', id: '9001', level: 'filtered', atMs: 9 }, 3);
  const over = recorded(sent, filtered, { nowMs: 10, endId: 'e2' });
  expect(outcome(over.facts)).toBe('over declined');
  const again = anAttempt({ id: 'b', number: over.version + 1, reopens: 'e2' });
  expect(outcome(recorded(over, ofAttempt(again), { nowMs: 11, endId: 'e3' }).facts)).toBe('sending');
});
