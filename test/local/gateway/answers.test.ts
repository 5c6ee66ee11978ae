// What the simulated gateway answers and writes down: acceptances, refusals, the life of an order, faults on the way, and the money.
// Every accepted send is a payment of its own, so a double payment can't hide.
import { describe, expect, it } from 'vitest';
import { scenarioWith, type SimulatedFault } from '../../../lib/local/gateway/scenario.ts';
import { askStatus, formFields, payoutFields, post, postPayout } from './support/client.ts';
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
});

describe('a refused request', () => {
  it.each([
    ['no order id', { 'client-order-id': '' }, '1', 'Field client_orderid is missing'],
    ['two different order ids', { client_orderid: 'OTHER' }, '1', 'client_orderid and client-order-id differ'],
    ['an order id that is too long', { 'client-order-id': 'x'.repeat(129) }, '1', 'Field client_orderid is too long'],
    ['an amount with a comma', { amount: '10,42' }, '29', 'Field amount is invalid'],
    ['an amount of nothing', { amount: '0.00' }, '29', 'Field amount is invalid'],
  ])('with %s creates nothing and says why', async (_why, changes, code, message) => {
    const gateway = await aGateway();
    const evidence = await post(gateway, 'v4/payout/39915', payoutFields('INV-1', changes));
    const said = formFields(evidence);
    expect(said).toMatchObject({ type: 'validation-error', 'error-code': code, 'error-message': message });
    expect(said).not.toHaveProperty('paynet-order-id');
    expect(gateway.orders()).toEqual([]);
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
});
