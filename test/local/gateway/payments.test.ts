// The money: every accepted send is a payment of its own, so a double payment cannot hide.
import { describe, expect, it } from 'vitest';
import { sumOfAmounts } from '../../../lib/local/gateway/payments.ts';
import { formFields, payoutFields, post, postPayout } from './support/client.ts';
import { aClock, aGateway } from './support/story.ts';

describe('payments', () => {
  it('shows a double payment when an order is sent twice', async () => {
    const gateway = await aGateway();
    await postPayout(gateway, 'INV-1');
    await postPayout(gateway, 'INV-1');
    await postPayout(gateway, 'INV-2');
    expect(gateway.orders().map((order) => order.gatewayOrderId)).toEqual(['9000001', '9000002', '9000003']);
    expect(gateway.payments()).toEqual([
      {
        login: 'acme',
        clientOrderId: 'INV-1',
        currency: 'EUR',
        acceptedCount: 2,
        acceptedAmount: '20.84',
        declinedCount: 0,
      },
      {
        login: 'acme',
        clientOrderId: 'INV-2',
        currency: 'EUR',
        acceptedCount: 1,
        acceptedAmount: '10.42',
        declinedCount: 0,
      },
    ]);
  });

  it('counts what the client never heard of', async () => {
    const gateway = await aGateway();
    await postPayout(gateway, 'INV-1.reset-after');
    await postPayout(gateway, 'INV-1.reset-after');
    expect(gateway.payments()).toMatchObject([{ acceptedCount: 2, acceptedAmount: '20.84' }]);
  });

  it('tells what was declined in the end, by the clock', async () => {
    const clock = aClock();
    const gateway = await aGateway({ nowMs: clock.nowMs, timestampWindowSeconds: null });
    await postPayout(gateway, 'INV-1.decline');
    expect(gateway.payments()).toMatchObject([{ acceptedCount: 1, declinedCount: 0 }]);
    clock.pass(2_000);
    expect(gateway.payments()).toMatchObject([{ acceptedCount: 1, acceptedAmount: '10.42', declinedCount: 1 }]);
  });

  it('keeps currencies of one order id apart', async () => {
    const gateway = await aGateway();
    await post(gateway, 'v4/payout/39915', payoutFields('INV-1', { amount: '100', currency: 'JPY' }));
    await post(gateway, 'v4/payout/39915', payoutFields('INV-1', { amount: '1.5' }));
    expect(gateway.payments()).toMatchObject([
      { currency: 'JPY', acceptedAmount: '100' },
      { currency: 'EUR', acceptedAmount: '1.5' },
    ]);
  });
});

describe('a gateway that refuses duplicates', () => {
  it('takes the first of two, at once or one after another, and says 503 to the second', async () => {
    const gateway = await aGateway({ duplicateOrderIds: 'refused' });
    const both = await Promise.all([postPayout(gateway, 'INV-1'), postPayout(gateway, 'INV-1')]);
    const types = both.map((evidence) => formFields(evidence)['type']).toSorted();
    expect(types).toEqual(['async-response', 'validation-error']);
    expect(formFields(await postPayout(gateway, 'INV-1'))).toMatchObject({ 'error-code': '503' });
    expect(gateway.payments()).toMatchObject([{ acceptedCount: 1 }]);
  });

  it('takes an order whose first send was refused before it was created', async () => {
    const gateway = await aGateway({ duplicateOrderIds: 'refused' });
    await postPayout(gateway, 'INV-1.try-later-once');
    expect(formFields(await postPayout(gateway, 'INV-1.try-later-once'))).toMatchObject({ type: 'async-response' });
  });
});

describe('sums of amounts', () => {
  it.each([
    [[], '0'],
    [['100', '1'], '101'],
    [['10.42', '10.4'], '20.82'],
    [['0.1', '0.2'], '0.3'],
    [['0.01'], '0.01'],
    [['99999999999999999999.99', '0.01'], '100000000000000000000.00'],
  ])('%j is %s, exactly', (amounts, sum) => {
    expect(sumOfAmounts(amounts)).toBe(sum);
  });
});
