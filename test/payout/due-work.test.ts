// Which orders the sweeper and the operator find in the index, and when they are due.
import { describe, expect, it } from 'vitest';
import { type LedgerEntry, moves, type OrderState } from '../../lib/payout/ledger.ts';
import { looked, openWorkOf, withMark } from '../../lib/payout/due-work.ts';
import { resultOf } from '../../lib/payout/result.ts';
import { anEntry } from '../support/ledger-entries.ts';

const states = Object.keys(moves) as OrderState[];
const inState = (state: OrderState, changes: Partial<LedgerEntry> = {}) =>
  anEntry({ state, updatedAtMs: 1_000_000, leaseUntilMs: 1_100_000, final: false, ...changes });

describe('open work', () => {
  it.each<[OrderState, Partial<LedgerEntry>, ReturnType<typeof openWorkOf>]>([
    ['submitting', {}, { kind: 'submitting', atMs: 1_100_000 + 120_000 }],
    ['submitting', { dueAtMs: 5 }, { kind: 'submitting', atMs: 5 }],
    ['in-doubt', {}, { kind: 'in-doubt', atMs: 1_000_000 + 120_000 }],
    ['in-doubt', { dueAtMs: 5 }, { kind: 'in-doubt', atMs: 5 }],
    ['accepted', {}, { kind: 'accepted', atMs: 1_000_000 + 120_000 }],
    ['accepted', { dueAtMs: 5 }, { kind: 'accepted', atMs: 5 }],
    ['accepted', { overdue: true }, { kind: 'overdue', atMs: 1_000_000 + 120_000 }],
    ['accepted', { overdue: true, dueAtMs: 5 }, { kind: 'overdue', atMs: 5 }],
    ['accepted', { final: true }, undefined],
    ['held', {}, { kind: 'held', atMs: 1_000_000 }],
    ['retryable', {}, undefined],
    ['approved', { final: true }, undefined],
    ['declined', { final: true }, undefined],
    ['failed', { final: true }, undefined],
    ['cancelled', { final: true }, undefined],
  ])('%s %j', (state, changes, work) => {
    expect(openWorkOf(inState(state, changes))).toEqual(work);
  });

  it.each(states)('is an untold result first, in whatever state: %s', (state) => {
    const entry = inState(state, { unpublished: true });
    expect(openWorkOf(entry)).toEqual({ kind: 'unpublished', atMs: 1_000_000 + 120_000 });
    expect(openWorkOf({ ...entry, dueAtMs: 5 })).toEqual({ kind: 'unpublished', atMs: 5 });
  });
});

describe('a look that changed nothing', () => {
  const entry = inState('in-doubt', { history: [{ state: 'in-doubt', atMs: 1_000_000, attempts: 1, reason: 'x' }] });
  const inquiries = { count: 1, negatives: 1, firstNegativeAtMs: 2_000_000 };

  it('is followed by the sweeper two minutes after the message that should have come', () => {
    expect(looked(entry, inquiries, { nowMs: 2_000_000, inSeconds: 900 })).toEqual({
      ...entry,
      inquiries,
      dueAtMs: 2_000_000 + 900_000 + 120_000,
    });
  });

  it('is followed by the sweeper at once where SQS takes no such delay', () => {
    expect(looked(entry, inquiries, { nowMs: 2_000_000, inSeconds: 901 }).dueAtMs).toBe(2_000_000 + 901_000);
  });

  it.each(['held', 'approved', 'failed'] as const)('is followed by nobody where the order is %s', (state) => {
    const stands = inState(state);
    expect(looked(stands, inquiries, { nowMs: 2_000_000, inSeconds: 60 })).toEqual({ ...stands, inquiries });
  });

  it('is followed by the sweeper where its result is untold, whatever its state', () => {
    const untold = inState('approved', { unpublished: true });
    expect(looked(untold, inquiries, { nowMs: 2_000_000, inSeconds: 60 }).dueAtMs).toBe(2_000_000 + 180_000);
  });

  it('leaves the result of its revision as it was, to the last byte', () => {
    expect(resultOf(looked(entry, inquiries, { nowMs: 2_000_000, inSeconds: 60 }))).toEqual(resultOf(entry));
  });
});

it('the mark of an untold result is there or not, never false', () => {
  const entry = inState('approved');
  expect(withMark(entry, true)).toEqual({ ...entry, unpublished: true });
  expect(withMark(withMark(entry, true), false)).toStrictEqual(entry);
});
