// The gateway's report: which column says what, and what its words mean.
import { describe, expect, it } from 'vitest';
import { meaningOfStatus, reportHeader } from '../../lib/gateway/gateway-report.ts';

const read = (titles: readonly string[], maps: Readonly<Record<string, string>> = {}, hasMerchant = true) =>
  reportHeader(titles, { maps: new Map(Object.entries(maps)), hasMerchant });

describe('the header', () => {
  it.each<[readonly string[]]>([
    [['client_orderid', 'orderid', 'amount', 'currency', 'status']],
    [['Client Order ID', 'PAYNET-ORDER-ID', 'Order amount', 'CCY', 'Order status']],
    [['merchant_order', 'Gateway order id', 'Sum', 'Currency code', 'State']],
  ])('%j is understood', (titles) => {
    expect(read(titles)).toEqual({
      kind: 'columns',
      places: { orderId: 0, gatewayOrderId: 1, amount: 2, currency: 3, status: 4 },
    });
  });

  it('may have other columns, and no ids of the gateway', () => {
    const titles = ['Date', 'status', 'Amount', 'currency', 'bin', 'client-order-id', 'merchant'];
    expect(read(titles, {}, false)).toEqual({
      kind: 'columns',
      places: { status: 1, amount: 2, currency: 3, orderId: 5, merchant: 6 },
    });
  });

  it('goes by what is said, over what is guessed', () => {
    const titles = ['client_orderid', 'Bestellung', 'amount', 'currency', 'status'];
    expect(read(titles, { Bestellung: 'orderId' })).toMatchObject({ places: { orderId: 1 } });
  });

  it('is refused with all that is missing, double or mistyped', () => {
    expect(read(['amount', 'Sum', 'Bestellung'], { Nummer: 'orderId', Bestellung: 'order' }, false)).toEqual({
      kind: 'refused',
      faults: [
        '--map names the column "Nummer", which it does not have',
        '--map "Bestellung=order": write one of orderId, gatewayOrderId, amount, currency, status, merchant',
        'two columns say the amount; say --map "<column>=amount"',
        'no column says the orderId; say --map "<column>=orderId"',
        'no column says the currency; say --map "<column>=currency"',
        'no column says the status; say --map "<column>=status"',
        'no column says the merchant; say --merchant, or say --map "<column>=merchant"',
      ],
    });
  });
});

describe('a status', () => {
  it.each([
    ['approved', 'paid'],
    [' Approved ', 'paid'],
    ['DECLINED', 'unpaid'],
    ['error', 'unpaid'],
    ['filtered', 'unpaid'],
    ['processing', 'under-way'],
    ['unknown', 'under-way'],
    ['chain_declined', 'under-way'],
    ['something new', 'under-way'],
  ])('%j means %s', (status, meaning) => {
    expect(meaningOfStatus(status, new Map())).toBe(meaning);
  });

  it('means what was said of it', () => {
    const said = new Map([
      ['reversal', 'ignore'],
      ['approved', 'under-way'],
    ] as const);
    expect(meaningOfStatus('Reversal', said)).toBe('ignore');
    expect(meaningOfStatus('approved', said)).toBe('under-way');
  });
});
