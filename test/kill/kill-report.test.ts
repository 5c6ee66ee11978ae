// The books of a kill run: what is told, to be told, waits, or is a dead letter counts as such; only the rest is lost.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aView } from '../support/orders.ts';
import { booksOf } from './kill-report.ts';
import { resultOf } from '../../lib/payout/order/projection.ts';

const sent = ['INV-1', 'INV-2', 'INV-3'].map((orderId, at) => ({
  line: at + 1,
  messageId: `m-${at + 1}`,
  body: JSON.stringify(aPayoutJob({ orderId })),
}));
const nothing = { sent, results: [], deadLetterMessageIds: [] };
const left = { untold: [], waiting: new Set<string>() };

it('given orders of which nothing is left anywhere, then each is lost, and the books do not close', () => {
  const books = booksOf(nothing, [], left);
  expect([books.endings.missing, books.agree]).toEqual([3, false]);
});

it('given one to be told, one that waits and a dead letter, then none is lost', () => {
  const untold = resultOf(
    aView({ key: 'acme-eu/INV-1', orderId: 'INV-1', state: 'declined', final: true, revision: 1 }),
  );
  const books = booksOf({ ...nothing, deadLetterMessageIds: ['m-3'] }, [], {
    untold: untold ? [untold] : [],
    waiting: new Set(['acme-eu/INV-2']),
  });
  expect(books.endings).toMatchObject({ declined: 1, waiting: 1, 'dead letter only': 1, missing: 0 });
  expect(books.agree).toBe(true);
});

it('given a payment of an order whose message may carry the answer, then it is no lie; twice paid it is one all the same', () => {
  const paid = { merchant: 'acme-eu', orderId: 'INV-2', currency: 'EUR', count: 1, amount: '10.42' };
  const waits = { ...left, waiting: new Set(['acme-eu/INV-1', 'acme-eu/INV-2', 'acme-eu/INV-3']) };
  expect(booksOf(nothing, [paid], waits).agree).toBe(true);
  expect(booksOf(nothing, [{ ...paid, count: 2 }], waits).paidTwice).toEqual(['acme-eu/INV-2']);
  expect(booksOf(nothing, [paid], left).agree).toBe(false);
});
