// Connects to a gateway by the route in a merchant's secret: direct or through a proxy's tunnel, with our certificate if the gateway
// asks for one, trusting the system's or a private authority. No byte of a request leaves here: a failure has sent nothing.
import { ADDRCONFIG, lookup as systemLookup } from 'node:dns';
import { connect as tcpConnect, isIP, Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as tlsConnect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { Connection, GatewayRoute } from './ports.ts';

// See http-exchange.ts: an `import` of it costs a third of a cold start.
const { request: httpRequest } = process.getBuiltinModule('node:http');

/** TLS sessions kept for resumption; a merchant has one gateway host, so this many is plenty. */
const sessionsKept = 100;

/**
 * In TLS 1.3 a client is ready before the server has checked its certificate: a refusal would come after the request has left, and
 * the order would be in doubt. The server's first session ticket shows that it has checked. For a server without tickets we wait
 * this long.
 */
const ticketWaitMs = 500;

/**
 * X25519 first. OpenSSL would offer its hybrid with ML-KEM first: 0.2 ms more for each payment, and a second packet. A gateway that
 * asks for the hybrid gets it.
 */
const keyExchanges = 'X25519:X25519MLKEM768:P-256:P-384:P-521';

/** The trust of one route's connections, and the sessions that they may resume: no other route's. */
interface Trust {
  /** Shared by all connections of the route: making one costs more than the rest of a handshake. */
  readonly context: SecureContext;
  /** The sessions by host and port. */
  readonly sessions: Map<string, Buffer>;
}

function trustOf({ client, ca }: GatewayRoute): Trust {
  const shown = client && {
    cert: client.certificatePem,
    key: client.key.export({ type: 'pkcs8', format: 'pem' }),
  };
  const context = createSecureContext({ ...shown, ca, ecdhCurve: keyExchanges });
  return { sessions: new Map(), context };
}

/** Finds all addresses of a host name. */
export type Lookup = (
  host: string,
  options: { readonly all: true; readonly hints: number },
  found: (error: Error | null, addresses: { readonly address: string; readonly family: number }[]) => void,
) => void;

/** Connects within the deadline, which covers DNS, TCP, the tunnel and TLS. `ca`: trusted for calls without a route. */
export function createConnector(deadlineMs: number, ca?: string, lookup: Lookup = systemLookup) {
  const straight: GatewayRoute = { ca };
  const trusts = new WeakMap<GatewayRoute, Trust>();

  function kept(route: GatewayRoute): Trust {
    const trust = trusts.get(route) ?? trustOf(route);
    trusts.set(route, trust);
    return trust;
  }

  /** Resolves when the connection is ready for the first byte of a request. Never rejects. */
  return (url: URL, route: GatewayRoute = straight, calledOff?: AbortSignal): Promise<Connection<Socket>> =>
    new Promise((resolve) => {
      const isSecure = url.protocol === 'https:';
      let socket: Socket | undefined;
      let isOver = false;
      const give = (kind: 'connected' | 'not-connected', reason = '') => {
        isOver = true;
        clearTimeout(timer);
        resolve({ kind, socket: socket ?? new Socket(), reason });
      };
      const fail = (why: string) => give('not-connected', `no connection ${why}`);
      const timer = setTimeout(() => fail(`within ${deadlineMs} ms`), deadlineMs);
      calledOff?.addEventListener('abort', () => fail('(called off)'));
      // These listeners stay: an error without a listener would end the process, and the first failure counts.
      const watched = <S extends Socket>(begun: S): S => {
        socket = begun;
        // Nagle's algorithm would hold the request until the gateway acknowledges the handshake: 30 to 40 ms a payment.
        begun.setNoDelay(true);
        begun
          .on('error', (error) => fail(`(${errorCodeOnly(error)})`))
          .on('close', () => fail('(closed before it was ready)'));
        return begun;
      };
      const secure = (way: TcpNetConnectOpts | { readonly socket: Socket }) => {
        const trust = kept(route);
        whenReady(watched(secureSocket(url, trust, way)), route.client !== undefined, () => give('connected'));
      };
      const begin = (peer: TcpNetConnectOpts) => {
        if (isOver) return;
        try {
          if (route.proxy) askForTunnel(watched(tcpConnect(peer)), url, route.proxy, secure, fail);
          else if (isSecure) secure(peer);
          else watched(tcpConnect(peer)).once('connect', () => give('connected'));
        } catch (error) {
          fail(`(${error instanceof Error ? errorCodeOnly(error) : 'unknown'})`);
        }
      };
      // A request in the clear would be readable by the proxy.
      if (route.proxy && !isSecure) fail('(a proxy is for https alone)');
      else findPeer(route.proxy ?? endpointOf(url, isSecure ? 443 : 80), { deadlineMs, lookup }, begin, fail);
    });
}

/**
 * Finds the addresses of a host; each has an equal share of the deadline. Node would give all but the last 250 ms: a gateway that
 * needs longer would be unreachable.
 */
function findPeer(
  { host, port }: { readonly host: string; readonly port: number },
  { deadlineMs, lookup }: { readonly deadlineMs: number; readonly lookup: Lookup },
  begin: (peer: TcpNetConnectOpts) => void,
  fail: (why: string) => void,
): void {
  if (isIP(host) !== 0) return begin({ host, port });
  lookup(host, { all: true, hints: ADDRCONFIG }, (error, addresses) => {
    if (error) return fail(`(${errorCodeOnly(error)})`);
    begin({
      host,
      port,
      lookup: (_host, _options, found) => found(null, addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: Math.ceil(deadlineMs / Math.max(addresses.length, 1)),
    });
  });
}

/** Asks the proxy for a tunnel. The proxy is trusted with nothing more: TLS proves who is at the other end. */
function askForTunnel(
  socket: Socket,
  url: URL,
  { authorization }: NonNullable<GatewayRoute['proxy']>,
  opened: (way: { readonly socket: Socket }) => void,
  fail: (why: string) => void,
): void {
  const authority = `${url.hostname}:${endpointOf(url, 443).port}`;
  const request = httpRequest({
    createConnection: () => socket,
    method: 'CONNECT',
    path: authority,
    setHost: false,
    headers: {
      host: authority,
      ...(authorization && { 'proxy-authorization': authorization.export().toString('latin1') }),
    },
  });
  request.on('error', (error) => fail(`(the proxy: ${errorCodeOnly(error)})`));
  request.on('connect', ({ statusCode = 0 }, _, early: Buffer) => {
    if (statusCode < 200 || statusCode > 299) return fail(`(the proxy answered ${statusCode})`);
    // A TLS server never speaks first: these bytes are the proxy's own.
    if (early.length > 0) return fail('(the proxy spoke in the place of the gateway)');
    try {
      opened({ socket });
    } catch (error) {
      fail(`(${error instanceof Error ? errorCodeOnly(error) : 'unknown'})`);
    }
  });
  request.end();
}

function secureSocket(
  url: URL,
  { context, sessions }: Trust,
  way: TcpNetConnectOpts | { readonly socket: Socket },
): TLSSocket {
  const session = sessions.get(url.host);
  const { host } = endpointOf(url, 443);
  // A server name is a DNS name; RFC 6066 section 3 allows no address there.
  const servername = /^[\d.]+$|:/.test(host) ? '' : host;
  const socket = tlsConnect({
    host,
    ...way,
    servername,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
    session,
    secureContext: context,
  });
  const keepFresh = () =>
    socket.on('session', (fresh) => {
      if (sessions.size >= sessionsKept) sessions.clear();
      sessions.set(url.host, fresh);
    });
  // Each listener makes OpenSSL write tickets out; a fresh ticket is needed only if the last was refused.
  if (!session) return keepFresh();
  return socket.once('secureConnect', () => {
    if (socket.isSessionReused()) return;
    sessions.delete(url.host);
    keepFresh();
  });
}

/**
 * Calls `ready` when the handshake is over on both sides, as far as a server shows that. Without our certificate the server checks
 * nothing, so no ticket is awaited.
 */
function whenReady(socket: TLSSocket, isClientShown: boolean, ready: () => void): void {
  if (!isClientShown) {
    socket.once('secureConnect', ready);
    return;
  }
  let hasTicket = false;
  socket.once('session', () => (hasTicket = true));
  socket.once('secureConnect', () => {
    if (hasTicket || socket.getProtocol() !== 'TLSv1.3') return ready();
    const timer = setTimeout(ready, ticketWaitMs);
    socket.once('close', () => clearTimeout(timer));
    socket.once('session', () => {
      clearTimeout(timer);
      // Later: bytes that are written within OpenSSL's read callback are not sent.
      setImmediate(ready);
    });
  });
}

function endpointOf(url: URL, defaultPort: number): { host: string; port: number } {
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || defaultPort };
}

/** The code of an error without its text, which may quote the request. */
export function errorCodeOnly(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** True if the peer has neither closed the connection nor sent a byte, as far as has arrived here. */
export const isQuiet = ({ readable, writable, readableLength }: Socket): boolean =>
  readable && writable && readableLength === 0;

/** Closes the socket and waits for that: a socket that is open when Lambda freezes the process would thaw with it. */
export function whenClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) return resolve();
    socket.once('close', () => resolve());
    socket.destroy();
  });
}
