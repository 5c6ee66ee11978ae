// Status inquiries: the life of an order by the injected clock, and the questions that find nothing.
import { describe, expect, it } from 'vitest';
import { askStatus, formFields, post, postPayout } from './support/client.ts';
import { aClock, aGateway } from './support/story.ts';

/** The statuses that an inquiry tells, asked at these moments after the acceptance. */
async function statusesOf(orderId: string, atMs: readonly number[]): Promise<readonly (string | undefined)[]> {
  const clock = aClock();
  const gateway = await aGateway({ nowMs: clock.nowMs, timestampWindowSeconds: null });
  await postPayout(gateway, orderId);
  const statuses: (string | undefined)[] = [];
  let elapsedMs = 0;
  for (const momentMs of atMs) {
    clock.pass(momentMs - elapsedMs);
    elapsedMs = momentMs;
    statuses.push(formFields(await askStatus(gateway, orderId))['status']);
  }
  return statuses;
}

describe('the life of an accepted order', () => {
  it.each([
    ['INV-1', ['processing', 'processing', 'approved', 'approved', 'approved']],
    ['INV-1.decline', ['processing', 'processing', 'declined', 'declined', 'declined']],
    ['INV-1.filtered', ['processing', 'processing', 'filtered', 'filtered', 'filtered']],
    ['INV-1.error', ['processing', 'processing', 'error', 'error', 'error']],
    ['INV-1.processing', ['processing', 'processing', 'processing', 'processing', 'processing']],
    ['INV-1.unknown', ['processing', 'processing', 'unknown', 'unknown', 'unknown']],
    ['INV-1.unknown-then-approved', ['processing', 'unknown', 'unknown', 'approved', 'approved']],
    ['INV-1.chain-declined-then-approved', ['processing', 'chain_declined', 'chain_declined', 'approved', 'approved']],
    ['INV-1.chain-declined-then-declined', ['processing', 'chain_declined', 'chain_declined', 'declined', 'declined']],
    ['INV-1.approved-then-declined', ['processing', 'processing', 'approved', 'approved', 'declined']],
    ['INV-1.declined-then-approved', ['processing', 'processing', 'declined', 'declined', 'approved']],
  ])('%s goes through %j', async (orderId, statuses) => {
    expect(await statusesOf(orderId, [999, 1_000, 2_000, 6_000, 20_000])).toEqual(statuses);
  });
});

describe('a status reply', () => {
  it('tells an approved order in form text', async () => {
    const clock = aClock();
    const gateway = await aGateway({ nowMs: clock.nowMs, timestampWindowSeconds: null });
    await postPayout(gateway, 'INV-1');
    clock.pass(2_000);
    expect(await askStatus(gateway, 'INV-1')).toMatchObject({
      status: 200,
      text:
        'type=status-response\n&serial-number=00000000-0000-0000-0000-000000000002\n&merchant-order-id=INV-1\n' +
        '&paynet-order-id=9000001\n&status=approved\n&amount=10.42\n&currency=EUR\n&order-stage=AUTH_APPROVED\n' +
        '&approval-code=000001\n',
    });
  });

  it('tells a declined order in JSON, the order id a string this time', async () => {
    const clock = aClock();
    const gateway = await aGateway({ nowMs: clock.nowMs, timestampWindowSeconds: null });
    await postPayout(gateway, 'INV-1.decline');
    clock.pass(2_000);
    const evidence = await askStatus(gateway, 'INV-1.decline', {}, { json: true });
    expect(JSON.parse(evidence.text)).toEqual({
      type: 'status-response',
      'serial-number': '00000000-0000-0000-0000-000000000002',
      'merchant-order-id': 'INV-1.decline',
      'paynet-order-id': '9000001',
      status: 'declined',
      amount: '10.42',
      currency: 'EUR',
      'order-stage': 'AUTH_DECLINED',
      'error-message': 'Insufficient funds',
      'error-code': 28,
    });
  });

  it('can be asked for one request by its serial number', async () => {
    const gateway = await aGateway();
    const first = formFields(await postPayout(gateway, 'INV-1'));
    await postPayout(gateway, 'INV-1');
    const told = await askStatus(gateway, 'INV-1', { 'by-request-sn': first['serial-number'] ?? '' });
    expect(formFields(told)).toMatchObject({ 'paynet-order-id': '9000001' });
  });

  it('of an eligibility check comes from its own path, and the two kinds of order are apart', async () => {
    const gateway = await aGateway();
    const check = { 'client-order-id': 'SAME-ID', 'sending-card-ref-id': '7654321' };
    await post(gateway, 'v2/pan-eligibility/send/39915', check);
    const question = { login: 'acme', client_orderid: 'SAME-ID' };
    expect(formFields(await post(gateway, 'v2/pan-eligibility/status/39915', question))).toMatchObject({
      type: 'status-response',
      'paynet-order-id': '9000001',
    });
    expect(formFields(await askStatus(gateway, 'SAME-ID'))).toMatchObject({ 'error-code': '101' });
  });
});

describe('an inquiry that finds nothing', () => {
  it('is refused with 101 for an unknown order id, HTTP 200 in form text and 400 in JSON', async () => {
    const gateway = await aGateway();
    const inForm = await askStatus(gateway, 'INV-1');
    expect(inForm).toMatchObject({ status: 200 });
    expect(formFields(inForm)).toMatchObject({
      type: 'error',
      'error-code': '101',
      'error-message': 'Order not found',
    });
    expect(await askStatus(gateway, 'INV-1', {}, { json: true })).toMatchObject({ status: 400 });
  });

  it('is refused with 101 when the gateway order id belongs to another order', async () => {
    const gateway = await aGateway();
    await postPayout(gateway, 'INV-1');
    await postPayout(gateway, 'INV-2');
    expect(formFields(await askStatus(gateway, 'INV-1', { orderid: '9000002' }))).toMatchObject({
      'error-code': '101',
    });
    expect(formFields(await askStatus(gateway, 'INV-2', { orderid: '9000002' }))).toMatchObject({
      status: 'processing',
    });
  });

  it("is refused with 101 for another merchant's order", async () => {
    const gateway = await aGateway({
      merchants: [
        { login: 'acme', controlKey: '11111111-1111-1111-1111-111111111111' },
        { login: 'other', controlKey: '22222222-2222-2222-2222-222222222222' },
      ],
    });
    await postPayout(gateway, 'INV-1');
    const asOther = { login: 'other', controlKey: '22222222-2222-2222-2222-222222222222' };
    expect(formFields(await askStatus(gateway, 'INV-1', { login: 'other' }, asOther))).toMatchObject({
      'error-code': '101',
    });
  });

  it('is refused with 101 while the order is not visible yet, though it is committed', async () => {
    const clock = aClock();
    const gateway = await aGateway({
      nowMs: clock.nowMs,
      timestampWindowSeconds: null,
      statusVisibilityDelayMs: 30_000,
    });
    await postPayout(gateway, 'INV-1');
    clock.pass(29_999);
    expect(formFields(await askStatus(gateway, 'INV-1'))).toMatchObject({ 'error-code': '101' });
    clock.pass(1);
    expect(formFields(await askStatus(gateway, 'INV-1'))).toMatchObject({ status: 'approved' });
  });

  it('is refused as invalid without login or order id', async () => {
    const gateway = await aGateway();
    const withoutLogin = await post(gateway, 'v4/status/39915', { client_orderid: 'INV-1' });
    const withoutOrderId = await post(gateway, 'v4/status/39915', { login: 'acme' });
    expect(formFields(withoutLogin)).toMatchObject({ type: 'validation-error', 'error-code': '7' });
    expect(formFields(withoutOrderId)).toMatchObject({ type: 'validation-error', 'error-code': '1' });
  });
});

describe('several orders under one client order id', () => {
  it('are answered with the newest by default', async () => {
    const gateway = await aGateway();
    await postPayout(gateway, 'INV-1');
    await postPayout(gateway, 'INV-1');
    expect(formFields(await askStatus(gateway, 'INV-1'))).toMatchObject({ 'paynet-order-id': '9000002' });
  });

  it('are answered with an error where the gateway is set so, unless the gateway order id is given', async () => {
    const gateway = await aGateway({ statusOfSeveral: 'error' });
    await postPayout(gateway, 'INV-1');
    await postPayout(gateway, 'INV-1');
    expect(formFields(await askStatus(gateway, 'INV-1'))).toMatchObject({ type: 'error', 'error-code': '1' });
    expect(formFields(await askStatus(gateway, 'INV-1', { orderid: '9000001' }))).toMatchObject({
      status: 'processing',
    });
  });
});
