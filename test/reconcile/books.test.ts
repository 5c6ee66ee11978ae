// What is held of an order in few bytes comes back as it was written, whichever book differs from the ledger.
import { expect, it } from 'vitest';
import { createBooks } from '../../lib/cli/reconcile/books.ts';
import { exportedOrder } from '../../lib/reconcile/ledger-export.ts';
import type { GatewayWord, ResultWord } from '../../lib/reconcile/reconcile.ts';
import { anEntry } from '../support/ledger-entries.ts';

const exported = exportedOrder(anEntry({ orderId: 'A', state: 'approved', final: true, gatewayOrderId: '777' }));
const { key } = exported;
const asLedger = { operation: 'payout', state: 'approved', final: true, revision: 1, gatewayOrderId: '777' };
const money = { amount: '10.42', currency: 'EUR' };
const paid: GatewayWord = { meaning: 'paid', status: 'approved', ...money, gatewayOrderId: '777' };
const told: ResultWord = { revision: 1, status: 'approved', final: true, ...money };

it('the words of three books that agree', () => {
  const books = createBooks();
  books.addLedger(exported);
  books.addResult(key, told);
  books.addGateway(key, paid);
  expect([...books.orders()]).toEqual([[key, { ledger: { ...asLedger, ...money }, results: [told], gateway: [paid] }]]);
});

it('words that differ from the ledger, and of orders that it does not have', () => {
  const books = createBooks();
  const other: GatewayWord = { meaning: 'unpaid', status: 'two\twords\nmore', amount: '11', currency: 'USD' };
  const withoutMoney: ResultWord = { revision: 1, status: 'cancelled', final: true };
  books.addLedger(exported);
  for (const word of [told, { ...told, amount: '10.43' }, withoutMoney]) books.addResult(key, word);
  for (const word of [paid, other, { ...paid, gatewayOrderId: '778' }]) books.addGateway(key, word);
  books.addResult('acme-eu/B', withoutMoney);
  books.addGateway('acme-eu/C', other);
  const kept = { ...other, status: 'two words more' };
  expect(Object.fromEntries(books.orders())).toEqual({
    [key]: {
      ledger: { ...asLedger, ...money },
      results: [told, { ...told, amount: '10.43' }, withoutMoney],
      gateway: [paid, kept, { ...paid, gatewayOrderId: '778' }],
    },
    'acme-eu/B': { results: [withoutMoney], gateway: [] },
    'acme-eu/C': { results: [], gateway: [kept] },
  });
});

it('of an order that was exported twice, the higher revision', () => {
  const books = createBooks();
  for (const revision of [2, 3, 1]) books.addLedger({ ...exported, revision });
  expect([...books.orders()]).toMatchObject([[key, { ledger: { revision: 3 } }]]);
});
