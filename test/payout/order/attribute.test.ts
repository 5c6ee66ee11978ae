// Whose a report is: the attempt that bears the id, whichever of report and id was known first.
import { describe, expect, it } from 'vitest';
import { type Attempt, type Facts, join, ofAttempt, signOfLife } from '../../../lib/payout/order/facts.ts';
import { factsOfReport } from '../../../lib/payout/order/attribute.ts';
import { fold } from '../../../lib/payout/order/fold.ts';
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

it('a callback under an id that no attempt comes to bear stays beside those that do', () => {
  const facts = join(approved(before), ofAttempt({ ...silent, answer: { kind: 'taken', atMs: 9 }, ids: ['9003'] }));
  expect(fold(facts)).toMatchObject({ kind: 'held', reason: 'several-alive' });
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
