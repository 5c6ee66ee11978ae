// The listening side: a loopback port that can go away and come back, request bodies within a limit, and an end to everything.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { ownHostsAlone } from '../own-hosts.ts';

/** Listens on a free port of this machine. */
export async function listen(onRequest: RequestListener) {
  const server = ownHostsAlone(createServer(onRequest));
  async function listenOn(port: number): Promise<void> {
    if (!server.listening) await once(server.listen(port, '127.0.0.1'), 'listening');
  }
  async function pause(): Promise<void> {
    server.close();
    // The port is free once the handle is closed, which is a turn of the event loop later.
    await new Promise(setImmediate);
  }
  await listenOn(0);
  const address = server.address();
  const own = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    port: own,
    /** Stops listening: new connections are refused. Requests already under way go on; idle connections end. */
    pause,
    /** Listens again on the same port. */
    resume: () => listenOn(own),
    /** Stops for good and cuts every connection. */
    async close(): Promise<void> {
      await pause();
      server.closeAllConnections();
    },
  };
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
