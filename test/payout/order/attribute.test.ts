// Whose a report is: the attempt that bears the id, whichever of report and id was known first.
import { describe, expect, it } from 'vitest';
import {
  type Attempt,
  type Facts,
  join,
  noFacts,
  ofAttempt,
  signOfLife,
  unattributedSign,
} from '../../../lib/payout/order/facts.ts';
import { factsOfReport } from '../../../lib/payout/order/attribute.ts';
import { fold, maySend } from '../../../lib/payout/order/fold.ts';
import { endOf } from '../../../lib/payout/order/next.ts';
import { viewOf } from '../../../lib/payout/order/view.ts';
import { anAttempt, anOrder } from '../../support/orders.ts';

const refused: Attempt = anAttempt({
  id: 'a',
  answer: { kind: 'refused', about: 'account', connected: true, atMs: 1, code: 'AUTHENTICATION', message: '' },
});
const silent = anAttempt({ id: 'b', number: 2 });
const taken = ofAttempt({ ...silent, answer: { kind: 'taken', atMs: 9 }, ids: ['9002'] });
const before = join(ofAttempt(refused), ofAttempt(silent));
const approved = (facts: Facts) =>
  join(facts, factsOfReport(facts, { id: '9002', level: 'approved', atMs: 8, account: 'account-1' }));

describe('a callback that approves the second of two attempts', () => {
  it('is the order’s own while no attempt bears its id', () => {
    expect(fold(approved(before))).toEqual({ kind: 'approved' });
  });

  it.each([
    ['before', join(approved(before), taken)],
    ['after', approved(join(before, taken))],
  ])('is about that attempt when it comes %s its late answer', (_, facts) => {
    expect(facts.attempts['b']).toMatchObject({ ids: ['9002'], reports: ['approved'], approvedAtMs: 8 });
    expect(fold(facts)).toEqual({ kind: 'approved', attempt: facts.attempts['b'] });
  });
});

it('what was approved under an id of its own is told under that id, not under that of an attempt that a person has released', () => {
  const said = anAttempt({ lapsed: { code: 'UNCLEAR_ANSWER', message: 'x' }, id: 'a', ids: ['9001'] });
  const released: Facts = {
    ...join(ofAttempt(said), ofAttempt(silent)),
    decisions: {
      d: {
        id: 'd',
        kind: 'not-paid',
        by: 'ann',
        reason: 'x',
        atMs: 5,
        saw: { a: signOfLife(said) },
        sawUnattributed: '',
      },
    },
  };
  const report = { id: '9002', level: 'approved', atMs: 8, account: 'account-1' } as const;
  const facts = join(released, factsOfReport(released, report, true));
  const view = viewOf({ ...anOrder(), facts });
  expect({ state: view.state, id: view.gatewayOrderId }).toEqual({ state: 'approved', id: '9002' });
  expect(view.earlierAttempts).toMatchObject([{ gatewayOrderId: '9001' }]);
});

describe('reports of orders that belong to no attempt', () => {
  const heard = (facts: Facts, id: string, level: 'seen' | 'approved' | 'reversed' | 'declined', more: object = {}) =>
    join(facts, factsOfReport(facts, { id, level, atMs: 8, account: 'account-1', ...more }, true));
  const decided = (facts: Facts, kind: 'paid' | 'not-paid'): Facts => {
    const saw = Object.fromEntries(Object.values(facts.attempts).map((it) => [it.id, signOfLife(it)]));
    const said = { id: 'd', kind, by: 'ann', reason: 'x', atMs: 9, saw, sawUnattributed: unattributedSign(facts) };
    return join(facts, { ...noFacts, decisions: { d: said } });
  };

  it('more of them than an order keeps: a person who says "not paid" covers none of them', () => {
    const nine = Array.from({ length: 9 }, (_, at) => `900${at}`);
    const many = nine.reduce((facts, id) => heard(facts, id, 'seen'), before);
    const one = decided(heard(before, '9000', 'seen'), 'not-paid');
    expect([fold(one).kind, fold(decided(many, 'not-paid')).kind]).toEqual(['ending', 'held']);
    expect(fold(heard(decided(many, 'not-paid'), '9009', 'seen')).kind).toBe('held');
    expect(fold(decided(many, 'paid')).kind).toBe('approved');
  });

  it('one that the gateway has ended is no sign that an attempt lives', () => {
    const seen = decided(heard(before, '9003', 'seen'), 'not-paid');
    expect(fold(heard(seen, '9003', 'declined')).kind).toBe('ending');
  });

  it('one that the gateway has named since the last attempt lets the order go on by its name alone, ended or not', () => {
    const last = { ...refused, askable: false };
    const ended = (attempt: Attempt) => heard(heard(ofAttempt(attempt), '9003', 'seen'), '9003', 'declined');
    expect(fold(ofAttempt(last)).kind).toBe('ready');
    expect(fold(ended(last)).kind).toBe('ending');
    const known = { ...last, foreign: ['9003 at account-1|seen'] };
    expect(fold(ended(known)).kind).toBe('ready');
    // More was heard of it, and the order was held for that.
    const more = heard(ofAttempt(known), '9003', 'seen', { amount: '9.00 EUR' });
    expect(fold(more).kind).toBe('held');
    expect(fold(heard(more, '9003', 'declined')).kind).toBe('ending');
  });
});
describe('an attempt of which an order had not heard when it was sent again by name', () => {
  const said = { code: 'NO_ANSWER', message: 'x' };
  const first = anAttempt({
    id: 'a',
    lapsed: said,
    negatives: { 'account-1': { firstMs: 1, lastMs: 9, sinceRefusal: false, denies: true } },
  });
  const end = endOf(ofAttempt(first), { id: 'end-1', number: 2, reason: 'denied', ...said }, 9);
  const second = anAttempt({
    id: 'b',
    number: 3,
    reopens: 'end-1',
    answer: { kind: 'refused', about: 'pace', connected: false, atMs: 1, code: 'NOT_SENT', message: '' },
  });
  const sentAgain = join(join(ofAttempt(first), ofAttempt(second)), { ...noFacts, ends: { 'end-1': end } });

  it('does not keep it back while nothing is heard of it', () => {
    expect(maySend(sentAgain, {})).toEqual({ kind: 'yes', reopens: 'end-1' });
  });

  it('ends it, once the gateway has had it and has declined it: nobody named that end', () => {
    const heard = join(sentAgain, ofAttempt({ ...first, ids: ['9001'], reports: ['seen'] }));
    expect(fold(heard)).toMatchObject({ kind: 'accepted' });
    const over = join(heard, ofAttempt({ ...first, ids: ['9001'], reports: ['declined'] }));
    expect(fold(over)).toMatchObject({ kind: 'ending', reason: 'declined', last: { id: 'a' } });
    expect(maySend(over, {}).kind).toBe('no');
  });
});
