// The console's server: loopback alone, for one person. The address that is printed bears a token that serves once: whoever
// opens it first has the console, by a cookie that no script reads and no other site sends. Cookies know no ports (RFC 6265, section
// 8.5), and other servers of this machine may be other people's: the console lies below a path that nobody can guess, and so does
// its cookie.
import { tool } from '../../payout/operate/spelling.ts';
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import * as v from 'valibot';
import { newBlind } from '../../aws/system.ts';
import type { OperatorDesk } from '../../operate/act.ts';
import type { Whose } from '../live-money.ts';
import { listenOnLoopback, type OwnEndpoint } from '../../local/own-hosts.ts';
import { shownSafely } from '../terminal.ts';
import { pageFile } from '../../local/page-files.ts';
import type { RowOutput } from '../row-output.ts';
import { type Download, downloadSchema, fileOf, type ReportDownloads, reportCommandOf } from './report-download.ts';
import { partAnswer } from '../part-answer.ts';
import { formNamed, lineOf, oneBatch, oneOrder, overview, perform, preview } from './console-answers.ts';

/** The scene that the console serves. */
export interface ConsoleScene {
  readonly desk: OperatorDesk;
  /** Names of the alarms that are in force. */
  readonly alarms: () => Promise<readonly string[]>;
  /** As `stage prod`, or where else. */
  readonly stage: string;
  /** The stage, and whose money is live; undefined in a local run, which has none. */
  readonly moneyNotice: (whose: Whose) => Promise<string | undefined>;
  readonly isReadOnly: boolean;
  readonly reports: ReportDownloads;
  /** A page of the local run, where this is one. */
  readonly localPage?: string;
}

const headers = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const newSecret = () => newBlind();
const isSame = (given: string, secret: string) =>
  Buffer.byteLength(given) === secret.length && timingSafeEqual(Buffer.from(given), Buffer.from(secret));
const bodyMostBytes = 65_536;

type Ask = (scene: ConsoleScene, search: URLSearchParams) => Promise<unknown>;

const asks: Readonly<Record<string, Ask>> = {
  '/api/overview': async ({ desk: { operator }, alarms, stage, isReadOnly, localPage }, search) => ({
    stage,
    isReadOnly,
    ...(localPage !== undefined && { localPage }),
    ...(await overview(operator, { alarms, isFresh: search.has('fresh') })),
  }),
  '/api/order': ({ desk: { operator } }, search) => partAnswer(() => oneOrder(operator, search.get('order') ?? '')),
  '/api/batch': ({ desk: { operator } }, search) => partAnswer(() => oneBatch(operator, search.get('batch') ?? '')),
  '/api/line': ({ desk: { operator } }, search) =>
    partAnswer(() =>
      lineOf(operator, { merchant: search.get('merchant') ?? '', endpointId: search.get('endpoint') ?? '' }),
    ),
  // Before the browser begins to load: a file that fails says nothing.
  '/api/report-check': ({ reports }, search) =>
    partAnswer(async () => {
      const it = asked(search);
      await reports.check(it);
      return { command: reportCommandOf(it), name: fileOf(it).name };
    }),
  '/api/form': ({ desk }, search) => partAnswer(() => formNamed(search.get('act') ?? '', desk)),
};

/** Starts it on a free port of 127.0.0.1; the address bears the token. */
export async function startConsole(scene: ConsoleScene): Promise<OwnEndpoint> {
  let token: string | undefined = newSecret();
  const session = newSecret();
  const place = `/${newSecret()}`;
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
      const cookie = `payouts-console=${session}; HttpOnly; SameSite=Strict; Path=${place}/`;
      // The token leaves the address bar, and the history with it.
      response.writeHead(303, { ...headers, location: `${place}/`, 'set-cookie': cookie }).end();
      return;
    }
    const cookies = (request.headers.cookie ?? '').split('; ');
    if (!isHere || !cookies.some((it) => isSame(it, `payouts-console=${session}`))) {
      response
        .writeHead(403, { ...headers, 'content-type': 'text/plain; charset=utf-8' })
        .end(`This address serves once. Run \`${tool} console\` again for a new one.\n`);
      return;
    }
    await answerOwn(scene, { pathname, searchParams, request, response });
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

async function answerOwn(scene: ConsoleScene, exchange: Exchange): Promise<void> {
  const { pathname, searchParams, request, response } = exchange;
  const file = request.method === 'GET' ? await pageFile(pathname, import.meta.dirname) : undefined;
  const ask = request.method === 'GET' ? asks[pathname] : undefined;
  if (file) {
    response.writeHead(200, { ...headers, 'content-type': file.type }).end(file.content);
  } else if (ask) tell(response, await ask(scene, searchParams));
  else if (request.method === 'GET' && pathname === '/api/report') await download(scene, exchange);
  else if (request.method === 'POST' && (pathname === '/api/act' || pathname === '/api/preview'))
    await onAct(scene, exchange);
  else response.writeHead(404, headers).end();
}

function tell(response: ServerResponse, value: unknown, status = 200): void {
  const text = shownSafely(JSON.stringify(value ?? null));
  response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(text);
}

/** The question in an address. Throws RangeError. */
function asked(search: URLSearchParams): Download {
  const read = v.safeParse(downloadSchema, Object.fromEntries(search));
  if (read.success) return read.output;
  throw new RangeError(`${String(read.issues[0].path?.[0]?.key ?? '')}: is not as it must be`);
}

/** A file of the browser. A failure before the first byte is an error page; one behind it cuts the file short, and the browser says so. */
async function download({ reports }: ConsoleScene, { searchParams, response }: Exchange): Promise<void> {
  const part = await partAnswer(async () => {
    const it = asked(searchParams);
    const { name, type } = fileOf(it);
    const disposition = `attachment; filename="${name}"`;
    const begin = () =>
      response.writeHead(200, { ...headers, 'content-type': type, 'content-disposition': disposition });
    await reports.write(it, outputInto(response, begin));
  });
  if (part.kind === 'found') return;
  if (response.headersSent) response.destroy();
  else tell(response, part, part.kind === 'not-allowed' ? 403 : 422);
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

/** A preview says what an act would do, and by which command; the act does it. */
async function onAct(scene: ConsoleScene, { pathname, request, response }: Exchange): Promise<void> {
  // A form of another site can't send JSON without being asked about it first; the listener refuses its origin anyway.
  if (request.headers['content-type'] !== 'application/json') return void response.writeHead(415, headers).end();
  if (Number(request.headers['content-length'] ?? Infinity) > bodyMostBytes)
    return void response.writeHead(413, headers).end();
  const it: unknown = await json(request);
  if (pathname === '/api/preview') {
    const where = async (whose: Whose) => (await scene.moneyNotice(whose)) ?? scene.stage;
    return tell(response, await partAnswer(() => preview(it, scene.desk, where)));
  }
  if (scene.isReadOnly)
    return tell(response, { kind: 'not-allowed', why: 'the console was started with --read-only' }, 403);
  tell(response, await partAnswer(() => perform(it, scene.desk)));
}
