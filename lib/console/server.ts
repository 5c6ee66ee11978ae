// The console's server: loopback alone, for one person. The address that is printed bears a token that serves once: who
// opens it first has the console, by a cookie that no script reads and no other site sends. Cookies know no ports (RFC 6265, section
// 8.5), and other servers of this machine may be other people's: the console is below a path that cannot be guessed, and so is
// its cookie.
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { json } from 'node:stream/consumers';
import { newBlind } from '../aws/system.ts';
import { listenOnLoopback, type OwnEndpoint } from '../local/own-hosts.ts';
import type { RowOutput } from '../files/row-output.ts';
import { tool } from '../payout/operate/spelling.ts';
import { forms, perform, preview } from './acts-asked.ts';
import { downloadIn, fileOf, reportCommandOf } from './downloads.ts';
import { answers, createLooks, type Looks } from './pages.ts';
import { part } from './part.ts';
import type { ConsoleScene } from './scene.ts';

const headers = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The files of the page, and the modules that two packages publish, as they are installed. */
const page = (name: string) => fileURLToPath(new URL(`page/${name}`, import.meta.url));
const script = 'text/javascript; charset=utf-8';
const files: Readonly<Record<string, { readonly path: string; readonly type: string }>> = {
  '/': { path: page('console.html'), type: 'text/html; charset=utf-8' },
  '/console.css': { path: page('console.css'), type: 'text/css; charset=utf-8' },
  ...Object.fromEntries(
    ['main', 'pages', 'parts', 'acts', 'store'].map((it) => [`/${it}.js`, { path: page(`${it}.js`), type: script }]),
  ),
  '/preact.mjs': { path: fileURLToPath(import.meta.resolve('preact')), type: script },
  '/htm.mjs': { path: fileURLToPath(import.meta.resolve('htm')), type: script },
};

const newSecret = () => newBlind();
const isSame = (given: string, secret: string) =>
  Buffer.byteLength(given) === secret.length && timingSafeEqual(Buffer.from(given), Buffer.from(secret));
const bodyMostBytes = 65_536;

/** Starts it on a free port of 127.0.0.1; the address bears the token. */
export async function startConsole(scene: ConsoleScene): Promise<OwnEndpoint> {
  let token: string | undefined = newSecret();
  const own = `payouts-console=${newSecret()}`;
  const place = `/${newSecret()}`;
  const looks = createLooks(scene.desk.operator);
  // The first page is read while its address is still being opened.
  void part(() => looks.todo());
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500, headers).end());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isHere = isSame(path.slice(0, place.length), place);
    const pathname = path.slice(place.length);
    const given = searchParams.get('token');
    if (isHere && pathname === '/' && given !== null && token !== undefined && isSame(given, token)) {
      token = undefined;
      const cookie = `${own}; HttpOnly; SameSite=Strict; Path=${place}/`;
      // The token leaves the address bar, and the history with it.
      response.writeHead(303, { ...headers, location: `${place}/`, 'set-cookie': cookie }).end();
      return;
    }
    const cookies = (request.headers.cookie ?? '').split('; ');
    if (!isHere || !cookies.some((it) => isSame(it, own))) {
      response
        .writeHead(403, { ...headers, 'content-type': 'text/plain; charset=utf-8' })
        .end(`This address serves once. Run \`${tool} console\` again for a new one.\n`);
      return;
    }
    await answerOwn(scene, looks, { pathname, searchParams, request, response });
  }

  const { url, close } = await listenOnLoopback(server);
  return { url: `${url}${place}/?token=${token}`, close };
}

interface Exchange {
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function answerOwn(scene: ConsoleScene, looks: Looks, exchange: Exchange): Promise<void> {
  const { pathname, searchParams, request, response } = exchange;
  const file = files[pathname];
  const named = /^\/api\/(\w+)$/.exec(pathname)?.[1] ?? '';
  const answer = Object.hasOwn(answers, named) ? answers[named] : undefined;
  if (request.method === 'POST') await onPost(scene, looks, exchange);
  else if (request.method !== 'GET') response.writeHead(404, headers).end();
  else if (file) response.writeHead(200, { ...headers, 'content-type': file.type }).end(await readFile(file.path));
  else if (named === 'session') tell(scene, response, await session(scene));
  else if (named === 'report') await download(scene, exchange);
  else if (answer) {
    if (searchParams.has('fresh')) looks.forget();
    const value = await answer(scene, looks, searchParams);
    tell(scene, response, { asOfMs: scene.desk.operator.nowMs(), counts: looks.counts(), page: value });
  } else response.writeHead(404, headers).end();
}

/** What does not change: the place, the person, and the forms of the acts. */
async function session({ desk, stage, moneyNotice, isReadOnly, simulator }: ConsoleScene) {
  const [who, notice] = await Promise.all([
    part(() => desk.merchants.identity.whoAmI()),
    moneyNotice('every merchant'),
  ]);
  const isLive = notice !== undefined;
  const person = who.kind === 'found' ? who.value.replace(/^.*:/, '') : who.why;
  return { stage, isLive, isReadOnly, who: person, hasGateway: simulator !== undefined, acts: forms() };
}

function tell({ words }: ConsoleScene, response: ServerResponse, value: unknown, status = 200): void {
  // Each text by itself: what is only escaped in JSON is back when the page draws it.
  const text = JSON.stringify(value ?? null, (_name, it: unknown) => (typeof it === 'string' ? words.safely(it) : it));
  response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(text);
}

/**
 * A file of the browser; with `check` only whether there will be one. A failure before the first byte is an error page; one behind it
 * cuts the file short, and the browser says so.
 */
async function download(scene: ConsoleScene, { searchParams, response }: Exchange): Promise<void> {
  const isCheck = searchParams.has('check');
  searchParams.delete('check');
  const found = await part(async () => {
    const it = downloadIn(searchParams);
    const { name, type } = fileOf(it);
    if (isCheck) {
      await scene.reports.check(it);
      return { command: reportCommandOf(it), name };
    }
    const disposition = `attachment; filename="${name}"`;
    const begin = () =>
      response.writeHead(200, { ...headers, 'content-type': type, 'content-disposition': disposition });
    await scene.reports.write(it, outputInto(response, begin));
    return undefined;
  });
  if (isCheck) tell(scene, response, found);
  else if (found.kind === 'found') return;
  else if (response.headersSent) response.destroy();
  else tell(scene, response, found, found.kind === 'not-allowed' ? 403 : 422);
}

/** Until it takes more, or is gone. */
async function roomIn(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  const either = ['drain', 'close'].map((event) => once(response, event, { signal: over.signal }));
  await Promise.race(either).finally(() => over.abort());
}

/** No faster than the browser takes it; ends with who has gone away. */
function outputInto(response: ServerResponse, begin: () => unknown): RowOutput {
  return {
    async write(text) {
      if (response.destroyed) throw new Error('the browser has gone away');
      if (!response.headersSent) begin();
      if (!response.write(text)) await roomIn(response);
    },
    async close() {
      if (!response.headersSent) begin();
      response.end();
    },
  };
}

/** A preview says what an act would do, and by which command; the act does it. The faults of a simulated gateway are no act. */
async function onPost(scene: ConsoleScene, looks: Looks, { pathname, request, response }: Exchange): Promise<void> {
  const { simulator } = scene;
  const posts: Readonly<Record<string, ((it: unknown) => Promise<unknown>) | undefined>> = {
    '/api/preview': (it) => preview(it, scene),
    '/api/act': (it) => perform(it, scene).finally(looks.forget),
    '/api/faults': simulator && ((it) => simulator({ faults: String(Object(it).faults) })),
  };
  const work = Object.hasOwn(posts, pathname) ? posts[pathname] : undefined;
  if (!work) return void response.writeHead(404, headers).end();
  // A form of another site can't send JSON without being asked about it first; the listener refuses its origin anyway.
  if (request.headers['content-type'] !== 'application/json') return void response.writeHead(415, headers).end();
  if (Number(request.headers['content-length'] ?? Infinity) > bodyMostBytes)
    return void response.writeHead(413, headers).end();
  if (scene.isReadOnly && pathname !== '/api/preview')
    return tell(scene, response, { kind: 'not-allowed', why: 'the console was started with --read-only' }, 403);
  const it: unknown = await json(request);
  tell(scene, response, await part(() => work(it)));
}
