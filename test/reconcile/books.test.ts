// What is written of an order comes back under its key, whichever book has it, in whatever order it came.
import { expect, it } from 'vitest';
import { createBooks } from '../../lib/cli/reconcile/books.ts';
import type { GatewayRecord, LedgerRecord, ResultRecord } from '../../lib/reconcile/reconcile.ts';

const money = { amount: '10.42', currency: 'EUR' };
const ledger: LedgerRecord = {
  state: 'approved',
  moneyState: 'approved',
  final: true,
  revision: 1,
  attempts: 1,
  gatewayOrderId: '20261123000000012345',
  at: '2026-11-21T10:00:00.000Z',
  ...money,
};
const paid: GatewayRecord = { meaning: 'paid', status: 'approved', ...money, gatewayOrderId: '20261123000000012345' };
const told: ResultRecord = { revision: 1, status: 'approved', final: true, ...money };

it('the words of an order stand together, each order once, by its key', () => {
  const books = createBooks();
  const other: GatewayRecord = { meaning: 'unpaid', status: 'two\twords\nmore', amount: '11', currency: 'USD' };
  books.addGateway('acme-eu/C', other);
  books.addLedger('acme-eu/A', ledger);
  for (const word of [told, { ...told, amount: '10.43' }]) books.addResult('acme-eu/A', word);
  books.addResult('acme-eu/B', told);
  for (const word of [paid, other]) books.addGateway('acme-eu/A', word);
  expect([...books.orders()]).toEqual([
    ['acme-eu/A', { ledger, results: [told, { ...told, amount: '10.43' }], gateway: [paid, other] }],
    ['acme-eu/B', { results: [told], gateway: [] }],
    ['acme-eu/C', { results: [], gateway: [other] }],
  ]);
  books.close();
});

it('of an order that was exported twice, the higher revision', () => {
  const books = createBooks();
  for (const revision of [2, 3, 1]) books.addLedger('acme-eu/A', { ...ledger, revision });
  expect([...books.orders()]).toMatchObject([['acme-eu/A', { ledger: { revision: 3 } }]]);
  books.close();
});

it('none of which anything was written', () => {
  const books = createBooks();
  expect([...books.orders()]).toEqual([]);
  books.close();
});

it('an order of a thousand lines and more is none: the column of order ids is another', () => {
  const books = createBooks();
  for (let at = 0; at < 1_001; at += 1) books.addGateway('acme-eu/EUR', paid);
  expect(() => [...books.orders()]).toThrow('is the column of order ids the right one?');
  books.close();
});
