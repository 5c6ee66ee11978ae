// What the gateway answers when nothing goes wrong on the way: acceptance, refusals, formats, paths and limits.
import { describe, expect, it } from 'vitest';
import { formFields, payoutFields, post, postPayout, sendRaw } from './support/client.ts';
import { aGateway } from './support/story.ts';

describe('an accepted payout', () => {
  it('is told in form text, each value followed by a line feed', async () => {
    const gateway = await aGateway();
    const evidence = await postPayout(gateway, 'INV 1&co');
    expect(evidence).toMatchObject({
      kind: 'answer',
      status: 200,
      headers: { 'content-type': 'text/html;charset=utf-8' },
      text:
        'type=async-response\n&serial-number=00000000-0000-0000-0000-000000000001\n&merchant-order-id=INV%201%26co\n' +
        '&paynet-order-id=9000001\n&end-point-id=39915\n&payout-id=9000001\n',
    });
  });

  it('is told in JSON when the own media type is accepted: the order id a number, its alias a string', async () => {
    const gateway = await aGateway();
    const evidence = await postPayout(gateway, 'INV-1', { json: true });
    expect(evidence).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/vnd.pay+json;charset=utf-8' },
      text:
        '{"type":"async-response","serial-number":"00000000-0000-0000-0000-000000000001","merchant-order-id":"INV-1",' +
        '"paynet-order-id":9000001,"end-point-id":"39915","payout-id":"9000001"}',
    });
  });

  it('stands in the book of orders, without card or account data', async () => {
    const gateway = await aGateway({ nowMs: () => 1_700_000_000_000 });
    await postPayout(gateway, 'INV-1', { timestampSeconds: 1_700_000_000 });
    expect(gateway.orders()).toEqual([
      {
        gatewayOrderId: '9000001',
        serialNumber: '00000000-0000-0000-0000-000000000001',
        login: 'acme',
        operation: 'payout',
        clientOrderId: 'INV-1',
        amount: '10.42',
        currency: 'EUR',
        accepted: true,
        committedAtMs: 1_700_000_000_000,
        status: 'processing',
      },
    ]);
  });

  it('keeps Cyrillic through signature, book and reply', async () => {
    const gateway = await aGateway();
    const evidence = await postPayout(gateway, 'СЧЁТ-1', { method: 'RSA-SHA256' });
    expect(formFields(evidence)).toMatchObject({ type: 'async-response', 'merchant-order-id': 'СЧЁТ-1' });
    expect(gateway.orders()[0]?.clientOrderId).toBe('СЧЁТ-1');
  });
});

describe('the other operations', () => {
  it('answers transfer-by-ref with a transaction-id', async () => {
    const gateway = await aGateway();
    const fields = { client_orderid: 'T-1', amount: '5', currency: 'USD', 'destination-card-no': '4111111111111111' };
    expect(formFields(await post(gateway, 'v4/transfer-by-ref/39915', fields))).toMatchObject({
      type: 'async-response',
      'paynet-order-id': '9000001',
      'transaction-id': '9000001',
    });
  });

  it('takes a transfer between stored cards, through an endpoint group', async () => {
    const gateway = await aGateway();
    const evidence = await post(gateway, 'v4/transfer/group/7', {
      client_orderid: 'T-1',
      amount: '5.00',
      currency: 'USD',
      card_recurring_payment_id: '11',
      destination_card_recurring_payment_id: '12',
    });
    expect(formFields(evidence)).toMatchObject({ type: 'async-response', 'end-point-id': 'group/7' });
  });

  it.each(['send', 'receive', 'both'])('takes an eligibility check of kind %s, which is no payment', async (checks) => {
    const gateway = await aGateway();
    const fields = { 'client-order-id': 'C-1', 'sending-card-ref-id': '7654321' };
    expect(formFields(await post(gateway, `v2/pan-eligibility/${checks}/39915`, fields))).toMatchObject({
      type: 'async-response',
      'merchant-order-id': 'C-1',
    });
    expect(gateway.orders()).toHaveLength(1);
    expect(gateway.payments()).toEqual([]);
  });

  it('counts requests per operation, authentic or not', async () => {
    const gateway = await aGateway();
    await postPayout(gateway, 'INV-1');
    await postPayout(gateway, 'INV-2', { controlKey: 'wrong' });
    expect(gateway.requests()).toMatchObject({ payout: 2, transfer: 0, status: 0 });
  });
});

describe('a refused request', () => {
  it.each([
    ['no order id', { 'client-order-id': '' }, '1', 'Field client_orderid is missing'],
    ['two different order ids', { client_orderid: 'OTHER' }, '1', 'client_orderid and client-order-id differ'],
    ['an order id that is too long', { 'client-order-id': 'x'.repeat(129) }, '1', 'Field client_orderid is too long'],
    ['no amount', { amount: ' ' }, '1', 'Field amount is missing'],
    ['an amount with a comma', { amount: '10,42' }, '29', 'Field amount is invalid'],
    ['an amount of nothing', { amount: '0.00' }, '29', 'Field amount is invalid'],
    ['an amount of eleven characters', { amount: '12345678.90' }, '29', 'Field amount is invalid'],
    ['a currency in lower case', { currency: 'eur' }, '20', 'Field currency is invalid'],
    ['a description of 65 characters', { order_desc: 'x'.repeat(65) }, '1', 'Field order_desc is invalid'],
    ['a callback URL that is none', { server_callback_url: 'ftp://x' }, '123', 'Field server_callback_url is invalid'],
  ])('with %s creates nothing and says why', async (_why, changes, code, message) => {
    const gateway = await aGateway();
    const evidence = await post(gateway, 'v4/payout/39915', payoutFields('INV-1', changes));
    expect(evidence).toMatchObject({ status: 200 });
    expect(formFields(evidence)).toMatchObject({
      type: 'validation-error',
      'error-code': code,
      'error-message': message,
    });
    expect(formFields(evidence)).not.toHaveProperty('paynet-order-id');
    expect(gateway.orders()).toEqual([]);
  });

  it('is HTTP 400 in JSON, the code a number', async () => {
    const gateway = await aGateway();
    const evidence = await postPayout(gateway, 'INV-1.validation-error', { json: true });
    expect(evidence).toMatchObject({ status: 400 });
    expect(evidence.text).toBe(
      '{"type":"validation-error","serial-number":"00000000-0000-0000-0000-000000000001",' +
        '"merchant-order-id":"INV-1.validation-error","error-message":"Amount is invalid","error-code":29}',
    );
  });

  it('may carry an order id all the same, which then is no payment', async () => {
    const gateway = await aGateway();
    expect(formFields(await postPayout(gateway, 'INV-1.refused-with-id'))).toMatchObject({
      type: 'error',
      'paynet-order-id': '9000001',
    });
    expect(gateway.orders()).toMatchObject([{ accepted: false, status: 'error' }]);
    expect(gateway.payments()).toEqual([]);
  });

  it('takes a transfer only with exactly one source and a complete card', async () => {
    const gateway = await aGateway();
    const transfer = { client_orderid: 'T-1', amount: '5', currency: 'USD', 'destination-card-no': '4111111111111111' };
    const noSource = await post(gateway, 'v4/transfer/1', transfer);
    const noCvv = await post(gateway, 'v4/transfer/1', { ...transfer, credit_card_number: '4222222222222' });
    const deposit = await post(gateway, 'v4/transfer/1', { ...transfer, deposit2card: 'true' });
    expect(formFields(noSource)['error-message']).toBe(
      'Exactly one of credit_card_number, card_recurring_payment_id is needed',
    );
    expect(formFields(noCvv)['error-message']).toBe('Field cvv2 is missing');
    expect(formFields(deposit)['type']).toBe('async-response');
  });

  it('cuts spaces around values after the signature is checked', async () => {
    const gateway = await aGateway();
    await post(gateway, 'v4/payout/39915', payoutFields(' INV-1 ', { amount: ' 10.42 ' }));
    expect(gateway.orders()).toMatchObject([{ clientOrderId: 'INV-1', amount: '10.42' }]);
  });
});

describe('requests that reach no operation', () => {
  it.each([
    ['POST', '/paynet/api/v4/refund/39915', 404],
    ['POST', '/paynet/api/v4/payout', 404],
    ['POST', '/paynet/api/v4/constructor/1', 404],
    ['POST', '/elsewhere', 404],
    ['GET', '/paynet/api/v4/payout/39915', 405],
    ['PUT', '/paynet/api/v4/payout/39915', 405],
  ])('%s %s is answered %i in plain text', async (method, path, status) => {
    const gateway = await aGateway();
    const evidence = await sendRaw({ url: gateway.url + path, method, headers: {}, body: '' });
    expect(evidence).toMatchObject({ status, headers: { 'content-type': 'text/plain;charset=utf-8' } });
  });

  it('answers 413 to a body over 64 KB and keeps working', async () => {
    const gateway = await aGateway();
    const url = `${gateway.apiUrl}/v4/payout/39915`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await sendRaw({ url, headers, body: 'x'.repeat(65_537) })).toMatchObject({ status: 413 });
    expect(formFields(await postPayout(gateway, 'INV-1'))['type']).toBe('async-response');
  });
});
