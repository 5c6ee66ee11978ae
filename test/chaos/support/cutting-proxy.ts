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

/** What goes over the cable from one `begin` to the next. */
interface Passage {
  connections(): number;
  /** What was let through so far. */
  passed(direction: Direction): Buffer;
  /** The proxy's own ports at the gateway: by them the gateway knows whose bytes it has read. */
  upstreamPorts(): readonly number[];
  /** Ends what is left, gently at first: the gateway is to read every byte that got through. */
  end(): Promise<void>;
}

/** A running proxy. */
export interface CuttingProxy {
  readonly port: number;
  /** From now on connections are cut like this; without a cut they are only counted. */
  begin(cut?: Cut): Passage;
  close(): Promise<void>;
}

/** A gateway that does not read never closes either. */
const patienceMs = 300;

/** Starts a proxy to a port on this machine. */
export async function startCuttingProxy(upstreamPort: number): Promise<CuttingProxy> {
  let passage = beginPassage(upstreamPort);
  const server = createServer({ allowHalfOpen: true }, (client) => passage.join(client));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    begin: (cut) => (passage = beginPassage(upstreamPort, cut)),
    async close() {
      server.close();
      await passage.end();
    },
  };
}

function beginPassage(upstreamPort: number, cut?: Cut): Passage & { join(client: Socket): void } {
  const passed: Record<Direction, Buffer> = { request: Buffer.alloc(0), reply: Buffer.alloc(0) };
  const upstreamPorts: number[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  function join(client: Socket): void {
    connections += 1;
    const upstream = connect({ port: upstreamPort, host: '127.0.0.1', allowHalfOpen: true });
    upstream.on('connect', () => upstreamPorts.push(upstream.localPort ?? 0));
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true).on('error', () => {}));
      socket.once('close', () => sockets.delete(socket));
    }
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
        if (isCut || !to.writable) return;
        const soFar = passed[direction].length;
        const isCutHere = cut?.direction === direction && soFar + chunk.length >= cut.afterBytes;
        const part = isCutHere ? chunk.subarray(0, cut.afterBytes - soFar) : chunk;
        passed[direction] = Buffer.concat([passed[direction], part]);
        if (isCutHere) isCut = true;
        // The cut comes when the bytes are with the kernel: on this machine that is with the other side.
        if (part.length > 0) to.write(part, isCutHere ? strike : undefined);
        else if (isCutHere) strike();
      });
      from.on('end', () => isCut || to.end());
    };
    client.once('close', () => upstream.end().resume());
    upstream.once('close', () => {
      if (isCut || !upstream.errored) return;
      // Node never closes a socket that is reset while its FIN is on its way.
      if (client.writableEnded) client.destroy();
      else client.resetAndDestroy();
    });
    if (cut?.direction === 'request' && cut.afterBytes === 0) strike();
    forward('request', client, upstream);
    forward('reply', upstream, client);
  }

  return {
    join,
    connections: () => connections,
    passed: (direction) => passed[direction],
    upstreamPorts: () => upstreamPorts,
    async end() {
      for (const socket of sockets) socket.end();
      const patience = setTimeout(() => sockets.forEach((socket) => socket.destroy()), patienceMs);
      await Promise.all([...sockets].map((socket) => new Promise((closed) => socket.once('close', closed))));
      clearTimeout(patience);
    },
  };
}
