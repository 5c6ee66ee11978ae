// The server of the local console, as its page and other sites meet it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocalConsole } from '../../lib/local/console/console-server.ts';
import type { OwnEndpoint } from '../../lib/local/own-hosts.ts';

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
