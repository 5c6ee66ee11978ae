// A server below HTTP: it sends its script, byte for byte, and keeps the bytes that arrived. These manners are all that a gateway, a
// proxy or a dying network can do to one POST.
import { once } from 'node:events';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { testCertificateKeyPem, testCertificatePem } from '../local/gateway/support/tls-certificate.ts';

/** The server's manner with a connection; `request` resolves when a whole request has arrived on it. */
export type Manner = (socket: Socket, request: Promise<void>) => unknown;

/** What some connections brought, in plain text where they came over TLS. */
export interface Heard {
  readonly requestBytes: number;
  /** Requests read to their last byte: each is an order that is carried out. */
  readonly requests: number;
}

/** A running server. */
export interface RawServer {
  readonly port: number;
  readonly url: string;
  /** The bytes of each connection, as text. */
  readonly received: readonly string[];
  /** For each connection, whether it resumed an earlier TLS session. */
  readonly resumed: readonly boolean[];
  /** Requests that arrived, whole or in part. */
  requests(): number;
  /** What came in from these ports of this machine; told once, as the ports are soon another connection's. */
  heardFrom(ports: readonly number[]): Heard;
  /** Resolves when no connection is open any more. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server on loopback; it ends with the test. */
export async function startRawServer(...how: Parameters<typeof openRawServer>): Promise<RawServer> {
  const server = await openRawServer(...how);
  onTestFinished(server.close);
  return server;
}

/** Starts a server on loopback, for many tests. */
export async function openRawServer(
  protocol: 'http' | 'https',
  manner: Manner,
  host = '127.0.0.1',
  tls: TlsOptions = {},
): Promise<RawServer> {
  const received: string[] = [];
  const resumed: boolean[] = [];
  const byPort = new Map<number, number>();
  const open = new Set<Socket>();
  const serve = (socket: Socket) => {
    const index = received.push('') - 1;
    byPort.set(socket.remotePort ?? 0, index);
    resumed.push(socket instanceof TLSSocket && socket.isSessionReused());
    const request = new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        const text = (received[index] += chunk.toString('latin1'));
        if (wholeRequestsIn(text) > 0) resolve();
      });
    });
    void manner(socket, request);
  };
  const server = protocol === 'http' ? createTcpServer(serve) : createTlsServer({ ...certificate, ...tls }, serve);
  server.on('connection', (socket: Socket) => {
    open.add(socket.setNoDelay(true));
    socket.on('error', () => {}).once('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.on('secureConnection', (socket: Socket) => socket.on('error', () => {}));
  const port = await listening(server, host);
  return {
    port,
    url: `${protocol}://${host}:${port}/paynet/api/v4/payout/39915`,
    received,
    resumed,
    requests: () => received.join('').split('POST /').length - 1,
    heardFrom(ports) {
      const texts = ports.map((from) => received[byPort.get(from) ?? -1] ?? '');
      for (const from of ports) byPort.delete(from);
      return {
        requestBytes: texts.reduce((sum, text) => sum + text.length, 0),
        requests: texts.reduce((sum, text) => sum + wholeRequestsIn(text), 0),
      };
    },
    allClosed: async () => void (await Promise.all([...open].map((socket) => once(socket, 'close')))),
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** How many requests are there to their last byte. */
function wholeRequestsIn(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n') + 4;
  if (headEnd < 4) return 0;
  const end = headEnd + Number(/^content-length: (\d+)$/im.exec(text.slice(0, headEnd))?.[1] ?? 0);
  return text.length < end ? 0 : 1 + wholeRequestsIn(text.slice(end));
}

const certificate = { key: testCertificateKeyPem, cert: testCertificatePem };

/** Listens on a free port and returns it. */
export async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, host), 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Reads the whole request, and then does this. */
export const reads =
  (act: (socket: Socket) => unknown): Manner =>
  async (socket, request) => {
    await request;
    act(socket);
  };

/** Reads the whole request, sends this, and closes. */
export const says = (...parts: readonly (string | Buffer)[]) =>
  reads((socket) => socket.end(Buffer.concat(parts.map((it) => Buffer.from(it as string)))));

/** Reads the whole request, sends this, and then nothing for ever. */
export const saysAndStalls = (text: string | Buffer) => reads((socket) => socket.write(text));

/** An HTTP answer with a length. */
export function answer(status: number, body: string, ...headers: readonly string[]): Manner {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return says([`HTTP/1.1 ${status} Word`, length, ...headers, '', body].join('\r\n'));
}
