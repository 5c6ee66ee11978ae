// The listening side: TCP sockets, request bodies within a limit, pausing on a fixed port, and an end to everything.
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { ownHostsAlone } from '../own-hosts.ts';

/** Where to listen and how. */
interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  readonly onRequest: RequestListener;
}

/** Listens on a socket that can go away and come back. */
export async function listen(options: ListenerOptions) {
  const transports = new Map<string, Socket>();
  let server: Server | undefined = await open(options, options.port, transports);
  const { port } = addressOf(server);

  async function stopListening(): Promise<void> {
    if (server === undefined) return;
    const stopping = server;
    server = undefined;
    stopping.close();
    stopping.closeIdleConnections();
    // The port is free once the handle is closed, which is a turn of the event loop later.
    await new Promise(setImmediate);
  }

  return {
    port,
    /** Stops listening: new connections are refused. Requests already under way go on; idle connections end. */
    pause: stopListening,
    /** Listens again on the same port. */
    async resume(): Promise<void> {
      server ??= await open(options, port, transports);
    },
    /** Stops for good and cuts every connection. */
    async close(): Promise<void> {
      await stopListening();
      for (const socket of transports.values()) socket.destroy();
    },
    /** The TCP socket of a request, below any TLS. */
    transportOf: ({ socket }: IncomingMessage): Socket => transports.get(peerOf(socket)) ?? socket,
  };
}

async function open(options: ListenerOptions, port: number, transports: Map<string, Socket>): Promise<Server> {
  const { tls, onRequest, host } = options;
  const server = ownHostsAlone(tls === undefined ? createHttpServer(onRequest) : createHttpsServer(tls, onRequest));
  // A TLS socket cannot be reset, so the TCP socket below it is kept, by the client's address.
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    transports.set(peer, socket);
    socket.once('close', () => transports.delete(peer));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The simulator listens on TCP only');
  return address;
}

/** The whole body; `too-large` as soon as it passes the limit (the rest is drained and dropped). */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | 'too-large'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= limitBytes) chunks.push(chunk);
      else resolve('too-large');
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}
