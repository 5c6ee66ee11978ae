// Callbacks of the simulated gateway over real sockets: what they say, and that they are repeated, doubled and disordered on demand.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callbackControl } from '../../../lib/local/gateway/callbacks.ts';
import { type Scenario, scenarioWith } from '../../../lib/local/gateway/scenario.ts';
import type { SimulatorOptions } from '../../../lib/local/gateway/simulator-options.ts';
import { payoutFields, post } from './support/client.ts';
import { aGateway, patience } from './support/story.ts';

interface Received {
  readonly method: string | undefined;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** What the merchant's endpoint has received, and the statuses that it answers with in turn, then 200. */
let received: Received[];
let answers: number[];
const server = createServer((asked, response) => {
  const { pathname: path, searchParams } = new URL(asked.url ?? '', 'http://127.0.0.1');
  received.push({ method: asked.method, path, query: Object.fromEntries(searchParams) });
  response.statusCode = answers.shift() ?? 200;
  response.end();
});
let at: string;
beforeEach(async () => {
  [received, answers] = [[], []];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** A payout of which the gateway calls back. */
async function aPayout(changes: Partial<Scenario>, options: Partial<SimulatorOptions> = {}, fields: object = {}) {
  const scenario = scenarioWith({ life: [{ status: 'approved', afterMs: 0 }], ...changes });
  const gateway = await aGateway({ scenario: () => scenario, ...options });
  await post(gateway, 'v4/payout/39915', payoutFields('INV-1', { ...fields }));
  return gateway;
}
const statuses = () => received.map(({ query }) => query['status']);

it.each([
  ['approved', '1234567', 'hf-abc', '652ace404c4dfe8bba069ecee594ec23a89340e1'],
  ['', '', '', '1a66987ac24e927ff2979f83a41cb818936a9e62'],
])('the control of %j %j %j is as the vendor publishes it', (status, gatewayOrderId, clientOrderId, control) => {
  const said = { status, gatewayOrderId, clientOrderId, controlKey: 'test-merchant-control' };
  expect(callbackControl(said)).toBe(control);
});

it('is a GET to the URLs of the request and of the endpoint once the order is final', async () => {
  const urls = { server_callback_url: `${at}/callback?shop=9` };
  await aPayout({}, { callbackUrl: `${at}/endpoint` }, urls);
  await expect.poll(() => received.map(({ path }) => path), patience).toEqual(['/callback', '/endpoint']);
  expect(received[0]).toEqual({
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
  });
});

it('comes for an order whose acceptance the client never heard, until it is answered 200', async () => {
  answers = [500, 302];
  const fault = { kind: 'reset', when: 'after' } as const;
  const gateway = await aPayout({ fault }, { callbackUrl: at, callbackRetryDelaysMs: [5, 10, 20, 40] });
  await expect.poll(() => gateway.callbacks().map((it) => it.answer), patience).toEqual([500, 302, 200]);
  expect(statuses()).toEqual(['approved', 'approved', 'approved']);
});

it.each([
  ['is given up after the last pause without a listener', 'http://127.0.0.1:9/closed', ['no-answer', 'no-answer']],
  ['never leaves the machine', 'http://merchant.example.test/callback', ['not-loopback']],
])('%s', async (_, callbackUrl, ends) => {
  const gateway = await aPayout({}, { callbackUrl, callbackRetryDelaysMs: [1] });
  await expect.poll(() => gateway.callbacks().map(({ answer }) => answer), patience).toEqual(ends);
});

const thenDeclined = [
  { status: 'approved', afterMs: 0 },
  { status: 'declined', afterMs: 300 },
] as const;

it.each<[what: string, changes: Partial<Scenario>, statuses: string[]]>([
  ['twice', { callbacks: { kind: 'on-final', copies: 2, order: 'as-it-happened' } }, ['approved', 'approved']],
  ['as it happened', { life: thenDeclined }, ['approved', 'declined']],
  [
    'newest first',
    { life: thenDeclined, callbacks: { kind: 'on-final', copies: 1, order: 'newest-first' } },
    ['declined', 'approved'],
  ],
])('comes %s where the scenario says so', async (_, changes, expected) => {
  await aPayout(changes, { callbackUrl: at });
  await expect.poll(statuses, patience).toEqual(expected);
});
