// The parts of the console that need no browser.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocalConsole } from '../../lib/local/console/console-server.ts';
import type { OwnEndpoint } from '../../lib/local/own-hosts.ts';
import { followJobs } from '../../lib/local/console/job-feed.ts';
import { signatureParts } from '../../lib/local/console/signature-parts.ts';

describe('the server', () => {
  const sent: number[] = [];
  let served: OwnEndpoint;
  beforeAll(async () => {
    served = await startLocalConsole({
      state: async () => ({ queues: [] }),
      signature: async () => ({}),
      setFaults: async (name) => {
        throw new RangeError(`faults: none, not ${name}`);
      },
      sendJobs: async (count) => void sent.push(count),
      tellAccounts: () => {},
      close: () => {},
    });
  });
  afterAll(() => served.close());

  const post = (path: string, body: object, type = 'application/json') =>
    fetch(served.url + path, { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(body) });

  it('listens on loopback, serves its page and answers', async () => {
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const page = await fetch(served.url);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(await page.text()).toContain('<h1>payouts');
    expect(await (await fetch(`${served.url}/api/state`)).json()).toEqual({ queues: [] });
    expect((await fetch(`${served.url}/../package.json`)).status).toBe(404);
  });

  it('does what the page asks, and says what it can not do', async () => {
    expect((await post('/api/jobs', { count: 3 })).status).toBe(200);
    expect(sent).toEqual([3]);
    const refused = await post('/api/faults', { name: 'nope' });
    expect([refused.status, await refused.json()]).toEqual([400, { error: 'faults: none, not nope' }]);
  });

  it("does nothing for another site's form", async () => {
    expect((await post('/api/jobs', { count: 9 }, 'text/plain')).status).toBe(415);
    expect(sent).toEqual([3]);
  });
});

describe('the feed of jobs', () => {
  const line = (orderId: string, state: string, second: number) =>
    `${JSON.stringify({ time: `2026-11-21T10:00:0${second}.000Z`, event: 'job', operation: 'payout', merchant: 'acme-eu', orderId, state, attempts: 1, durationMs: 5 })}\n`;

  it('reads on as the log grows, each order by its latest state', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'payouts-feed-'));
    const file = join(directory, 'worker.log');
    const feed = followJobs(file);
    await feed.look();
    expect(feed.orders()).toEqual({});
    const first = line('A', 'retryable', 1) + line('B', 'accepted', 1);
    await writeFile(file, first + line('A', 'accepted', 2).slice(0, 20));
    await feed.look();
    expect(feed.orders()).toEqual({ retryable: 1, accepted: 1 });
    await writeFile(file, `${first}${line('A', 'accepted', 2)}no JSON\n`);
    await feed.look();
    expect(feed.orders()).toEqual({ accepted: 2 });
    expect(feed.recent().map(({ order, state }) => `${order} ${state}`)).toEqual([
      'acme-eu/A accepted',
      'acme-eu/B accepted',
      'acme-eu/A retryable',
    ]);
    expect(feed.seconds().map(({ states }) => states)).toEqual([{ retryable: 1, accepted: 1 }, { accepted: 1 }]);
    await rm(directory, { recursive: true });
  });
});

it('a base string taken apart is the same when it is put together', () => {
  const baseString = 'POST&https%3A%2F%2Fgate.example.com%2Fx&a%3Db%2520c%26oauth_nonce%3Dn';
  const parts = signatureParts(baseString);
  expect(parts.map(({ text }) => text).join('')).toBe(baseString);
  expect(parts.filter(({ kind }) => kind !== 'separator').map(({ kind, means }) => [kind, means])).toEqual([
    ['method', 'the request method'],
    ['uri', 'https://gate.example.com/x'],
    ['name', 'a'],
    ['value', 'b c'],
    ['protocol-name', 'oauth_nonce'],
    ['protocol-value', 'n'],
  ]);
});
