// One POST to the gateway, and the evidence of its outcome; outcome.ts judges it. No retry, no redirect, a fresh connection for each
// payment: only an unused socket can prove that nothing left. Inquiries move no money: only they use kept connections.
import type { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type {
  Connection,
  ConnectionAhead,
  Evidence,
  Gateway,
  GatewayLimits,
  GatewayRequest,
  GatewayRoute,
  Wire,
} from './ports.ts';
import { createConnector, isQuiet, type Lookup, whenClosed } from './http-connection.ts';
import { exchangeOver } from './http-exchange.ts';

// See http-exchange.ts: an `import` of it costs a third of a cold start.
const { Agent: HttpAgent } = process.getBuiltinModule('node:http');

/** The options of a gateway's client. */
export interface HttpGatewayOptions {
  readonly limits: GatewayLimits;
  readonly nowMs: () => number;
  /** A monotonic clock, which is never set. */
  readonly uptimeMs: () => number;
  /** PEM certificates to trust instead of the system's; for tests and private gateways. */
  readonly ca?: string;
  /** Finds the addresses of a host name. Default: the system's. */
  readonly lookup?: Lookup;
}

/**
 * The longest that a connection made ahead may wait for its request. Gateways close silent connections after some seconds; closing
 * one while the request is written puts the order in doubt.
 */
const aheadAtMostMs = 1_000;

/** One POST over a wire: connect, check the time left, send. */
export function createGatewayOver<Socket>(wire: Wire<Socket>, nowMs: () => number, uptimeMs: () => number): Gateway {
  /** Takes a connection that was begun, at most once; undefined if it does not fit the request. */
  const begun = new WeakMap<ConnectionAhead, (request: GatewayRequest) => Promise<Connection<Socket> | undefined>>();

  return {
    async post(request) {
      const url = URL.parse(request.url);
      if (!url) return { kind: 'not-sent', reason: 'the request has no address (ERR_INVALID_URL)' };
      const ahead = request.ahead && (await begun.get(request.ahead)?.(request));
      const connection = ahead ?? (await wire.connect(url, request.route));
      const evidence = await evidenceOf(connection, url, request);
      await wire.close(connection.socket);
      return evidence;
    },
    connectAhead(address, route) {
      const url = URL.parse(address);
      const startedMs = nowMs();
      const calledOff = new AbortController();
      let connecting = url ? wire.connect(url, route, calledOff.signal) : undefined;
      const close = async () => {
        const unused = connecting;
        connecting = undefined;
        if (!unused) return;
        calledOff.abort();
        await wire.close((await unused).socket);
      };
      const ahead = { close };
      begun.set(ahead, async (request) => {
        const isFor = URL.parse(request.url)?.origin === url?.origin && request.route === route;
        const connection = isFor && nowMs() - startedMs <= aheadAtMostMs ? await connecting : undefined;
        if (!connection || (connection.kind === 'connected' && !wire.isQuiet(connection.socket))) {
          await close();
          return undefined;
        }
        connecting = undefined;
        return connection;
      });
      return ahead;
    },
  };

  async function evidenceOf(connection: Connection<Socket>, url: URL, request: GatewayRequest): Promise<Evidence> {
    // Nothing is awaited between this check and the first byte: a process that thaws late is stopped here.
    if (nowMs() > request.notAfterMs || uptimeMs() > (request.notAfterUptimeMs ?? Infinity))
      return { kind: 'not-sent', reason: 'too little time was left to send and settle', isLate: true };
    if (connection.kind === 'not-connected') return { kind: 'not-sent', reason: connection.reason };
    return wire.exchange(connection.socket, url, request);
  }
}

/** A gateway over node:http and node:tls. */
export function createHttpGateway({ limits, nowMs, uptimeMs, ca, lookup }: HttpGatewayOptions): Gateway {
  const connect = createConnector(limits.gatewayConnectTimeoutMs, ca, lookup);
  const exchange: Wire<Socket>['exchange'] = (socket, url, request) => exchangeOver(socket, url, request, limits);
  return createGatewayOver({ connect, isQuiet, exchange, close: whenClosed }, nowMs, uptimeMs);
}

/** Connections kept for inquiries, of all merchants together, and how long one is kept unused. */
const keptAtMost = 20;
const keptUnusedMs = 60_000;

interface KeptConnection {
  readonly origin: string;
  readonly route: GatewayRoute | undefined;
  readonly socket: Socket;
  readonly sinceMs: number;
}

/**
 * A gateway that keeps connections for inquiries. If the other side has closed a kept connection, the inquiry fails on it and is sent
 * once more over a fresh one. Any other request gets a fresh connection, as a payment does.
 */
export function createHttpInquiries(options: HttpGatewayOptions): Gateway {
  const { limits, nowMs, uptimeMs, ca, lookup } = options;
  const fresh = createHttpGateway(options);
  const connect = createConnector(limits.gatewayConnectTimeoutMs, ca, lookup);
  const agents = new WeakMap<Socket, Agent>();
  const unused: KeptConnection[] = [];
  const used = new WeakMap<Socket, Pick<KeptConnection, 'origin' | 'route'>>();
  const served = new WeakSet<Socket>();

  function keptFor({ origin }: URL, route: GatewayRoute | undefined): Socket | undefined {
    for (;;) {
      const index = unused.findLastIndex((it) => it.origin === origin && it.route === route);
      const [found] = index < 0 ? [] : unused.splice(index, 1);
      if (!found || (isQuiet(found.socket) && nowMs() - found.sinceMs < keptUnusedMs)) return found?.socket;
      found.socket.destroy();
    }
  }

  const kept = createGatewayOver<Socket>(
    {
      isQuiet,
      async connect(url, route) {
        const socket = keptFor(url, route);
        if (socket) return { kind: 'connected', socket };
        const connection = await connect(url, route);
        agents.set(connection.socket, agentFor(connection.socket));
        used.set(connection.socket, { origin: url.origin, route });
        return connection;
      },
      async exchange(socket, url, request) {
        const isFirst = !served.has(socket);
        const evidence = await exchangeOver(socket, url, request, limits, agents.get(socket));
        served.add(socket);
        if (isFirst || evidence.kind !== 'no-answer') return evidence;
        // Only a closed connection counts; an answer may also be missing because it is slow or long.
        const isClosed = evidence.httpStatus === undefined ? !isQuiet(socket) : socket.destroyed;
        return isClosed ? fresh.post(request) : evidence;
      },
      async close(socket) {
        const of = used.get(socket);
        // An agent takes a connection back only if its answer was whole and neither side wants it closed.
        const isFree = Object.keys(agents.get(socket)?.freeSockets ?? {}).length > 0;
        if (!of || !isFree || !isQuiet(socket)) return whenClosed(socket);
        if (unused.push({ ...of, socket, sinceMs: nowMs() }) > keptAtMost) unused.shift()?.socket.destroy();
      },
    },
    nowMs,
    uptimeMs,
  );
  return { post: (request) => (isInquiry(request) ? kept : fresh).post(request) };
}

const isInquiry = ({ url }: GatewayRequest): boolean => url.includes('/status/');

/** The agent of one connection; it respects the other side's Keep-Alive time. */
function agentFor(socket: Socket): Agent {
  const agent = new HttpAgent({ keepAlive: true, maxSockets: 1, timeout: keptUnusedMs });
  return Object.assign(agent, { createConnection: () => socket });
}
