// A gateway in the raw: reads one POST to its last byte and writes back whatever bytes it is given. It counts what it
// has read per connection, so that a trial knows what the worker can't: whether any byte of its request arrived.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { testCertificateKeyPem, testCertificatePem } from '../../local/gateway/support/tls-certificate.ts';

/** What one connection brought, in plain text where it came over TLS. */
export interface Heard {
  readonly requestBytes: number;
  /** Requests read to their last byte: each is an order that is carried out. */
  readonly requests: number;
}

/** A running gateway. */
export interface RawGateway {
  readonly port: number;
  /** What came in from these ports of this machine; told once, as the ports are soon another connection's. */
  heardFrom(ports: readonly number[]): Heard;
  /** All that came in. */
  heard(): Heard & { readonly connections: number };
  close(): Promise<void>;
}

/** How it answers. */
export interface RawGatewayOptions {
  /** Writes the answer to a whole request; the default says nothing. */
  readonly answer?: (socket: Socket) => void;
  /** Called for each new connection, before anything is read. */
  readonly onConnection?: (socket: Socket) => void;
  /** Over TLS, with these changes. */
  readonly tls?: TlsOptions;
}

type Counts = { requestBytes: number; requests: number };

/** Starts a gateway on a free port. */
export async function startRawGateway({ answer, onConnection, tls }: RawGatewayOptions): Promise<RawGateway> {
  const all: Counts[] = [];
  const byPort = new Map<number, Counts>();
  const sockets = new Set<Socket>();
  const serve = (socket: Socket) => {
    const counts: Counts = { requestBytes: 0, requests: 0 };
    all.push(counts);
    byPort.set(socket.remotePort ?? 0, counts);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      counts.requestBytes += chunk.length;
      text += chunk.toString('latin1');
      for (let length = wholeRequestLength(text); length > 0; length = wholeRequestLength(text)) {
        text = text.slice(length);
        counts.requests += 1;
        answer?.(socket);
      }
    });
    onConnection?.(socket);
  };
  const server = tls
    ? createTlsServer({ key: testCertificateKeyPem, cert: testCertificatePem, ...tls }, serve)
    : createServer(serve);
  server.on('tlsClientError', () => {});
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.setNoDelay(true).on('error', () => {}));
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const sum = (list: readonly Counts[]): Heard => ({
    requestBytes: list.reduce((total, it) => total + it.requestBytes, 0),
    requests: list.reduce((total, it) => total + it.requests, 0),
  });
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    heardFrom(ports) {
      const heard = sum(ports.flatMap((port) => byPort.get(port) ?? []));
      for (const port of ports) byPort.delete(port);
      return heard;
    },
    heard: () => ({ ...sum(all), connections: all.length }),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Length of the first request, head and body; 0 while it is not whole. */
function wholeRequestLength(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return 0;
  const length = headEnd + 4 + Number(/^content-length: (\d+)$/im.exec(text.slice(0, headEnd))?.[1] ?? 0);
  return text.length >= length ? length : 0;
}
