// A line a movement: what was paid, what came back, what was booked and never was; and the sums of a day, to the cent.
import { describe, expect, it } from 'vitest';
import { createBooks } from '../../lib/cli/reconcile/books.ts';
import type { OrderView } from '../../lib/payout/order/projection.ts';
import { movementsOf } from '../../lib/reconcile/journal.ts';
import { aView } from '../support/orders.ts';

const at = (text: string) => Date.parse(text);
const claimed = { standing: 'sending', atMs: at('2026-11-21T10:00:00Z'), attempts: 1, reason: 'claimed' } as const;
const approved = { standing: 'paid', atMs: at('2026-11-22T23:59:59Z'), attempts: 1, reason: 'status' } as const;
const paid = (changes: Partial<OrderView> = {}) =>
  aView({
    orderId: 'PAY-1',
    standing: 'paid',
    final: true,
    gatewayOrderId: '777',
    batchId: 'november',
    context: '{"payee_name":"Ann Example"}',
    history: [claimed, approved],
    updatedAtMs: at('2026-11-25T08:00:00Z'),
    ...changes,
  });
const short = (entry: OrderView) =>
  movementsOf(entry).map(({ day, movement, amount, currency }) => `${day} ${movement} ${amount} ${currency}`);

describe('what moved for an order', () => {
  it('is paid on the day on which it was known, whatever was written later', () => {
    expect(movementsOf(paid())).toEqual([
      {
        day: '2026-11-22',
        time: '2026-11-22T23:59:59.000Z',
        movement: 'paid',
        amount: '10.42',
        currency: 'EUR',
        merchant: 'acme-eu',
        order_id: 'PAY-1',
        payee_name: 'Ann Example',
        batch: 'november',
        gateway_order_id: '777',
      },
    ]);
    // An order whose history has lost that line.
    expect(short(paid({ history: [claimed] }))).toEqual(['2026-11-25 paid 10.42 EUR']);
  });

  it('is what the gateway says, where it paid another amount', () => {
    expect(short(paid({ gatewayAmount: '10.4300 EUR' }))).toEqual(['2026-11-22 paid 10.43 EUR']);
    expect(short(paid({ gatewayAmount: '1042 JPY' }))).toEqual(['2026-11-22 paid 1042 JPY']);
  });

  it('comes back on a line of its own, in whole or in part; an attempt to get it back moves nothing', () => {
    const reversal = { type: 'chargeback', status: 'approved', atMs: at('2026-11-25T08:00:00Z') };
    expect(short(paid({ reversal }))).toEqual(['2026-11-22 paid 10.42 EUR', '2026-11-25 returned -10.42 EUR']);
    expect(short(paid({ reversal: { ...reversal, amount: '3.00' } }))[1]).toBe('2026-11-25 returned -3.00 EUR');
    expect(movementsOf(paid({ reversal }))[1]).toMatchObject({ note: 'chargeback' });
    expect(short(paid({ reversal: { ...reversal, status: 'declined' } }))).toHaveLength(1);
  });

  it('is corrected on the day on which it turns out that it never was', () => {
    const entry = paid({ standing: 'declined', note: 'ada: seen in the back office' });
    expect(short(entry)).toEqual(['2026-11-22 paid 10.42 EUR', '2026-11-25 corrected -10.42 EUR']);
    expect(movementsOf(entry).map(({ note }) => note)).toEqual([undefined, 'ada: seen in the back office']);
  });

  it('is paid once more where the truth turns back: each day keeps the line that it had', () => {
    const line = (standing: 'paid' | 'declined', day: string) => ({
      ...approved,
      standing,
      atMs: at(`${day}T12:00:00Z`),
    });
    const history = [claimed, line('paid', '2026-11-22'), line('declined', '2026-11-23'), line('paid', '2026-11-24')];
    const first = ['2026-11-22 paid 10.42 EUR', '2026-11-23 corrected -10.42 EUR'];
    expect(short(paid({ history }))).toEqual([...first, '2026-11-24 paid 10.42 EUR']);
    expect(short(paid({ standing: 'declined', history: history.slice(0, -1) }))).toEqual(first);
  });
});

it('the sums of a day are those of its lines, by movement and currency, of an order that is read twice once', () => {
  const books = createBooks();
  const add = (orderId: string, minorUnits: bigint, currency: string, changes: Partial<OrderView> = {}) =>
    books.addLedger(paid({ key: `acme-eu/${orderId}`, orderId, money: { minorUnits, currency }, ...changes }));
  const reversal = (amount: string) => ({
    reversal: { type: 'chargeback', status: 'approved', amount, atMs: at('2026-11-25T08:00:00Z') },
  });
  add('A', 10n, 'EUR');
  add('A', 10n, 'EUR');
  add('B', 20n, 'EUR');
  add('C', 5n, 'JPY');
  add('D', 100n, 'EUR', { history: [claimed, { ...approved, atMs: at('2026-11-25T00:00:00Z') }], ...reversal('0.30') });
  add('E', 100n, 'EUR', reversal('0.03'));
  const days = { fromMs: at('2026-11-22T00:00:00Z'), toMs: at('2026-11-26T00:00:00Z') };
  expect(books.totals(days)).toEqual([
    { day: '2026-11-22', movement: 'paid', lines: 3, amount: '1.30', currency: 'EUR' },
    { day: '2026-11-22', movement: 'paid', lines: 1, amount: '5', currency: 'JPY' },
    { day: '2026-11-25', movement: 'paid', lines: 1, amount: '1.00', currency: 'EUR' },
    { day: '2026-11-25', movement: 'returned', lines: 2, amount: '-0.33', currency: 'EUR' },
  ]);
  const ofOneDay = [...books.movements({ ...days, toMs: at('2026-11-23T00:00:00Z') })];
  expect(ofOneDay.map((it) => it.order_id)).toEqual(['A', 'B', 'C', 'E']);
  books.close();
});
