// Callbacks over real sockets: what they say, that they are repeated, doubled and disordered on demand.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { callbackControl } from '../../../lib/local/gateway/callbacks.ts';
import { scenarioWith } from '../../../lib/local/gateway/scenario.ts';
import type { Scenario } from '../../../lib/local/gateway/scenario.ts';
import { payoutFields, post } from './support/client.ts';
import { aGateway, patience } from './support/story.ts';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A merchant's callback endpoint that answers with these statuses in turn, then 200. */
async function aCallbackEndpoint(answers: readonly number[] = []) {
  const received: { method: string | undefined; path: string; query: Readonly<Record<string, string>> }[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    received.push({ method: request.method, path: pathname, query: Object.fromEntries(searchParams) });
    response.statusCode = answers[received.length - 1] ?? 200;
    response.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/callback`, received };
}

const approvedAtOnce: Partial<Scenario> = { life: [{ status: 'approved', afterMs: 0 }] };
const approvedThenDeclined: Partial<Scenario> = {
  life: [
    { status: 'approved', afterMs: 0 },
    { status: 'declined', afterMs: 300 },
  ],
};

describe('the control of a callback', () => {
  it.each([
    ['approved', '1234567', 'hf-abc', '652ace404c4dfe8bba069ecee594ec23a89340e1'],
    ['', '', '', '1a66987ac24e927ff2979f83a41cb818936a9e62'],
  ])('of %j %j %j is as the vendor publishes it', (status, gatewayOrderId, clientOrderId, control) => {
    expect(callbackControl({ status, gatewayOrderId, clientOrderId, controlKey: 'test-merchant-control' })).toBe(
      control,
    );
  });
});

describe('a callback', () => {
  it('is a GET to the URL of the request once the order is final', async () => {
    const endpoint = await aCallbackEndpoint();
    const gateway = await aGateway({ scenario: () => scenarioWith(approvedAtOnce) });
    const fields = payoutFields('INV-1', { server_callback_url: `${endpoint.url}?shop=9` });
    await post(gateway, 'v4/payout/39915', fields);
    await expect
      .poll(() => endpoint.received)
      .toEqual([
        {
          method: 'GET',
          path: '/callback',
          query: {
            shop: '9',
            status: 'approved',
            type: 'payout',
            orderid: '9000001',
            client_orderid: 'INV-1',
            merchant_order: 'INV-1',
            amount: '10.42',
            currency: 'EUR',
            control: 'e9188b9a1f8b33f6074a332b33c168468cbf04f9',
          },
        },
      ]);
  });

  it('goes to notify_url and to the URL set on the endpoint as well', async () => {
    const endpoint = await aCallbackEndpoint();
    const gateway = await aGateway({
      scenario: () => scenarioWith(approvedAtOnce),
      callbackUrl: endpoint.url.replace('callback', 'endpoint'),
    });
    const notifyUrl = endpoint.url.replace('callback', 'notify');
    await post(gateway, 'v4/payout/39915', payoutFields('INV-1', { notify_url: notifyUrl }));
    await expect.poll(() => endpoint.received.map(({ path }) => path), patience).toEqual(['/notify', '/endpoint']);
  });

  it('comes for an order whose acceptance the client never heard', async () => {
    const endpoint = await aCallbackEndpoint();
    const scenario = scenarioWith({ ...approvedAtOnce, fault: { kind: 'reset', when: 'after' } });
    const gateway = await aGateway({ scenario: () => scenario, callbackUrl: endpoint.url });
    await post(gateway, 'v4/payout/39915', payoutFields('INV-1'));
    await expect
      .poll(() => endpoint.received)
      .toMatchObject([{ query: { status: 'approved', client_orderid: 'INV-1' } }]);
  });

  it('is repeated until it is answered 200', async () => {
    const endpoint = await aCallbackEndpoint([500, 302]);
    const gateway = await aGateway({
      scenario: () => scenarioWith(approvedAtOnce),
      callbackUrl: endpoint.url,
      callbackRetryDelaysMs: [5, 10, 20, 40],
    });
    await post(gateway, 'v4/payout/39915', payoutFields('INV-1'));
    await expect
      .poll(() => gateway.callbacks().map(({ attempt, answer }) => [attempt, answer]))
      .toEqual([
        [1, 500],
        [2, 302],
        [3, 200],
      ]);
  });

  it('is given up after the last pause when nobody listens', async () => {
    const gateway = await aGateway({
      scenario: () => scenarioWith(approvedAtOnce),
      callbackUrl: 'http://127.0.0.1:9/closed',
      callbackRetryDelaysMs: [1],
    });
    await post(gateway, 'v4/payout/39915', payoutFields('INV-1'));
    await expect
      .poll(() => gateway.callbacks().map(({ answer }) => answer), patience)
      .toEqual(['no-answer', 'no-answer']);
  });

  it('comes twice when a duplicate is asked for', async () => {
    const endpoint = await aCallbackEndpoint();
    const callbacks = { kind: 'on-final', copies: 2, order: 'as-it-happened' } as const;
    const gateway = await aGateway({
      scenario: () => scenarioWith({ ...approvedAtOnce, callbacks }),
      callbackUrl: endpoint.url,
    });
    await post(gateway, 'v4/payout/39915', payoutFields('INV-1'));
    await expect.poll(() => endpoint.received, patience).toHaveLength(2);
    expect(endpoint.received[1]).toEqual(endpoint.received[0]);
  });

  it.each([
    ['as-it-happened', ['approved', 'declined']],
    ['newest-first', ['declined', 'approved']],
  ] as const)('of a reconciled order comes %s: %j', async (order, statuses) => {
    const endpoint = await aCallbackEndpoint();
    const callbacks = { kind: 'on-final', copies: 1, order } as const;
    const gateway = await aGateway({
      scenario: () => scenarioWith({ ...approvedThenDeclined, callbacks }),
      callbackUrl: endpoint.url,
    });
    await post(gateway, 'v4/payout/39915', payoutFields('INV-1'));
    await expect.poll(() => endpoint.received.map(({ query }) => query['status']), patience).toEqual(statuses);
  });

  it('never leaves the machine', async () => {
    const gateway = await aGateway({
      scenario: () => scenarioWith(approvedAtOnce),
      callbackUrl: 'http://merchant.example.test/callback',
    });
    await post(gateway, 'v4/payout/39915', payoutFields('INV-1'));
    await expect.poll(() => gateway.callbacks(), patience).toMatchObject([{ answer: 'not-loopback' }]);
  });

  it('is not sent where the scenario has none, or without a URL', async () => {
    const endpoint = await aCallbackEndpoint();
    const gateway = await aGateway({
      scenario: ({ orderId }) =>
        scenarioWith(orderId === 'SILENT' ? { ...approvedAtOnce, callbacks: { kind: 'none' } } : approvedAtOnce),
    });
    await post(gateway, 'v4/payout/39915', payoutFields('SILENT', { server_callback_url: endpoint.url }));
    await post(gateway, 'v4/payout/39915', payoutFields('NO-URL'));
    await post(gateway, 'v4/payout/39915', payoutFields('LOUD', { server_callback_url: endpoint.url }));
    await expect.poll(() => endpoint.received.map(({ query }) => query['client_orderid']), patience).toEqual(['LOUD']);
  });
});
