// A TCP proxy that lets exactly so many bytes through and then cuts: the cable between worker and gateway, with a
// knife at a chosen byte. It knows nothing of TLS or HTTP, so below TLS it cuts in the middle of records.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** From the worker to the gateway, or back. */
export type Direction = 'request' | 'reply';

/** How the connection ends for the worker: FIN, RST, or silence. */
export type CutKind = 'close' | 'reset' | 'stall';

/** Where the cable is cut. */
export interface Cut {
  readonly direction: Direction;
  /** Bytes that still get through in that direction. */
  readonly afterBytes: number;
  readonly kind: CutKind;
}

/** A running proxy. */
export interface CuttingProxy {
  readonly port: number;
  /** Connections that were made to it. */
  connections(): number;
  /** Bytes let through so far. */
  passed(direction: Direction): number;
  /** Its own ports at the gateway: by them the gateway knows whose bytes it has read. */
  upstreamPorts(): readonly number[];
  /** Ends what is left, gently at first: the gateway is to read every byte that got through. */
  close(): Promise<void>;
}

/** A gateway that does not read never closes either. */
const patienceMs = 300;

/** Starts a proxy to a port on this machine; without a cut it only counts. */
export async function startCuttingProxy(upstreamPort: number, cut?: Cut): Promise<CuttingProxy> {
  const passed = { request: 0, reply: 0 };
  const upstreamPorts: number[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    connections += 1;
    const upstream = connect({ port: upstreamPort, host: '127.0.0.1', allowHalfOpen: true });
    upstream.on('connect', () => upstreamPorts.push(upstream.localPort ?? 0));
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true).on('error', () => {}));
      socket.once('close', () => sockets.delete(socket));
    }
    join(client, upstream);
  });

  function join(client: Socket, upstream: Socket): void {
    let isCut = false;
    const strike = () => {
      isCut = true;
      // Never reset: the gateway is to read every byte that got through.
      if (cut?.kind !== 'stall') upstream.end();
      if (cut?.kind === 'close') client.end();
      if (cut?.kind === 'reset') client.resetAndDestroy();
    };
    const forward = (direction: Direction, from: Socket, to: Socket) => {
      from.on('data', (chunk) => {
        if (isCut) return;
        const isCutHere = cut?.direction === direction && passed[direction] + chunk.length >= cut.afterBytes;
        const part = isCutHere ? chunk.subarray(0, cut.afterBytes - passed[direction]) : chunk;
        passed[direction] += part.length;
        if (isCutHere) isCut = true;
        // The cut comes when the bytes are with the kernel: on this machine that is with the other side.
        if (part.length > 0) to.write(part, isCutHere ? strike : undefined);
        else if (isCutHere) strike();
      });
      from.on('end', () => isCut || to.end());
    };
    client.once('close', () => upstream.end().resume());
    if (cut?.direction === 'request' && cut.afterBytes === 0) strike();
    forward('request', client, upstream);
    forward('reply', upstream, client);
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    connections: () => connections,
    passed: (direction) => passed[direction],
    upstreamPorts: () => upstreamPorts,
    async close() {
      server.close();
      for (const socket of sockets) socket.end();
      const patience = setTimeout(() => sockets.forEach((socket) => socket.destroy()), patienceMs);
      await Promise.all([...sockets].map((socket) => once(socket, 'close')));
      clearTimeout(patience);
    },
  };
}
