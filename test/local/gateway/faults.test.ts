// Each fault over a real socket, before and after the order is committed: what the client sees, what the book says.
import { describe, expect, it } from 'vitest';
import { scenarioWith } from '../../../lib/local/gateway/scenario.ts';
import type { SimulatedFault } from '../../../lib/local/gateway/scenario.ts';
import { askStatus, formFields, postPayout } from './support/client.ts';
import { aGateway, patience } from './support/story.ts';

const moments = [
  { when: 'before', ordersCommitted: 0 },
  { when: 'after', ordersCommitted: 1 },
] as const;

const scenario = (fault: SimulatedFault) => () => scenarioWith({ fault });

describe.each(moments)('$when the commit', ({ when, ordersCommitted }) => {
  it('reset: the client is cut off with a RST', async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'reset', when }) });
    expect(await postPayout(gateway, 'INV-1')).toEqual({ kind: 'broken', code: 'ECONNRESET', text: '' });
    expect(gateway.orders()).toHaveLength(ordersCommitted);
  });

  it('close: the connection ends without a reply', async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'close', when }) });
    expect(await postPayout(gateway, 'INV-1')).toEqual({ kind: 'broken', code: 'ECONNRESET', text: '' });
    expect(gateway.orders()).toHaveLength(ordersCommitted);
  });

  it('stall: no byte comes until the client gives up', async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'stall', when }) });
    expect(await postPayout(gateway, 'INV-1', { patienceMs: 200 })).toEqual({
      kind: 'broken',
      code: 'GAVE-UP',
      text: '',
    });
    await expect.poll(() => gateway.orders(), patience).toHaveLength(ordersCommitted);
  });

  it.each([
    [408, '408 Request Timeout'],
    [409, '409 Conflict'],
    [500, '500 Internal Server Error'],
    [502, '502 Bad Gateway'],
    [503, '503 Service Temporarily Unavailable'],
    [504, '504 Gateway Time-out'],
  ] as const)('HTTP %i comes with a page of HTML', async (status, title) => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'http-error', status, when }) });
    expect(await postPayout(gateway, 'INV-1')).toMatchObject({
      status,
      headers: { 'content-type': 'text/html;charset=utf-8' },
      text: `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`,
    });
    expect(gateway.orders()).toHaveLength(ordersCommitted);
  });

  it('429 names the time to wait', async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'too-many-requests', retryAfterSeconds: 7, when }) });
    expect(await postPayout(gateway, 'INV-1')).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
    expect(gateway.orders()).toHaveLength(ordersCommitted);
  });

  it('200 may be empty', async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'empty-200', when }) });
    expect(await postPayout(gateway, 'INV-1', { json: true })).toMatchObject({ status: 200, text: '' });
    expect(gateway.orders()).toHaveLength(ordersCommitted);
  });

  it('200 may be a page of HTML', async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'html-200', when }) });
    expect(await postPayout(gateway, 'INV-1')).toMatchObject({
      status: 200,
      text: '<html><head><title>Scheduled maintenance</title></head><body><h1>Scheduled maintenance</h1></body></html>\n',
    });
    expect(gateway.orders()).toHaveLength(ordersCommitted);
  });

  it('a slow answer comes whole', async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'slow', when, latencyMs: 50 }) });
    expect(formFields(await postPayout(gateway, 'INV-1'))).toMatchObject({ type: 'async-response' });
    expect(gateway.orders()).toHaveLength(1);
  });
});

describe('a truncated body', () => {
  it('after the commit: half of the acceptance arrives', async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'truncated-body', when: 'after' }) });
    expect(await postPayout(gateway, 'INV-1', { json: true })).toEqual({
      kind: 'broken',
      code: 'ECONNRESET',
      text: '{"type":"async-response","serial-number":"00000000-0000-0000-0000-000000000001","merchant',
    });
    expect(gateway.orders()).toHaveLength(1);
  });

  it('before the commit: half of a refusal arrives', async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'truncated-body', when: 'before' }) });
    expect(await postPayout(gateway, 'INV-1')).toEqual({
      kind: 'broken',
      code: 'ECONNRESET',
      text: 'type=error\n&serial-number=00000000-0000-0000-0000-000000000001\n&merc',
    });
    expect(gateway.orders()).toEqual([]);
  });
});

describe('a misleading reply', () => {
  it('is JSON declared as HTML, though form text was asked for', async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'json-as-html', when: 'after' }) });
    const evidence = await postPayout(gateway, 'INV-1');
    expect(evidence).toMatchObject({ status: 200, headers: { 'content-type': 'text/html;charset=utf-8' } });
    expect(JSON.parse(evidence.text)).toMatchObject({ type: 'async-response', 'paynet-order-id': 9_000_001 });
    expect(gateway.orders()).toHaveLength(1);
  });

  it('names another merchant order id for our committed order', async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'foreign-order-id', when: 'after' }) });
    expect(formFields(await postPayout(gateway, 'INV-1'))).toMatchObject({
      type: 'async-response',
      'merchant-order-id': 'ANOTHER-ORDER',
      'paynet-order-id': '9000001',
    });
    expect(gateway.orders()).toMatchObject([{ clientOrderId: 'INV-1' }]);
  });

  it("is wholly another's, with nothing committed for us", async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'foreign-order-id', when: 'before' }) });
    expect(formFields(await postPayout(gateway, 'INV-1'))).toMatchObject({
      type: 'async-response',
      'merchant-order-id': 'ANOTHER-ORDER',
      'paynet-order-id': '1000001',
    });
    expect(gateway.orders()).toEqual([]);
  });
});

describe('late things', () => {
  it('commits an order after its client has given up: not found now proves nothing for later', async () => {
    const gateway = await aGateway({
      scenario: ({ operation }) => (operation === 'payout' ? lateCommit : scenarioWith({})),
    });
    expect(await postPayout(gateway, 'INV-1', { patienceMs: 50 })).toMatchObject({ code: 'GAVE-UP' });
    expect(formFields(await askStatus(gateway, 'INV-1'))).toMatchObject({ 'error-code': '101' });
    await expect.poll(() => gateway.orders(), patience).toHaveLength(1);
    expect(formFields(await askStatus(gateway, 'INV-1'))).toMatchObject({ type: 'status-response' });
  });

  it('adds latency to every answer, after the commit', async () => {
    const gateway = await aGateway({ latencyMs: ({ orderId }) => (orderId === 'SLOW' ? 10_000 : 0) });
    expect(await postPayout(gateway, 'SLOW', { patienceMs: 100 })).toMatchObject({ code: 'GAVE-UP' });
    await expect.poll(() => gateway.payments(), patience).toMatchObject([{ clientOrderId: 'SLOW', acceptedCount: 1 }]);
    expect(formFields(await postPayout(gateway, 'FAST'))).toMatchObject({ type: 'async-response' });
  });

  it('strikes status inquiries as well', async () => {
    const gateway = await aGateway();
    await postPayout(gateway, 'INV-1.status-500');
    expect(await askStatus(gateway, 'INV-1.status-500')).toMatchObject({ status: 500 });
    expect(formFields(await askStatus(gateway, 'INV-1.status-500'))).toMatchObject({ status: 'processing' });
  });
});

const lateCommit = scenarioWith({ fault: { kind: 'slow', when: 'before', latencyMs: 1_500 } });
