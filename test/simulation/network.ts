// The network between a process and the gateway: connections take time, are refused, hang, or are closed by the other side
// while they are unused. The worker's own transport runs over it (http-gateway.ts), the connection that it begins
// beside its claim included: the connection of each request, and its state, are compared with the transport's promises.
import { createGatewayOver } from '../../lib/gateway/http-gateway.ts';
import type { Connection, ConnectionAhead, Evidence, Gateway, GatewayRequest } from '../../lib/gateway/ports.ts';
import type { Process, Reply } from './process.ts';
import type { AheadFault, Weather } from './weather.ts';

/** One request on its way: the result of a connection made for it, and its exchange over one. */
export interface Exchange {
  readonly order: string;
  readonly connectionFails: boolean;
  /** The answer in the place of a connection. */
  readonly refused: () => Reply<Evidence>;
  readonly exchange: (connection: Line) => Promise<Evidence>;
}

/** One connection. */
interface Line {
  readonly origin: string;
  /** Closed by the gateway, and whether this side has heard of it. */
  state: 'open' | 'closed' | 'closed unseen';
  /** The fault of a request that leaves by it just now. */
  faultOfUse(): string | undefined;
}

/** The transport of one process. */
export function createNetwork(
  process: Process,
  { weather, exchangeOf }: { readonly weather: () => Weather; exchangeOf(request: GatewayRequest): Exchange },
): Gateway {
  /** Requests under way, by a mark in their address that no gateway sees. */
  const underWay = new Map<string, Exchange>();
  const beganFor = new WeakMap<Line, ConnectionAhead>();
  const aheadOf = new WeakMap<ConnectionAhead, Line>();
  let [requests, leaving] = [0, undefined as GatewayRequest | undefined];
  let begun: Line | undefined;

  function lineTo(origin: string): Line & { use(): void; close(): void } {
    let [used, closed] = [false, false];
    return {
      origin,
      state: 'open',
      faultOfUse() {
        const its = beganFor.get(this);
        if (closed) return 'by a connection that had been closed';
        if (used) return 'by a connection that had carried another request';
        if (its && its !== leaving?.ahead) return "by a connection that was begun for another's claim";
        if (leaving && URL.parse(leaving.url)?.origin !== origin) return 'by a connection to another gateway';
        return this.state === 'closed' ? 'by a connection that the gateway was seen to have closed' : undefined;
      },
      use: () => void (used = true),
      close: () => void (closed = true),
    };
  }
  type Socket = ReturnType<typeof lineTo>;

  async function connectFor(
    { order, connectionFails, refused }: Exchange,
    socket: Socket,
  ): Promise<Connection<Socket>> {
    if (!connectionFails) {
      await process.effect('connect', order, () => ({ answer: Promise.resolve() }));
      return { kind: 'connected', socket };
    }
    const evidence = await process.effect('connect', order, refused);
    return { kind: 'not-connected', socket, reason: 'reason' in evidence ? evidence.reason : '' };
  }

  /** It is unknown yet which request will use it, or whether any will. */
  function connectAhead(socket: Socket, calledOff: AbortSignal | undefined): Promise<Connection<Socket>> {
    const fault = weather().ahead();
    begun = socket;
    const { afterMs, reason } = aheadRefused[fault] ?? {};
    const connected = process.effect('connect', '', () => ({
      answer: Promise.resolve(),
      ...(afterMs !== undefined && { afterMs }),
    }));
    return new Promise((resolve) => {
      calledOff?.addEventListener('abort', () => resolve({ kind: 'not-connected', socket, reason: 'called off' }));
      void connected.then(() => {
        if (fault === 'closed before use') socket.state = 'closed';
        if (fault === 'closed unseen') socket.state = 'closed unseen';
        resolve(reason === undefined ? { kind: 'connected', socket } : { kind: 'not-connected', socket, reason });
      });
    });
  }

  const over = createGatewayOver<Socket>(
    {
      connect(url, _route, calledOff) {
        const socket = lineTo(url.origin);
        const request = underWay.get(url.hash);
        return request ? connectFor(request, socket) : connectAhead(socket, calledOff);
      },
      isQuiet: ({ state }) => state !== 'closed',
      exchange(socket, url, request) {
        leaving = request;
        const answer = underWay.get(url.hash)?.exchange(socket);
        leaving = undefined;
        socket.use();
        return answer ?? Promise.reject(new Error('a request without a sender'));
      },
      close: async (socket) => socket.close(),
    },
    process.nowMs,
    process.nowMs,
  );

  return {
    async post(request) {
      const mark = `#${(requests += 1)}`;
      const its = exchangeOf(request);
      underWay.set(mark, its);
      const line = request.ahead && aheadOf.get(request.ahead);
      // A gateway that is gone takes along the connections that were begun.
      if (line && its.connectionFails) line.state = 'closed';
      const evidence = await over.post({ ...request, url: `${request.url}${mark}` });
      underWay.delete(mark);
      return evidence;
    },
    ...(over.connectAhead && {
      connectAhead(address, route) {
        const ahead = over.connectAhead?.(address, route) ?? { close: async () => {} };
        if (begun) {
          beganFor.set(begun, ahead);
          aheadOf.set(ahead, begun);
        }
        begun = undefined;
        return ahead;
      },
    }),
  };
}

const aheadRefused: Readonly<Partial<Record<AheadFault, { readonly afterMs?: number; readonly reason: string }>>> = {
  refused: { reason: 'no connection (ECONNREFUSED)' },
  hangs: { afterMs: 5_000, reason: 'no connection within 5000 ms' },
};
