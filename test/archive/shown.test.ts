// What an operator and an export are told of an order that was archived: that it was, where, and what a repeat would do.
import { expect, it } from 'vitest';
import { remainderOf } from '../../lib/archive/archive-orders.ts';
import { orderAsJson, orderAsText } from '../../lib/cli/orders/order-text.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { exportedOrder } from '../../lib/reconcile/ledger-export.ts';
import { anEntry } from '../support/ledger-entries.ts';

const archivedAs = (state: LedgerEntry['state']) =>
  remainderOf(anEntry({ orderId: 'INV-7', state, final: true, revision: 3 }), 'c2hhMjU2LW9mLWxpbmVz');

it('is where the whole order is', () => {
  const approved = archivedAs('approved');
  expect(orderAsText(approved)).toContain('Archived in orders/c2hhMjU2LW9mLWxpbmVz.jsonl.gz of the archive');
  expect(orderAsJson(approved)).toMatchObject({
    archivedIn: 'orders/c2hhMjU2LW9mLWxpbmVz.jsonl.gz',
    archivedRevision: 3,
  });
  expect(exportedOrder(approved)).toMatchObject({ archivedIn: 'orders/c2hhMjU2LW9mLWxpbmVz.jsonl.gz' });
});

it('is that late truth came after it was stored', () => {
  expect(orderAsText({ ...archivedAs('approved'), revision: 4 })).toContain('as it stood at revision 3');
});

it('is of a failed one that nothing is sent under its id any more', () => {
  expect(orderAsText(archivedAs('failed'))).toContain('to pay, take a new order id');
  expect(orderAsText(anEntry({ state: 'failed', final: true }))).toContain('sends it again');
});
