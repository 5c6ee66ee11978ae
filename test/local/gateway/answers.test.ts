// What the simulated gateway answers and writes down: acceptances, refusals, the life of an order, faults on the way, and the money.
// Every accepted send is a payment of its own, so a double payment can't hide.
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { scenarioWith, type SimulatedFault } from '../../../lib/local/gateway/scenario.ts';
import { askStatus, formFields, payoutFields, post, postPayout, sendRaw } from './support/client.ts';
import { aClock, aGateway, patience } from './support/story.ts';

/** A gateway whose orders live by a clock that a story moves. */
async function aClockedGateway(options: Parameters<typeof aGateway>[0] = {}) {
  const clock = aClock();
  return { clock, gateway: await aGateway({ nowMs: clock.nowMs, timestampWindowSeconds: null, ...options }) };
}

const serial = (number: number) => `00000000-0000-0000-0000-00000000000${number}`;
const transfer = { client_orderid: 'T-1', amount: '5', currency: 'USD', 'destination-card-no': '4111111111111111' };
const card = { credit_card_number: '5555555555554444', cvv2: '987', expire_month: '1', expire_year: '2031' };

describe('an accepted payout', () => {
  it.each([
    [
      'form text, each value followed by a line feed',
      { type: 'text/html', json: false },
      `type=async-response\n&serial-number=${serial(1)}\n&merchant-order-id=%D0%A1%201%26co\n&paynet-order-id=9000001\n&end-point-id=39915\n&payout-id=9000001\n`,
    ],
    [
      'JSON where that is asked for: the order id a number, its alias a string',
      { type: 'application/vnd.pay+json', json: true },
      `{"type":"async-response","serial-number":"${serial(1)}","merchant-order-id":"С 1&co","paynet-order-id":9000001,"end-point-id":"39915","payout-id":"9000001"}`,
    ],
  ])('is told in %s', async (_, { type, json }, text) => {
    const gateway = await aGateway();
    expect(await postPayout(gateway, 'С 1&co', { json, method: 'RSA-SHA256' })).toEqual({
      kind: 'answer',
      status: 200,
      headers: expect.objectContaining({ 'content-type': `${type};charset=utf-8` }),
      text,
    });
  });

  it('is in the book without card or account data, and requests are counted, authentic or not', async () => {
    const { clock, gateway } = await aClockedGateway();
    await postPayout(gateway, ' INV-1 ');
    await postPayout(gateway, 'INV-2', { controlKey: 'wrong' });
    expect(gateway.requests()).toMatchObject({ payout: 2, transfer: 0, status: 0 });
    expect(gateway.orders()).toEqual([
      {
        gatewayOrderId: '9000001',
        serialNumber: serial(1),
        login: 'acme',
        operation: 'payout',
        clientOrderId: 'INV-1',
        amount: '10.42',
        currency: 'EUR',
        accepted: true,
        committedAtMs: clock.nowMs(),
        status: 'processing',
      },
    ]);
    await post(gateway, 'v4/transfer/39915', { ...transfer, ...card, card_printed_name: 'JANE ROE' });
    expect(gateway.orders()).toHaveLength(2);
    expect(JSON.stringify(gateway.orders())).not.toMatch(/4111111111111111|5555555555554444|987|JANE/);
  });

  it.each([
    ['v4/transfer-by-ref/39915', transfer, { 'transaction-id': '9000001' }],
    [
      'v4/transfer/group/7',
      {
        ...transfer,
        'destination-card-no': '',
        card_recurring_payment_id: '1',
        destination_card_recurring_payment_id: '2',
      },
      { 'end-point-id': 'group/7' },
    ],
    ['v4/transfer/1', { ...transfer, deposit2card: 'true' }, {}],
    ['v2/pan-eligibility/both/39915', { 'client-order-id': 'C-1', 'sending-card-ref-id': '7654321' }, {}],
  ])('so are the other operations: %s', async (path, fields, answer) => {
    const gateway = await aGateway();
    expect(formFields(await post(gateway, path, fields))).toMatchObject({ type: 'async-response', ...answer });
    expect(gateway.orders()).toHaveLength(1);
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
    const said = formFields(evidence);
    expect(said).toMatchObject({ type: 'validation-error', 'error-code': code, 'error-message': message });
    expect(said).not.toHaveProperty('paynet-order-id');
    expect(gateway.orders()).toEqual([]);
  });

  it.each([
    [{}, 'Exactly one of credit_card_number, card_recurring_payment_id is needed'],
    [{ credit_card_number: '4222222222222' }, 'Field cvv2 is missing'],
  ])('is a transfer without one source and a complete card: %j', async (more, message) => {
    const evidence = await post(await aGateway(), 'v4/transfer/1', { ...transfer, ...more });
    expect(formFields(evidence)['error-message']).toBe(message);
  });

  it('is HTTP 400 in JSON, the code a number; it may carry an order id all the same, which then is no payment', async () => {
    const gateway = await aGateway();
    expect(await postPayout(gateway, 'INV-1.validation-error', { json: true })).toMatchObject({
      status: 400,
      text: `{"type":"validation-error","serial-number":"${serial(1)}","merchant-order-id":"INV-1.validation-error","error-message":"Amount is invalid","error-code":29}`,
    });
    expect(formFields(await postPayout(gateway, 'INV-1.refused-with-id'))).toMatchObject({
      type: 'error',
      'paynet-order-id': '9000001',
    });
    expect(gateway.orders()).toMatchObject([{ accepted: false, status: 'error' }]);
  });

  it.each([
    ['POST', '/v4/refund/39915', '', 404],
    ['POST', '/v4/payout', '', 404],
    ['POST', '/v4/constructor/1', '', 404],
    ['GET', '/v4/payout/39915', '', 405],
    ['POST', '/v4/payout/39915', 'x'.repeat(65_537), 413],
  ])('%s %s that reaches no operation is answered in plain text', async (method, path, body, status) => {
    const { apiUrl } = await aGateway();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await sendRaw({ url: apiUrl + path, method, headers, body })).toMatchObject({ status });
  });
});

describe('the money', () => {
  it('shows a double payment, also of what the client never heard of; currencies stay apart', async () => {
    const gateway = await aGateway();
    for (const orderId of ['INV-1', 'INV-1', 'INV-2.reset-after', 'INV-2.reset-after'])
      await postPayout(gateway, orderId);
    await post(gateway, 'v4/payout/39915', payoutFields('INV-1', { amount: '100', currency: 'JPY' }));
    const orders = gateway.orders().map((it) => [it.clientOrderId, it.currency, it.accepted]);
    expect(orders).toEqual([
      ['INV-1', 'EUR', true],
      ['INV-1', 'EUR', true],
      ['INV-2.reset-after', 'EUR', true],
      ['INV-2.reset-after', 'EUR', true],
      ['INV-1', 'JPY', true],
    ]);
  });

  it('tells what was declined in the end, by the clock', async () => {
    const { clock, gateway } = await aClockedGateway();
    await postPayout(gateway, 'INV-1.decline');
    expect(gateway.orders()).toMatchObject([{ accepted: true, status: 'processing' }]);
    clock.pass(2_000);
    expect(gateway.orders()).toMatchObject([{ accepted: true, amount: '10.42', status: 'declined' }]);
  });

  it('moves once where duplicates are refused, at once or one after another; a refused first send is no order', async () => {
    const gateway = await aGateway({ duplicateOrderIds: 'refused' });
    const both = await Promise.all([postPayout(gateway, 'INV-1'), postPayout(gateway, 'INV-1')]);
    const types = both.map((evidence) => formFields(evidence)['type']).toSorted();
    expect(types).toEqual(['async-response', 'validation-error']);
    expect(formFields(await postPayout(gateway, 'INV-1'))).toMatchObject({ 'error-code': '503' });
    expect(gateway.orders()).toMatchObject([{ accepted: true }]);
    await postPayout(gateway, 'INV-2.try-later-once');
    expect(formFields(await postPayout(gateway, 'INV-2.try-later-once'))).toMatchObject({ type: 'async-response' });
  });
});

describe('the status of an order', () => {
  it.each([
    ['', ['processing', 'processing', 'approved', 'approved', 'approved']],
    ['.decline', ['processing', 'processing', 'declined', 'declined', 'declined']],
    ['.processing', ['processing', 'processing', 'processing', 'processing', 'processing']],
    ['.unknown-then-approved', ['processing', 'unknown', 'unknown', 'approved', 'approved']],
    ['.chain-declined-then-declined', ['processing', 'chain_declined', 'chain_declined', 'declined', 'declined']],
    ['.declined-then-approved', ['processing', 'processing', 'declined', 'declined', 'approved']],
  ])('with "%s" goes through %j', async (marker, statuses) => {
    const { clock, gateway } = await aClockedGateway();
    await postPayout(gateway, `INV-1${marker}`);
    const seen: (string | undefined)[] = [];
    for (const laterMs of [999, 1, 1_000, 4_000, 14_000]) {
      clock.pass(laterMs);
      seen.push(formFields(await askStatus(gateway, `INV-1${marker}`))['status']);
    }
    expect(seen).toEqual(statuses);
  });

  it('is told in form text, and in JSON, where the order id is a string', async () => {
    const { clock, gateway } = await aClockedGateway();
    await postPayout(gateway, 'INV-1');
    await postPayout(gateway, 'INV-1.decline');
    clock.pass(2_000);
    expect(await askStatus(gateway, 'INV-1')).toMatchObject({
      status: 200,
      text: `type=status-response\n&serial-number=${serial(3)}\n&merchant-order-id=INV-1\n&paynet-order-id=9000001\n&status=approved\n&amount=10.42\n&currency=EUR\n&order-stage=AUTH_APPROVED\n&approval-code=000001\n`,
    });
    const { text } = await askStatus(gateway, 'INV-1.decline', {}, { json: true });
    expect(JSON.parse(text)).toMatchObject({ 'paynet-order-id': '9000002', status: 'declined', 'error-code': 28 });
  });

  it('is that of the newest of several, or of the one that is named; a check has a path of its own', async () => {
    const gateway = await aGateway();
    const first = formFields(await postPayout(gateway, 'INV-1'));
    await postPayout(gateway, 'INV-1');
    await post(gateway, 'v2/pan-eligibility/send/39915', {
      'client-order-id': 'C-1',
      'sending-card-ref-id': '7654321',
    });
    const idOf = async (more: object) => formFields(await askStatus(gateway, 'INV-1', { ...more }))['paynet-order-id'];
    expect(await idOf({})).toBe('9000002');
    expect(await idOf({ orderid: '9000001' })).toBe('9000001');
    expect(await idOf({ 'by-request-sn': first['serial-number'] })).toBe('9000001');
    const asked = await post(gateway, 'v2/pan-eligibility/status/39915', { login: 'acme', client_orderid: 'C-1' });
    expect(formFields(asked)).toMatchObject({ type: 'status-response', 'paynet-order-id': '9000003' });
  });

  it.each<[what: string, orderId: string, more: object, how: object, answer: object]>([
    ['an unknown order', 'INV-9', {}, {}, { type: 'error', 'error-code': '101' }],
    ['an id of another order', 'INV-1', { orderid: '9000002' }, {}, { 'error-code': '101' }],
    ["another merchant's order", 'INV-1', { login: 'other' }, { login: 'other' }, { 'error-code': '101' }],
    ['two orders', 'TWICE', {}, {}, { type: 'error', 'error-code': '1' }],
    ['no login', 'INV-1', { login: '' }, {}, { type: 'validation-error', 'error-code': '7' }],
    ['no order id', '', {}, {}, { type: 'validation-error', 'error-code': '1' }],
  ])('is refused of %s', async (_, orderId, more, how, answer) => {
    const acme = { login: 'acme', controlKey: '11111111-1111-1111-1111-111111111111' };
    const gateway = await aGateway({ merchants: [acme, { ...acme, login: 'other' }], statusOfSeveral: 'error' });
    for (const sent of ['INV-1', 'INV-2', 'TWICE', 'TWICE']) await postPayout(gateway, sent);
    expect(formFields(await askStatus(gateway, orderId, { ...more }, how))).toMatchObject(answer);
    expect(await askStatus(gateway, orderId, { ...more }, { ...how, json: true })).toMatchObject({ status: 400 });
  });

  it('is not visible yet for as long as the gateway is set so, though the order is committed', async () => {
    const { clock, gateway } = await aClockedGateway({ statusVisibilityDelayMs: 30_000 });
    await postPayout(gateway, 'INV-1');
    clock.pass(29_999);
    expect(formFields(await askStatus(gateway, 'INV-1'))).toMatchObject({ 'error-code': '101' });
    clock.pass(1);
    expect(formFields(await askStatus(gateway, 'INV-1'))).toMatchObject({ status: 'approved' });
  });
});

const moments = [
  ['before', 0],
  ['after', 1],
] as const;
const page = (title: string) => `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
const cut = { kind: 'broken', code: 'ECONNRESET', text: '' };
const other = { type: 'async-response', 'merchant-order-id': 'ANOTHER-ORDER' };

describe.each(moments)('a fault %s the commit', (when, committed) => {
  it.each<[fault: SimulatedFault, seen: object]>([
    [{ kind: 'reset', when }, cut],
    [{ kind: 'close', when }, cut],
    [
      { kind: 'stall', when },
      { kind: 'broken', code: 'GAVE-UP', text: '' },
    ],
    [
      { kind: 'http-error', status: 409, when },
      { status: 409, text: page('409 Conflict') },
    ],
    [
      { kind: 'http-error', status: 502, when },
      { status: 502, text: page('502 Bad Gateway') },
    ],
    [{ kind: 'too-many-requests', retryAfterSeconds: 7, when }, { status: 429 }],
    [
      { kind: 'empty-200', when },
      { status: 200, text: '' },
    ],
    [
      { kind: 'html-200', when },
      { status: 200, text: page('Scheduled maintenance') },
    ],
    [
      { kind: 'truncated-body', when },
      { ...cut, text: expect.stringMatching(when === 'before' ? /^type=error\n[^]*&merc$/ : /^type=async-response\n/) },
    ],
    [
      { kind: 'json-as-html', when },
      { headers: expect.objectContaining({ 'content-type': 'text/html;charset=utf-8' }) },
    ],
  ])('%j: the client sees it, and the book has what was committed', async (fault, seen) => {
    const gateway = await aGateway({ scenario: () => scenarioWith({ fault }) });
    expect(await postPayout(gateway, 'INV-1', { patienceMs: fault.kind === 'stall' ? 200 : 5_000 })).toMatchObject(
      seen,
    );
    await expect.poll(() => gateway.orders(), patience).toHaveLength(committed);
  });

  it('is an answer that names another order', async () => {
    const gateway = await aGateway({ scenario: () => scenarioWith({ fault: { kind: 'foreign-order-id', when } }) });
    const id = when === 'before' ? '1000001' : '9000001';
    expect(formFields(await postPayout(gateway, 'INV-1'))).toMatchObject({ ...other, 'paynet-order-id': id });
    expect(gateway.orders()).toHaveLength(committed);
  });
});

describe('what comes late', () => {
  it('is committed after its client has given up: not found now proves nothing for later', async () => {
    const slow = scenarioWith({ fault: { kind: 'slow', when: 'before', latencyMs: 600 } });
    const gateway = await aGateway({ scenario: ({ operation }) => (operation === 'payout' ? slow : scenarioWith({})) });
    expect(await postPayout(gateway, 'INV-1', { patienceMs: 50 })).toMatchObject({ code: 'GAVE-UP' });
    expect(formFields(await askStatus(gateway, 'INV-1'))).toMatchObject({ 'error-code': '101' });
    await expect.poll(() => gateway.orders(), patience).toHaveLength(1);
    expect(formFields(await askStatus(gateway, 'INV-1'))).toMatchObject({ type: 'status-response' });
  });

  it('may be every answer, which is committed all the same; an inquiry meets faults as well', async () => {
    const gateway = await aGateway({ latencyMs: ({ orderId }) => (orderId === 'SLOW' ? 10_000 : 0) });
    expect(await postPayout(gateway, 'SLOW', { patienceMs: 100 })).toMatchObject({ code: 'GAVE-UP' });
    await expect.poll(() => gateway.orders(), patience).toMatchObject([{ clientOrderId: 'SLOW', accepted: true }]);
    await postPayout(gateway, 'INV-1.status-500');
    expect(await askStatus(gateway, 'INV-1.status-500')).toMatchObject({ status: 500 });
    expect(formFields(await askStatus(gateway, 'INV-1.status-500'))).toMatchObject({ status: 'processing' });
  });
});

describe('going away', () => {
  it('refuses connections while paused, ends what is under way, and comes back with its orders', async () => {
    const gateway = await aGateway({ latencyMs: ({ orderId }) => (orderId === 'INV-1' ? 200 : 0) });
    const answer = postPayout(gateway, 'INV-1');
    await expect.poll(() => gateway.orders(), patience).toHaveLength(1);
    await gateway.pause();
    expect(await postPayout(gateway, 'INV-2')).toEqual({ kind: 'broken', code: 'ECONNREFUSED', text: '' });
    expect(formFields(await answer)).toMatchObject({ type: 'async-response' });
    await gateway.resume();
    expect(formFields(await postPayout(gateway, 'INV-3'))).toMatchObject({ 'paynet-order-id': '9000002' });
  });

  it('cuts stalled clients when it closes, and can be closed twice', async () => {
    const gateway = await aGateway({ scenario: () => scenarioWith({ fault: { kind: 'stall', when: 'after' } }) });
    const answer = postPayout(gateway, 'INV-1');
    await expect.poll(() => gateway.orders(), patience).toHaveLength(1);
    await gateway.close();
    expect(await answer).toMatchObject({ kind: 'broken', code: 'ECONNRESET' });
    await gateway.close();
  });

  it('a client that leaves in the middle of its body leaves no order and no error behind', async () => {
    const gateway = await aGateway();
    const headers = { 'content-length': '1000' };
    const call = request(`${gateway.apiUrl}/v4/payout/39915`, { method: 'POST', headers });
    await new Promise<void>((resolve) => {
      call.on('error', () => resolve());
      call.write('half', () => call.destroy(new Error('left')));
    });
    expect(formFields(await postPayout(gateway, 'INV-1'))['type']).toBe('async-response');
    expect(gateway.orders()).toHaveLength(1);
  });
});
