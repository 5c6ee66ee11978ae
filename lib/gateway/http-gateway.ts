// One POST to the gateway, and the evidence of its outcome. No retry, no redirect, a fresh connection for each
// payment: only a socket that carried nothing else can prove that nothing left. Inquiries move no money: they alone go over
// kept connections. Judges nothing (outcome.ts does).
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
 * A connection may be at most this old when the right to send is there. A gateway closes a silent one after some
 * seconds, and one that is closed while the request is written is an order in doubt.
 */
const aheadAtMostMs = 1_000;

/** One POST over a wire: connect, see that there is time left, send. */
export function createGatewayOver<Socket>(wire: Wire<Socket>, nowMs: () => number, uptimeMs: () => number): Gateway {
  /** The way to take a connection that was begun, once. */
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
    if (connection.kind === 'not-connected') return { kind: 'not-sent', reason: connection.reason };
    // From here to the write nothing is awaited: a process that froze and thawed late is stopped right here.
    if (nowMs() > request.notAfterMs || uptimeMs() > (request.notAfterUptimeMs ?? Infinity))
      return { kind: 'not-sent', reason: 'too little time was left to send and settle' };
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
 * A gateway for inquiries, over connections that are kept from one to the next. One that the other side closed while it lay
 * unused is discovered by asking: then the same inquiry is sent once more, over a fresh connection. Any other request goes as
 * a payment does.
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
      const [it] = index < 0 ? [] : unused.splice(index, 1);
      if (!it || (isQuiet(it.socket) && nowMs() - it.sinceMs < keptUnusedMs)) return it?.socket;
      it.socket.destroy();
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
        // The connection closed before or within the answer; an answer that is only slow or long is no closed connection.
        const isClosed = evidence.httpStatus === undefined ? !isQuiet(socket) : socket.destroyed;
        return isClosed ? fresh.post(request) : evidence;
      },
      async close(socket) {
        const of = used.get(socket);
        // Only a connection that its agent has taken back is free: its answer was whole, and neither side wants it closed.
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

/** The agent of one connection; it heeds how long the other side promises to keep it. */
function agentFor(socket: Socket): Agent {
  const agent = new HttpAgent({ keepAlive: true, maxSockets: 1, timeout: keptUnusedMs });
  return Object.assign(agent, { createConnection: () => socket });
}
