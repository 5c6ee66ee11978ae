// The gateway's report: which column says what, and what its words mean.
import { describe, expect, it } from 'vitest';
import { meaningOfLine, reportHeader } from '../../lib/gateway/gateway-report.ts';

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

  it('is refused with all that is missing, double or mistyped', () => {
    expect(read(['amount', 'Sum', 'Bestellung'], { Nummer: 'orderId', Bestellung: 'order' }, false)).toEqual({
      kind: 'refused',
      faults: [
        '--map names the column "Nummer", which it does not have',
        '--map "Bestellung=order": write one of orderId, gatewayOrderId, amount, currency, status, merchant, date, type',
        'two columns hold the amount; choose one with --map "<column>=amount"',
        'no column holds the orderId; add --map "<column>=orderId"',
        'no column holds the currency; add --map "<column>=currency"',
        'no column holds the status; add --map "<column>=status"',
        'no column holds the merchant; add --merchant or --map "<column>=merchant"',
      ],
    });
  });
});

describe('a line', () => {
  const meaning = (status: string, type = '') => meaningOfLine({ status, type }, new Map());

  it.each([
    ['approved', 'paid'],
    [' Approved ', 'paid'],
    ['DECLINED', 'unpaid'],
    // The gateway's own papers contradict each other about it, so that it proves nothing.
    ['error', 'unproven'],
    ['filtered', 'filtered'],
    ['processing', 'under-way'],
    ['unknown', 'under-way'],
    ['chain_declined', 'under-way'],
    ['something new', 'under-way'],
  ])('of the status %j means %s', (status, expected) => {
    expect(meaning(status)).toBe(expected);
    expect(meaning(status, 'payout')).toBe(expected);
  });

  it.each([
    ['reversal', 'approved', 'reversed'],
    ['Partial_Reversal', 'approved', 'reversed'],
    ['chargeback', 'processing', 'ignore'],
    ['reversal', 'declined', 'ignore'],
    ['dispute', 'approved', 'ignore'],
    ['pan-eligibility', 'approved', 'ignore'],
    ['transfer', 'approved', 'paid'],
    ['sale', 'approved', 'ignore'],
    ['Preauth', 'declined', 'ignore'],
    ['account_verification', 'approved', 'ignore'],
    ['bonus', 'approved', 'unknown-type'],
  ])('of the type %j that is %s means %s: only what is approved has undone a payment', (type, status, expected) => {
    expect(meaning(status, type)).toBe(expected);
  });

  it('means what was said of its words', () => {
    const said = new Map([
      ['storno', 'reversed'],
      ['approved', 'under-way'],
      ['fee', 'ignore'],
    ] as const);
    expect(meaningOfLine({ status: 'Storno', type: '' }, said)).toBe('reversed');
    expect(meaningOfLine({ status: 'approved', type: '' }, said)).toBe('under-way');
    expect(meaningOfLine({ status: 'anything', type: 'Fee' }, said)).toBe('ignore');
    const payments = new Map([['card_payment', 'paid']] as const);
    expect(meaningOfLine({ status: 'approved', type: 'Card_Payment' }, payments)).toBe('paid');
    expect(meaningOfLine({ status: 'declined', type: 'card_payment' }, payments)).toBe('unpaid');
  });
});
