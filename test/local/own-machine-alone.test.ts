// What runs on a developer's machine is for its user alone: neither a page elsewhere, by its own name or by this
// machine's, nor another user of the machine.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { startLocalGateway } from '../../lib/local/local-gateway.ts';
import { isOwnHost, isOwnRequest } from '../../lib/local/own-hosts.ts';
import { ownFile } from '../../lib/local/own-files.ts';
import { sampleSecrets } from '../../lib/local/sample-merchants.ts';
import { post } from './gateway/support/client.ts';

let aws: EmbeddedAws;
beforeAll(async () => void (aws = await startEmbeddedAws({ maxReceiveCount: 5, visibilityTimeoutSeconds: 60 })));
afterAll(() => aws.close());

function statusOf(url: string, host: string, browser = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      { method: 'POST', headers: { host, ...browser, authorization: 'Credential=FAKE-LOCAL-KEY-ID/x' } },
      (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      },
    );
    asked.once('error', reject).end('{}');
  });
}

it('emulators and the gateway simulator answer under names of this machine alone', async () => {
  const gateway = await startLocalGateway('none', async () => ({}));
  const urls = Object.entries(aws.environment)
    .filter(([name]) => name.startsWith('AWS_ENDPOINT_URL'))
    .map(([, url]) => url);
  expect(urls.length).toBeGreaterThan(3);
  for (const url of [...urls, gateway.url]) {
    expect([url, await statusOf(url, 'evil.example')]).toEqual([url, 403]);
    const { host } = new URL(url);
    expect([url, await statusOf(url, host)]).not.toEqual([url, 403]);
    expect([url, await statusOf(url, host, { origin: 'https://evil.example' })]).toEqual([url, 403]);
    expect([url, await statusOf(url, host, { 'sec-fetch-site': 'cross-site' })]).toEqual([url, 403]);
  }
  await gateway.simulator?.close();
});

it('the desk of the simulated gateway, which any program of this machine may ask, shows no card data', async () => {
  const { url, secrets, simulator } = await startLocalGateway(
    'none',
    (gatewayUrl) => sampleSecrets({ gatewayUrl, closedUrl: gatewayUrl }),
    { isSwitchable: true },
  );
  const login = 'globex-us-login';
  const controlKey = String(secrets['globex-us']?.keys[login]?.['controlKey']);
  const sender = { credit_card_number: '5555555555554444', card_printed_name: 'JANE ROE', cvv2: '987' };
  const card = { ...sender, expire_month: '1', expire_year: '2031', 'destination-card-no': '4111111111111111' };
  const fields = { client_orderid: 'T-1', amount: '5', currency: 'USD', ...card };
  expect(await post(simulator, 'v4/transfer/39915', fields, { login, controlKey })).toMatchObject({ status: 200 });
  const shown = await (await fetch(`${url}/simulator`)).text();
  expect(shown).toContain('"orderId":"T-1"');
  expect(shown).not.toMatch(/4111111111111111|5555555555554444|cvv2%3D987/);
  await simulator.close();
});

it.each<[who: string, headers: Record<string, string>, isOwn: boolean]>([
  ['a program', {}, true],
  ['the console itself', { origin: 'http://127.0.0.1:80', 'sec-fetch-site': 'same-origin' }, true],
  ['a person who types its address', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }, true],
  ['a person who follows a link to it', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }, true],
  ['a page elsewhere', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, false],
  ['a page without an origin', { origin: 'null' }, false],
  ['another program’s page on this machine', { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }, false],
  ['a picture on a page elsewhere', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }, false],
  ['a frame on a page elsewhere', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }, false],
])('answers %s as it should', (_, headers, isOwn) => {
  expect(isOwnRequest({ host: '127.0.0.1:80', ...headers })).toBe(isOwn);
});

it.each([
  ['127.0.0.1:8080', true],
  ['localhost', true],
  ['sqs.eu-central-1.localhost:4566', true],
  ['[::1]:80', true],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example:80', false],
  ['', false],
])('%j is a name of this machine: %s', (host, isOwn) => {
  expect(isOwnHost(host)).toBe(isOwn);
});

it('files of a local run are for their owner alone, those of an earlier run too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'payouts-own-'));
  const file = join(folder, '.local', 'results.jsonl');
  await ownFile(file);
  await writeFile(join(folder, 'earlier'), 'x', { mode: 0o644 });
  await ownFile(join(folder, 'earlier'));
  const modes = [join(folder, '.local'), file, join(folder, 'earlier')].map(
    async (path) => (await stat(path)).mode & 0o777,
  );
  expect(await Promise.all(modes)).toEqual([0o700, 0o600, 0o600]);
  await rm(folder, { recursive: true });
});
