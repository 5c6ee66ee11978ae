// Which orders the sweeper and the operator find in the index, and when they are due.
import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../../lib/payout/order/facts.ts';
import { askedAbout, leftToAsk, measuredOf, openWorkOf } from '../../../lib/payout/order/open-work.ts';
import type { Order } from '../../../lib/payout/order/order.ts';
import { anAttempt, anOrder } from '../../support/orders.ts';
import { startMs } from '../../support/time-and-chance.ts';

const taken: Partial<Attempt> = { answer: { kind: 'taken', atMs: startMs }, ids: ['9'] };
const refusal = { kind: 'refused', connected: true, atMs: startMs, code: 'X', message: 'no' } as const;
const lapsed = { code: 'NO_ANSWER', message: 'reset' };
const question = (attempt: string) => ({ attempt, account: 'account' });
const questions = [question('attempt-1'), question('a-2')] as const;
const soon = startMs + 120_000;
const afterLease = startMs + 100_000 + 60_000;

/** An order after this attempt, its result published. */
function published(attempt: Partial<Attempt>, changes: Partial<Order> = {}): Order {
  const { unpublished: _, ...order } = anOrder({ attempt });
  return { ...order, ...changes };
}

describe('open work', () => {
  it.each<[string, Partial<Attempt>, Partial<Order>, ReturnType<typeof openWorkOf>]>([
    ['under its lease', {}, {}, { kind: 'submitting', atMs: afterLease }],
    ['under its lease, set moving', {}, { dueAtMs: 5 }, { kind: 'submitting', atMs: 5 }],
    [
      'refused, before its look',
      { answer: { ...refusal, about: 'pace' } },
      {},
      { kind: 'submitting', atMs: startMs + 600_000 },
    ],
    ['in doubt', { lapsed }, {}, { kind: 'in-doubt', atMs: startMs + 5_000 }],
    ['in doubt, looked at', { lapsed }, { dueAtMs: 5 }, { kind: 'in-doubt', atMs: 5 }],
    ['accepted', taken, {}, { kind: 'accepted', atMs: startMs + 5_000 }],
    ['accepted, looked at', taken, { dueAtMs: 5 }, { kind: 'accepted', atMs: 5 }],
    ['accepted for too long', { ...taken, overdue: true }, {}, { kind: 'overdue', atMs: soon }],
    ['accepted, and cannot be asked about', { ...taken, askable: false }, {}, undefined],
    ['held', { lapsed, overdue: true }, {}, { kind: 'held', atMs: startMs }],
    [
      'to be sent again, if no message brings it',
      { askable: false, answer: { ...refusal, about: 'pace' } },
      {},
      { kind: 'submitting', atMs: startMs + 100_000 + 15 * 86_400_000 },
    ],
    ['approved', { ...taken, reports: ['approved'] }, {}, undefined],
    ['declined', { answer: { ...refusal, about: 'order' } }, {}, undefined],
  ])('%s', (_, attempt, changes, work) => {
    expect(openWorkOf(published(attempt, changes))).toEqual(work);
  });

  it.each<[Partial<Attempt>, ReturnType<typeof openWorkOf>]>([
    [taken, { kind: 'accepted', atMs: startMs + 5_000 }],
    [{ lapsed }, { kind: 'in-doubt', atMs: startMs + 5_000 }],
    [
      { lapsed, overdue: true },
      { kind: 'unpublished', atMs: soon },
    ],
    [
      { ...taken, reports: ['approved'] },
      { kind: 'submitting', atMs: afterLease },
    ],
  ])('is an unpublished result: %j', (attempt, work) => {
    const order = published(attempt, { unpublished: true });
    expect(openWorkOf(order)).toEqual(work);
    expect(openWorkOf({ ...order, dueAtMs: 5 })).toEqual({ ...work, atMs: 5 });
  });

  it('is a question that a callback has raised, though the order has ended', () => {
    const order = published({ ...taken, reports: ['approved'] }, { asks: questions, dueAtMs: 5 });
    expect(openWorkOf(order)).toEqual({ kind: 'unpublished', atMs: 5 });
  });
});

describe('a question', () => {
  const order = published({ lapsed });
  const [first, second] = questions;
  const about = (asked = first, isAnswered = true) => ({ asked, isAnswered, nowMs: startMs, inSeconds: 900 });

  it('is counted, and the next one is due', () => {
    expect(askedAbout(order, about())).toEqual({ ...order, looks: 1, dueAtMs: startMs + 900_000 });
  });

  it('that a person waits for is answered once each of them is', () => {
    const half = askedAbout({ ...order, asks: questions }, about());
    expect(half).toEqual({ ...order, looks: 1, asks: [second], dueAtMs: startMs + 5_000 });
    const whole = { ...order, looks: 2, lookedAtMs: startMs, dueAtMs: startMs + 900_000 };
    expect(askedAbout(half, about(second))).toEqual(whole);
  });

  it('that got no answer keeps no other from being put', () => {
    const half = askedAbout({ ...order, asks: questions }, about(first, false));
    const tried = { ...first, tried: true };
    expect(half).toEqual({ ...order, looks: 1, asks: [tried, second], dueAtMs: startMs + 5_000 });
    expect(leftToAsk({ ...half, facts: { ...order.facts, attempts: { 'a-2': anAttempt() } } })).toEqual(second);
    expect(askedAbout(half, about(second))).toEqual({ ...order, looks: 2, asks: [tried], dueAtMs: startMs + 900_000 });
  });
});

describe('what is measured', () => {
  const money = { currency: 'EUR', minorUnits: 1042n };
  it.each<[string, Partial<Attempt>, ReturnType<typeof measuredOf>]>([
    ['in doubt', { lapsed }, { state: 'in-doubt', sinceMs: startMs, money }],
    ['held', { lapsed, overdue: true }, { state: 'held', sinceMs: startMs, money }],
    ['accepted for too long', { ...taken, overdue: true }, { state: 'overdue', sinceMs: startMs, money }],
    [
      'held for card data, and never sent',
      { askable: false, answer: { ...refusal, about: 'pace' }, cardKeyId: 'key-1' },
      { state: 'held', sinceMs: startMs, money, unsent: true },
    ],
    ['under its lease', {}, undefined],
    ['accepted', taken, undefined],
    ['approved', { ...taken, reports: ['approved'] }, undefined],
  ])('of an order that is %s', (_, attempt, measured) => {
    expect(measuredOf(published(attempt))).toEqual(measured);
  });
});
