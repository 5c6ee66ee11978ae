// A server below HTTP: it sends its script, byte for byte, and keeps the bytes that arrived. These manners are all that a gateway, a
// proxy or a dying network can do to one POST.
import { once } from 'node:events';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { testCertificateKeyPem, testCertificatePem } from '../local/gateway/support/tls-certificate.ts';

/** The server's manner with a connection; `request` resolves when a whole request has arrived on it. */
export type Manner = (socket: Socket, request: Promise<void>) => unknown;

/** A running server. */
interface RawServer {
  readonly url: string;
  /** The bytes of each connection, as text. */
  readonly received: readonly string[];
  /** For each connection, whether it resumed an earlier TLS session. */
  readonly resumed: readonly boolean[];
  /** Requests that arrived, whole or in part. */
  requests(): number;
  /** Resolves when no connection is open any more. */
  allClosed(): Promise<void>;
}

/** Starts a server on loopback; it ends with the test. */
export async function startRawServer(
  protocol: 'http' | 'https',
  manner: Manner,
  host = '127.0.0.1',
  tls: TlsOptions = certificate,
): Promise<RawServer> {
  const received: string[] = [];
  const resumed: boolean[] = [];
  const open = new Set<Socket>();
  const serve = (socket: Socket) => {
    const index = received.push('') - 1;
    resumed.push(socket instanceof TLSSocket && socket.isSessionReused());
    const request = new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        const text = (received[index] += chunk.toString('latin1'));
        const [head = '', body] = text.split('\r\n\r\n');
        if (body?.length === Number(/content-length: (\d+)/i.exec(head)?.[1])) resolve();
      });
    });
    void manner(socket, request);
  };
  const server = protocol === 'http' ? createTcpServer(serve) : createTlsServer(tls, serve);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {}).once('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.on('secureConnection', (socket: Socket) => socket.on('error', () => {}));
  const port = await listening(server, host);
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await close();
  });
  return {
    url: `${protocol}://${host}:${port}/paynet/api/v4/payout/39915`,
    received,
    resumed,
    requests: () => received.join('').split('POST /').length - 1,
    allClosed: async () => void (await Promise.all([...open].map((socket) => once(socket, 'close')))),
  };
}

const certificate = { key: testCertificateKeyPem, cert: testCertificatePem };

/** Listens on a free port and returns it. */
export async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, host), 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Reads the whole request, sends this, and closes. */
export const says =
  (...parts: readonly string[]): Manner =>
  async (socket, request) => {
    await request;
    socket.end(parts.join(''));
  };

/** Reads the whole request, sends this, and then nothing for ever. */
export const saysAndStalls =
  (text: string): Manner =>
  async (socket, request) => {
    await request;
    socket.write(text);
  };

/** An HTTP answer with a length. */
export function answer(status: number, body: string, ...headers: readonly string[]): Manner {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return says([`HTTP/1.1 ${status} Word`, length, ...headers, '', body].join('\r\n'));
}
