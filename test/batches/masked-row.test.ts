// Rows that are written down beside their faults: usable again, and without card data.
import { expect, it } from 'vitest';
import { maskedCells, maskedMessage } from '../../lib/batches/bulk-columns.ts';
import { testCards } from '../support/jobs.ts';

const [card = ''] = Object.values(testCards);

it('cells of card columns are masked, and a card number in any other cell; the rest stays', () => {
  const columns = [
    { title: 'order_id', path: 'orderId' },
    { title: 'card', path: 'params.credit_card_number' },
    { title: 'cvv', path: 'params.cvv2' },
    { title: 'year', path: 'params.expire_year' },
    { title: 'iban', path: 'params.account_number' },
    { title: 'note' },
  ];
  const cells = ['INV-1', card, '123', '2030', 'DE89370400440532013000', `paid by ${card}`];
  expect(maskedCells(cells, columns)).toEqual([
    'INV-1',
    `***${card.slice(-4)}`,
    '***',
    '***',
    'DE89370400440532013000',
    'paid by ***',
  ]);
  expect(maskedCells(['INV-1'], columns)).toEqual(['INV-1', '', '', '', '', '']);
  expect(maskedCells(undefined, columns)).toEqual(['', '', '', '', '', '']);
});

it('a long card number shows its last four digits alone', () => {
  const columns = [{ title: 'card', path: 'params.credit_card_number' }] as const;
  expect(maskedCells(['4111 1111 1111 1111 110'], columns)).toEqual(['***1110']);
});

it('a short card number shows nothing of itself', () => {
  expect(maskedCells(['4111111'], [{ title: '1', path: 'params.credit_card_number' }])).toEqual(['***']);
});

it('messages are masked at any depth', () => {
  const params = { amount: '1', cvv2: '123', credit_card_number: card, order_desc: `card ${card}` };
  expect(maskedMessage({ orderId: 'INV-1', params, context: { list: [card, 7, true, null] } })).toEqual({
    orderId: 'INV-1',
    params: { amount: '1', cvv2: '***', credit_card_number: `***${card.slice(-4)}`, order_desc: 'card ***' },
    context: { list: ['***', '7', true, null] },
  });
  expect(maskedMessage(undefined)).toEqual({});
});
