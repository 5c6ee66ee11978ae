// One POST to the gateway, and the evidence of what became of it. No retry, no redirect, a fresh connection for each
// request: only a socket that carried nothing else can prove that nothing left. Judges nothing (outcome.ts does).
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection, Evidence, Gateway, GatewayLimits, GatewayRequest, Wire } from './ports.ts';
import { bodyText } from './body-text.ts';
import { errorCodeOnly, createConnector, whenClosed } from './http-connection.ts';

// An `import` of node:http asks for each of its exports, and with them Node loads undici, whose WebSocket is one: a third
// of a cold start (`npm run bench -- cold-start`), for nothing.
const { request: httpRequest } = process.getBuiltinModule('node:http');

/** How to reach gateways. */
export interface HttpGatewayOptions {
  readonly limits: GatewayLimits;
  readonly nowMs: () => number;
  /** PEM certificates to trust instead of the system's; for tests and private gateways. */
  readonly ca?: string;
}

/** One POST over a wire: connect, see that there is time left, send. */
export function createGatewayOver<Socket>(wire: Wire<Socket>, nowMs: () => number): Gateway {
  return {
    async post(request) {
      const url = URL.parse(request.url);
      if (!url) return { kind: 'not-sent', reason: 'the request has no address (ERR_INVALID_URL)' };
      const connection = await wire.connect(url, request.route);
      const evidence = await evidenceOf(connection, url, request);
      await wire.close(connection.socket);
      return evidence;
    },
  };

  async function evidenceOf(connection: Connection<Socket>, url: URL, request: GatewayRequest): Promise<Evidence> {
    if (connection.kind === 'not-connected') return { kind: 'not-sent', reason: connection.reason };
    // From here to the write nothing is awaited: a process that froze and thawed late is stopped right here.
    if (nowMs() > request.notAfterMs)
      return { kind: 'not-sent', reason: 'too little time was left to send and settle' };
    return wire.exchange(connection.socket, url, request);
  }
}

/** A gateway over node:http and node:tls. */
export function createHttpGateway({ limits, nowMs, ca }: HttpGatewayOptions): Gateway {
  const connect = createConnector(limits.gatewayConnectTimeoutMs, ca);

  async function send(socket: Socket, url: URL, request: GatewayRequest): Promise<Evidence> {
    const outgoing = httpPost(socket, url, request);
    if (!(outgoing instanceof Error)) return exchange(outgoing, request.body, limits);
    return { kind: 'not-sent', reason: `no request (${errorCodeOnly(outgoing)})` };
  }

  return createGatewayOver({ connect, exchange: send, close: whenClosed }, nowMs);
}

/** Hands the request over and waits for the whole answer. From the first line on, bytes may have left. */
function exchange(outgoing: ClientRequest, body: string, limits: HttpGatewayOptions['limits']): Promise<Evidence> {
  return new Promise((resolve) => {
    let httpStatus: number | undefined;
    const give = (evidence: Evidence) => {
      for (const timer of [total, part]) clearTimeout(timer);
      resolve(evidence);
    };
    const noAnswer = (reason: string) =>
      give({ kind: 'no-answer', reason, ...(httpStatus !== undefined && { httpStatus }) });
    const within = (ms: number, what: string) =>
      setTimeout(() => noAnswer(`no whole answer: ${what} took longer than ${ms} ms`), ms);
    const total = within(limits.gatewayTotalTimeoutMs, 'the exchange');
    let part = within(limits.gatewayHeadersTimeoutMs, 'the answer');

    outgoing.on('error', (error) =>
      noAnswer(`the connection failed after the request was sent (${errorCodeOnly(error)})`),
    );
    outgoing.on('close', () => noAnswer('the connection was closed without a whole answer'));
    outgoing.on('response', (incoming) => {
      httpStatus = incoming.statusCode;
      clearTimeout(part);
      part = within(limits.gatewayBodyTimeoutMs, 'the body of the answer');
      readBody(incoming, limits.gatewayReplyLimitBytes, (body) => {
        if (body.kind === 'body') give(answerOf(incoming, body.bytes, limits.gatewayReplyLimitBytes));
        else noAnswer(body.reason);
      });
    });
    outgoing.end(body);
  });
}

/** The request, of which nothing leaves before its end is called; or why HTTP can't carry it. */
function httpPost(socket: Socket, url: URL, { headers, body }: GatewayRequest): ClientRequest | Error {
  // RFC 9110 section 12.5.3: where no coding is named, any is acceptable.
  const own = { 'content-length': Buffer.byteLength(body), connection: 'close', 'accept-encoding': 'identity' };
  try {
    return httpRequest({
      createConnection: () => socket,
      method: 'POST',
      path: url.pathname + url.search,
      setHost: false,
      headers: { host: url.host, 'user-agent': 'payouts', ...headers, ...own },
    });
  } catch (error) {
    return error instanceof Error ? error : new Error('the request could not be made');
  }
}

type Body = { readonly kind: 'body'; readonly bytes: Buffer } | { readonly kind: 'cut'; readonly reason: string };

function readBody(incoming: IncomingMessage, limitBytes: number, give: (body: Body) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limitBytes) give({ kind: 'cut', reason: `the answer is longer than ${limitBytes} bytes` });
    else chunks.push(chunk);
  });
  incoming.on('end', () => give({ kind: 'body', bytes: Buffer.concat(chunks) }));
  incoming.on('error', () => give({ kind: 'cut', reason: 'the answer was cut off' }));
  incoming.on('close', () => give({ kind: 'cut', reason: 'the answer was cut off' }));
}

function answerOf(incoming: IncomingMessage, bytes: Buffer, limitBytes: number): Evidence {
  if (!incoming.complete) {
    return { kind: 'no-answer', reason: 'the answer was cut off', httpStatus: incoming.statusCode ?? 0 };
  }
  const { 'content-length': length, 'transfer-encoding': coding, 'content-type': contentType } = incoming.headers;
  const contentEncoding = [incoming.headers['content-encoding'], coding?.replace(/(^|[,\s])chunked$/i, '')].join(',');
  const body = bodyText(bytes, { contentEncoding, contentType }, limitBytes);
  // RFC 9112 section 6.3: where a transfer coding is named, only "chunked" as the last one marks the end.
  const delimited = coding === undefined ? length !== undefined : /(^|[,\s])chunked$/i.test(coding.trim());
  const retryAfterSeconds = secondsOf(incoming.headers['retry-after'], incoming.headers.date);
  return {
    kind: 'answer',
    httpStatus: incoming.statusCode ?? 0,
    body: body.kind === 'text' ? body.text : '',
    ...(body.kind === 'unreadable' && { unreadable: body.reason }),
    framing: delimited ? 'delimited' : 'until-close',
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** RFC 9110 section 10.2.3. A date counts from the answer's own: both are of the gateway's clock. */
function secondsOf(retryAfter: string | undefined, date: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,6}$/.test(retryAfter)) return Number(retryAfter);
  const seconds = (httpDateMs(retryAfter) - httpDateMs(date)) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 999_999) : undefined;
}

/** IMF-fixdate, the only form that is sent today; NaN for anything else. */
const httpDateMs = (text = ''): number =>
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
