// Who looks after two stages has two consoles in one browser, and other servers of this machine beside them. A browser keeps one jar
// of cookies for all ports (RFC 6265, section 8.5): each console finds its own there, and no other server is shown it.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { type ConsoleScene, startConsole } from '../../lib/cli/console/console-server.ts';
import type { Operator } from '../../lib/client/operator.ts';
import type { OperatorDesk } from '../../lib/operate/act.ts';
import { actOf } from '../../lib/operate/acts.ts';
import type { OwnEndpoint } from '../../lib/local/own-hosts.ts';
import { anOrder } from '../support/orders.ts';
import { viewOf } from '../../lib/payout/order/projection.ts';

const consoles: OwnEndpoint[] = [];
afterEach(() => Promise.all(consoles.splice(0).map((it) => it.close())));

async function aConsole(stage: string, more: Partial<ConsoleScene> = {}): Promise<string> {
  const scene: Partial<ConsoleScene> = { stage, isReadOnly: true, ...more };
  const console = await startConsole(scene as ConsoleScene);
  consoles.push(console);
  return console.url;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** A browser: cookies of a host by name and path, whatever port has set them, sent to the paths below theirs (section 5.1.4). */
function aBrowser() {
  let jar: readonly Cookie[] = [];
  const sentTo = (address: string) =>
    jar
      .filter(({ path }) => new URL(address).pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  return {
    sentTo,
    async open(address: string) {
      const answer = await fetch(address, { redirect: 'manual', headers: { cookie: sentTo(address) } });
      const [, name = '', value = '', path = '/'] =
        /^([^=]+)=([^;]*);.*; Path=([^;]*)$/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
      if (name !== '') jar = [...jar.filter((it) => it.name !== name || it.path !== path), { name, value, path }];
      return answer;
    },
  };
}

/** Where the page is once the address has served. */
const pageOf = (address: string) => new URL('.', address).href;

it('the console of one stage serves on when that of another is opened beside it', async () => {
  const [dev, prod] = [await aConsole('stage dev'), await aConsole('stage prod')];
  const { open } = aBrowser();
  expect([(await open(dev)).status, (await open(prod)).status]).toEqual([303, 303]);
  expect([(await open(pageOf(dev))).status, (await open(pageOf(prod))).status]).toEqual([200, 200]);
});

it('its address serves once, and what a page elsewhere asks, or asks by another name, is refused', async () => {
  const [address, { open, sentTo }] = [await aConsole('stage prod'), aBrowser()];
  expect((await open(address)).status).toBe(303);
  expect((await fetch(address, { redirect: 'manual' })).status).toBe(403);
  const asked = { host: new URL(address).host, cookie: sentTo(pageOf(address)) };
  for (const [headers, status] of [
    [asked, 200],
    [{ ...asked, origin: 'https://evil.example' }, 403],
    [{ ...asked, host: 'evil.example' }, 403],
  ] as const) {
    const [answer] = (await once(get(pageOf(address), { headers }), 'response')) as [IncomingMessage];
    answer.resume();
    expect([headers, answer.statusCode]).toEqual([headers, status]);
  }
});

it('the cookie of one console opens no other', async () => {
  const [dev, prod] = [await aConsole('stage dev'), await aConsole('stage prod')];
  const { open, sentTo } = aBrowser();
  expect((await open(dev)).status).toBe(303);
  expect((await open(pageOf(prod))).status).toBe(403);
  const stolen = { cookie: sentTo(pageOf(dev)) };
  expect(stolen.cookie).not.toBe('');
  expect((await fetch(pageOf(prod), { headers: stolen })).status).toBe(403);
});

it('no other server of this machine is shown the cookie: whoever listens there would have the console', async () => {
  const { open, sentTo } = aBrowser();
  const address = await aConsole('stage prod');
  await open(address);
  const others = ['/', '/api/act', '/api/overview', '/index.html'].map((path) => `http://127.0.0.1:8080${path}`);
  expect(others.map(sentTo)).toEqual(others.map(() => ''));
  // And who has the cookie alone does not know where it serves.
  const { origin } = new URL(address);
  const headers = { cookie: sentTo(pageOf(address)) };
  for (const path of ['/', '/api/overview', '/nowhere/api/overview'])
    expect((await fetch(`${origin}${path}`, { headers })).status).toBe(403);
});

it('the page finds all that it names where it is', async () => {
  const { open } = aBrowser();
  const address = await aConsole('stage prod');
  const moved = (await open(address)).headers.get('location') ?? '';
  expect(new URL(moved, address).href).toBe(pageOf(address));
  const page = await (await open(pageOf(address))).text();
  const named = [...page.matchAll(/(?:href|src)="(?!data:|#)([^"]+)"/g)].map(([, it = '']) => it);
  expect(named).toHaveLength(3);
  for (const it of named) expect((await open(new URL(it, pageOf(address)).href)).status).toBe(200);
  const script = await (await open(new URL('console.js', pageOf(address)).href)).text();
  expect(script.match(/["'`]\/api/g)).toBeNull();
});

it('a batch of which money is in doubt is called closed nowhere: neither in the list nor on its own', async () => {
  const line = { standing: 'held', count: 1, currency: 'EUR', minorUnits: 50_000n, elsewhere: 0 };
  const closure = { revision: 1, atMs: 1, firstAtMs: 1, tally: [line] };
  const batch = { batchId: 'november', state: 'closed', by: 'ada', createdAtMs: 1, rows: 1, totals: {}, closure };
  const operator = {
    todo: async () => ({ questions: [], mayBeMore: false, notRead: [] }),
    openMoney: async () => ({ money: [], mayBeMore: false }),
    lanes: async () => [],
    batches: async () => [batch],
    batch: async () => ({ batch, tally: [line] }),
  } as unknown as Operator;
  const desk = { operator, dry: operator } as unknown as OperatorDesk;
  const [address, { open }] = [await aConsole('stage prod', { desk, alarms: async () => [] }), aBrowser()];
  await open(address);
  for (const path of ['api/overview', 'api/batch?batch=november']) {
    const told = await (await open(new URL(path, address).href)).text();
    expect(told).toContain('"state":"in-doubt"');
    expect(told).not.toContain('closed');
  }
});

it('words of senders turn no direction of writing in what the page is told, and hide nothing', async () => {
  const order = anOrder({ context: '{"payee_name":"Jane \u202e\u200b\u009bDoe"}' });
  const operator = {
    order: async () => ({ kind: 'found', order, view: viewOf(order) }),
    waitingOf: async () => [],
  } as unknown as Operator;
  const [address, { open }] = [
    await aConsole('stage prod', { desk: { operator, dry: operator } as unknown as OperatorDesk }),
    aBrowser(),
  ];
  await open(address);
  const told = await (await open(new URL(`api/order?order=${encodeURIComponent(order.key)}`, address).href)).text();
  expect(told).toContain('Jane');
  expect(told).not.toMatch(/[\u202e\u200b\u009b]/);
});

it.each([
  ['retry', 'batch', { batch: '--yes' }],
  ['retry', 'file', { batch: 'november', file: '-o' }],
  ['approve', 'for', { order: 'acme-eu/INV-1', for: '--yes', seen: '7' }],
  ['release', 'approval', { order: 'acme-eu/INV-1', as: 'not-paid', reason: 'x', approval: '$(rm)' }],
] as const)('%s whose %s would be an option, or run, is none', async (act, field, given) => {
  const [address, { open, sentTo }] = [await aConsole('stage prod', { isReadOnly: false }), aBrowser()];
  await open(address);
  const cookie = sentTo(pageOf(address));
  for (const path of ['api/act', 'api/preview']) {
    const headers = { 'content-type': 'application/json', cookie, origin: new URL(address).origin };
    const answer = await fetch(new URL(path, address), {
      method: 'POST',
      headers,
      body: JSON.stringify({ act, given }),
    });
    const { label } = actOf(act).fields[field] ?? {};
    expect(await answer.json()).toEqual({ kind: 'failed', why: expect.stringMatching(`^${label}: (must|is not)`) });
  }
});
