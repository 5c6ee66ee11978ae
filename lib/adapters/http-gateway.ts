// One POST to the gateway, and the evidence of what became of it. No retry, no redirect, a fresh connection for each
// request: only a socket that carried nothing else can prove that nothing left. Judges nothing (domain/outcome.ts does).
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { connect as tcpConnect, type Socket } from 'node:net';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import type { Gateway, GatewayRequest } from '../app/ports.ts';
import type { Evidence } from '../domain/evidence.ts';
import type { Limits } from '../domain/limits.ts';

/** How to reach gateways. */
export interface HttpGatewayOptions {
  readonly limits: Pick<
    Limits,
    | 'gatewayConnectTimeoutMs'
    | 'gatewayHeadersTimeoutMs'
    | 'gatewayBodyTimeoutMs'
    | 'gatewayTotalTimeoutMs'
    | 'gatewayReplyLimitBytes'
  >;
  readonly nowMs: () => number;
  /** PEM certificates to trust instead of the system's; for tests and private gateways. */
  readonly ca?: string;
}

type Connection =
  | { readonly kind: 'connected'; readonly socket: Socket }
  | { readonly kind: 'not-connected'; readonly reason: string };

/** TLS sessions kept for resumption; a merchant has one gateway host, so this many is plenty. */
const sessionsKept = 100;

/** A gateway over node:http and node:tls. */
export function createHttpGateway({ limits, nowMs, ca }: HttpGatewayOptions): Gateway {
  const sessions = new Map<string, Buffer>();

  /** Resolves when the connection is ready for request bytes, none of which it has been given. */
  function connect(url: URL): Promise<Connection> {
    return new Promise((resolve) => {
      const socket = url.protocol === 'https:' ? secureSocket(url) : tcpConnect(endpointOf(url, 80));
      const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      const give = (connection: Connection) => {
        clearTimeout(timer);
        socket.off('error', failed).off('close', closed).off(ready, connected);
        if (connection.kind === 'not-connected') socket.on('error', () => {}).destroy();
        resolve(connection);
      };
      const failed = (error: Error) => give({ kind: 'not-connected', reason: `no connection (${codeOf(error)})` });
      const closed = () => give({ kind: 'not-connected', reason: 'no connection (closed before it was ready)' });
      const connected = () => give({ kind: 'connected', socket });
      const timer = setTimeout(
        () => give({ kind: 'not-connected', reason: `no connection within ${limits.gatewayConnectTimeoutMs} ms` }),
        limits.gatewayConnectTimeoutMs,
      );
      socket.once('error', failed).once('close', closed).once(ready, connected);
    });
  }

  function secureSocket(url: URL): TLSSocket {
    const session = sessions.get(url.host);
    const { host, port } = endpointOf(url, 443);
    // A server name is a DNS name; RFC 6066 section 3 allows no address there.
    const servername = /^[\d.]+$|:/.test(host) ? '' : host;
    const socket = tlsConnect({
      host,
      port,
      servername,
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
      ...(ca && { ca }),
    });
    return socket.on('session', (fresh) => {
      if (sessions.size >= sessionsKept) sessions.clear();
      sessions.set(url.host, fresh);
    });
  }

  return {
    async post(request) {
      const url = new URL(request.url);
      const connection = await connect(url);
      if (connection.kind === 'not-connected') return { kind: 'not-sent', reason: connection.reason };
      const { socket } = connection;
      // From here to the write nothing is awaited: a process that froze and thawed late is stopped right here.
      if (nowMs() > request.notAfterMs) {
        socket.on('error', () => {}).destroy();
        return { kind: 'not-sent', reason: 'too little time was left to send and settle' };
      }
      const evidence = await exchange({ socket, url, request, limits });
      await closed(socket);
      return evidence;
    },
  };
}

interface Exchange {
  readonly socket: Socket;
  readonly url: URL;
  readonly request: GatewayRequest;
  readonly limits: HttpGatewayOptions['limits'];
}

/** Hands the request over and waits for the whole answer. From the first line on, bytes may have left. */
function exchange({ socket, url, request, limits }: Exchange): Promise<Evidence> {
  return new Promise((resolve) => {
    let httpStatus: number | undefined;
    const timers: NodeJS.Timeout[] = [];
    const give = (evidence: Evidence) => {
      for (const timer of timers) clearTimeout(timer);
      resolve(evidence);
    };
    const noAnswer = (reason: string) =>
      give({ kind: 'no-answer', reason, ...(httpStatus !== undefined && { httpStatus }) });
    const within = (ms: number, what: string) =>
      timers.push(setTimeout(() => noAnswer(`no whole answer: ${what} took longer than ${ms} ms`), ms));

    const outgoing = httpPost(socket, url, request);
    outgoing.on('error', (error) => noAnswer(`the connection failed after the request was sent (${codeOf(error)})`));
    outgoing.on('close', () => noAnswer('the connection was closed without a whole answer'));
    outgoing.on('response', (incoming) => {
      httpStatus = incoming.statusCode;
      within(limits.gatewayBodyTimeoutMs, 'the body of the answer');
      readBody(incoming, limits.gatewayReplyLimitBytes, (body) => {
        if (body.kind === 'body') give(answerOf(incoming, body.text));
        else noAnswer(body.reason);
      });
    });
    within(limits.gatewayHeadersTimeoutMs, 'the answer');
    within(limits.gatewayTotalTimeoutMs, 'the exchange');
    outgoing.end(request.body);
  });
}

function httpPost(socket: Socket, url: URL, { headers, body }: GatewayRequest): ClientRequest {
  return httpRequest({
    createConnection: () => socket,
    method: 'POST',
    path: url.pathname + url.search,
    setHost: false,
    headers: {
      host: url.host,
      'user-agent': 'payouts',
      ...headers,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    },
  });
}

type Body = { readonly kind: 'body'; readonly text: string } | { readonly kind: 'cut'; readonly reason: string };

function readBody(incoming: IncomingMessage, limitBytes: number, give: (body: Body) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limitBytes) give({ kind: 'cut', reason: `the answer is longer than ${limitBytes} bytes` });
    else chunks.push(chunk);
  });
  incoming.on('end', () => give({ kind: 'body', text: Buffer.concat(chunks).toString('utf8') }));
  incoming.on('error', () => give({ kind: 'cut', reason: 'the answer was cut off' }));
  incoming.on('close', () => give({ kind: 'cut', reason: 'the answer was cut off' }));
}

function answerOf(incoming: IncomingMessage, body: string): Evidence {
  if (!incoming.complete) {
    return { kind: 'no-answer', reason: 'the answer was cut off', httpStatus: incoming.statusCode ?? 0 };
  }
  const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers;
  // RFC 9112 section 6.3: where a transfer coding is named, only "chunked" as the last one marks the end.
  const delimited = coding === undefined ? length !== undefined : /(^|[,\s])chunked$/i.test(coding.trim());
  const retryAfterSeconds = secondsOf(incoming.headers['retry-after']);
  return {
    kind: 'answer',
    httpStatus: incoming.statusCode ?? 0,
    body,
    framing: delimited ? 'delimited' : 'until-close',
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** RFC 9110 section 10.2.3; the date form is left aside, as the two clocks need not agree. */
function secondsOf(retryAfter: string | undefined): number | undefined {
  return retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined;
}

function endpointOf(url: URL, defaultPort: number): { host: string; port: number } {
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || defaultPort };
}

/** The code alone: an error's text may quote what was sent. */
function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** The handler may be frozen once it returns; an open socket would thaw with it. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) return resolve();
    socket.on('error', () => {});
    socket.once('close', () => resolve());
    socket.destroy();
  });
}
