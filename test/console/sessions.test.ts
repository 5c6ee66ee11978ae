// Who looks after two stages has two consoles in one browser, and other servers of this machine beside them. A browser keeps one jar
// of cookies for all ports (RFC 6265, section 8.5): each console finds its own there, and no other server is shown it.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import type { ConsoleScene } from '../../lib/console/scene.ts';
import { startConsole } from '../../lib/console/server.ts';
import type { OwnEndpoint } from '../../lib/local/own-hosts.ts';
import { actOf } from '../../lib/operate/acts.ts';
import { viewOf } from '../../lib/payout/order/projection.ts';
import { anOrder } from '../support/orders.ts';
import { aScene } from './support/scene.ts';

const consoles: OwnEndpoint[] = [];
afterEach(() => Promise.all(consoles.splice(0).map((it) => it.close())));

async function aConsole(stage: string, operator: object = {}, more: Partial<ConsoleScene> = {}): Promise<string> {
  const console = await startConsole(aScene(operator, { stage, ...more }));
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

it('no other server of this machine is shown the cookie: a listener there would have the console', async () => {
  const { open, sentTo } = aBrowser();
  const address = await aConsole('stage prod');
  await open(address);
  const others = ['/', '/api/act', '/api/today', '/index.html'].map((path) => `http://127.0.0.1:8080${path}`);
  expect(others.map(sentTo)).toEqual(others.map(() => ''));
  // And who has the cookie alone does not know where it serves.
  const { origin } = new URL(address);
  const headers = { cookie: sentTo(pageOf(address)) };
  for (const path of ['/', '/api/today', '/nowhere/api/today'])
    expect((await fetch(`${origin}${path}`, { headers })).status).toBe(403);
});

it('the page finds all that it names where it is', async () => {
  const { open } = aBrowser();
  const address = await aConsole('stage prod');
  const moved = (await open(address)).headers.get('location') ?? '';
  expect(new URL(moved, address).href).toBe(pageOf(address));
  const page = await (await open(pageOf(address))).text();
  const named = [...page.matchAll(/(?:href|src)="(?!data:|#)([^"]+)"/g)].map(([, it = '']) => it);
  expect(named).toHaveLength(2);
  const seen = new Set<string>();
  for (const it of named) seen.add(it);
  for (const it of seen) {
    const answer = await open(new URL(it, pageOf(address)).href);
    expect([it, answer.status]).toEqual([it, 200]);
    const text = await answer.text();
    // The modules that two packages publish are among them.
    for (const [, name = ''] of text.matchAll(/from '\.\/([\w.]+)'/g)) seen.add(name);
    expect(text.match(/["'`]\/api/g)).toBeNull();
  }
  expect([...seen].filter((it) => it.endsWith('.mjs')).toSorted()).toEqual(['htm.mjs', 'preact.mjs']);
});

it('a batch of which money is in doubt is called closed nowhere: neither in the list nor on its own', async () => {
  const line = { standing: 'held', count: 1, currency: 'EUR', minorUnits: 50_000n, elsewhere: 0 };
  const closure = { revision: 1, atMs: 1, firstAtMs: 1, tally: [line] };
  const batch = { batchId: 'november', state: 'closed', by: 'ada', createdAtMs: 1, rows: 1, totals: {}, closure };
  const operator = { batches: async () => [batch], batch: async () => ({ batch, tally: [line] }) };
  const [address, { open }] = [await aConsole('stage prod', operator), aBrowser()];
  await open(address);
  for (const path of ['api/batches', 'api/batch?batch=november']) {
    const told = await (await open(new URL(path, address).href)).text();
    expect(told).toContain('"id":"in-doubt"');
    expect(told).not.toContain('closed');
  }
});

it('words of senders turn no direction of writing where the page draws them, and hide nothing', async () => {
  const order = anOrder({ payee: 'J… \u202e\u200b\u009bD…' });
  const found = { kind: 'found', order, view: viewOf(order) };
  const [address, { open }] = [
    await aConsole('stage prod', { order: async () => found, waitingOf: async () => [] }),
    aBrowser(),
  ];
  await open(address);
  const told = await open(new URL(`api/order?order=${encodeURIComponent(order.key)}`, address).href);
  expect(await told.json()).toMatchObject({ page: { value: { payee: 'J… D…' } } });
});

const aTodo = { questions: [], money: [], mayBeMore: false, notRead: [] };
const denied = Object.assign(new Error('who'), { name: 'AccessDeniedException' });
const why = 'AWS does not let you (AccessDeniedException)';

it('what AWS does not allow is told as that, part by part: no page says that nothing is there', async () => {
  const notRead = ['orders', 'dead letters'].map((part) => ({ part, error: denied }));
  const operator = {
    todo: async () => ({ ...aTodo, mayBeMore: true, notRead }),
    lanes: async () => [],
    batches: async () => [],
    order: async () => ({ kind: 'none' }),
    waitingOf: async () => [],
  };
  const [address, { open }] = [await aConsole('stage prod', operator), aBrowser()];
  await open(address);
  const page = async (path: string) =>
    ((await (await open(new URL(`api/${path}`, address).href)).json()) as { page: object }).page;
  const told = ['orders', 'dead letters'].map((name) => ({ name, kind: 'not-allowed', why }));
  expect(await page('today')).toMatchObject({ todo: { value: { notRead: told } } });
  expect(await page('needs')).toMatchObject({ value: { notRead: told } });
  // Its job may be a dead letter.
  const { value } = (await page('order?order=acme-eu/INV-1')) as { value: object };
  expect(value).toMatchObject({ notRead: why, meaning: expect.not.stringContaining('No job') });
});

it('where fewer rows are left than the page of a table begins at, the last of them are shown', async () => {
  const entries = Array.from({ length: 60 }, (_, at) => viewOf(anOrder({ orderId: `INV-${at}` })));
  const questions = entries.map((entry) => ({ kind: 'held', entry }));
  const header = { batchId: 'november', state: 'uploaded', by: 'ada', createdAtMs: 1, rows: 60, totals: {} };
  const batch = async (_id: string, each: (it: object) => void) => {
    for (const [index, { key: orderKey }] of entries.entries()) each({ index, row: { orderKey }, standing: 'held' });
    return { batch: header, tally: [] };
  };
  const todo = async () => ({ ...aTodo, questions });
  const [address, { open }] = [await aConsole('stage prod', { todo, batch }), aBrowser()];
  await open(address);
  for (const [from, begin] of [
    ['100', 50],
    ['60', 50],
    ['50', 50],
    ['-7', 0],
    ['x', 0],
  ] as const) {
    const needs = await open(new URL(`api/needs?from=${from}`, address).href);
    const place = { from: begin, total: 60, ...(begin === 0 && { next: 50 }) };
    const rows = expect.objectContaining({ length: begin === 0 ? 50 : 10 });
    expect(await needs.json()).toMatchObject({ page: { value: { ...place, rows } } });
    const payouts = await open(new URL(`api/batch?batch=november&from=${from}`, address).href);
    expect(await payouts.json()).toMatchObject({ page: { value: { payouts: { ...place, rows } } } });
  }
});

it.each([
  ['retry', 'batch', { batch: '--yes' }],
  ['retry', 'file', { batch: 'november', file: '-o' }],
  ['approve', 'for', { order: 'acme-eu/INV-1', for: '--yes', seen: '7' }],
  ['release', 'approval', { order: 'acme-eu/INV-1', as: 'not-paid', reason: 'x', approval: '$(rm)' }],
] as const)('%s whose %s would be an option, or run, is none', async (act, field, given) => {
  const [address, { open, sentTo }] = [await aConsole('stage prod', {}, { isReadOnly: false }), aBrowser()];
  await open(address);
  const cookie = sentTo(pageOf(address));
  for (const path of ['api/act', 'api/preview']) {
    const headers = { 'content-type': 'application/json', cookie, origin: new URL(address).origin };
    const answer = await fetch(new URL(path, address), {
      method: 'POST',
      headers,
      body: JSON.stringify({ act, targets: [given] }),
    });
    const { label } = actOf(act).fields[field] ?? {};
    expect(await answer.json()).toEqual({ kind: 'failed', why: expect.stringMatching(`^${label}: (must|is not)`) });
  }
});

it('what is posted is JSON of the page itself, and of a console that only looks nothing is done', async () => {
  const [address, { open, sentTo }] = [await aConsole('stage prod'), aBrowser()];
  await open(address);
  const cookie = sentTo(pageOf(address));
  const post = (path: string, type: string) =>
    fetch(new URL(path, address), { method: 'POST', headers: { 'content-type': type, cookie }, body: '{}' });
  expect((await post('api/act', 'text/plain')).status).toBe(415);
  expect((await post('api/act', 'application/json')).status).toBe(403);
  // There is no simulated gateway here.
  expect((await post('api/faults', 'application/json')).status).toBe(404);
});
