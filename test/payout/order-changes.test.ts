// An order that leaves an end is announced before it is written; what moves by itself costs no word.
import { expect, it } from 'vitest';
import type { LedgerEntry, OrderState } from '../../lib/payout/ledger.ts';
import { announcingLedger, type OrderChange } from '../../lib/payout/order-changes.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { createMemoryLedger } from '../support/memory-ledger.ts';

/** A ledger in which this order stands, and what is announced of it beside how it stood at that moment. */
function aLedger(entry: LedgerEntry) {
  const entries = new Map([[entry.key, entry]]);
  const announced: { change: OrderChange; stood: OrderState | undefined }[] = [];
  const announce = async (change: OrderChange) => void announced.push({ change, stood: entries.get(entry.key)?.state });
  return { ledger: announcingLedger(createMemoryLedger(entries), { announce }), announced, entries };
}

it.each<[from: OrderState, final: boolean, to: OrderState]>([
  ['failed', true, 'submitting'],
  ['approved', true, 'declined'],
  ['declined', true, 'approved'],
  ['accepted', true, 'approved'],
  ['cancelled', true, 'approved'],
  ['held', false, 'approved'],
  ['held', false, 'retryable'],
])('%s (final: %s) to %s is announced, and then written', async (from, final, to) => {
  const entry = anEntry({ batchId: 'payroll', state: from, final });
  const { ledger, announced, entries } = aLedger(entry);
  await ledger.advance(entry, { ...entry, state: to, revision: entry.revision + 1 });
  const change = { orderKey: entry.key, revision: entry.revision + 1, batchId: 'payroll' };
  expect(announced).toEqual([{ change, stood: from }]);
  expect(entries.get(entry.key)?.state).toBe(to);
});

it.each<[from: OrderState, to: OrderState]>([
  ['submitting', 'accepted'],
  ['accepted', 'approved'],
  ['in-doubt', 'held'],
  ['retryable', 'submitting'],
])('%s to %s needs no word', async (from, to) => {
  const entry = anEntry({ batchId: 'payroll', state: from, final: false });
  const { ledger, announced } = aLedger(entry);
  await ledger.advance(entry, { ...entry, state: to, revision: entry.revision + 1 });
  expect(announced).toEqual([]);
});

it('an inquiry that moves nothing needs none either', async () => {
  const entry = anEntry({ state: 'held', final: false });
  const { ledger, announced } = aLedger(entry);
  await ledger.advance(entry, { ...entry, inquiries: { count: 1, negatives: 0 } });
  expect(announced).toEqual([]);
});

it('an order of no batch is announced as well: it may be a row of one all the same', async () => {
  const { batchId: _, ...entry } = anEntry({ state: 'failed', final: true });
  const { ledger, announced } = aLedger(entry);
  await ledger.advance(entry, { ...entry, state: 'submitting', revision: entry.revision + 1 });
  expect(announced).toMatchObject([{ change: { orderKey: entry.key } }]);
  expect(announced[0]?.change).not.toHaveProperty('batchId');
});
