// A server of a benchmark on loopback, with TLS or without: one certificate, which whoever calls is told to trust.
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createRelay, type Server, type Socket } from 'node:net';
import { testCertificateKeyPem, testCertificatePem } from '../../local/gateway/support/tls-certificate.ts';

/** How the servers of a benchmark answer. */
export interface Manner {
  /** Default false. */
  readonly tls?: boolean;
  /** Of each call of AWS; default 0. */
  readonly latencyMs?: number;
  /** How long each byte to the gateway and back is on its way; default 0. The first step of TCP takes no time all the same. */
  readonly gatewayAwayMs?: number;
}

/** Listens on a free port, keeps connections for a minute; returns the address. */
export async function listen(
  take: RequestListener,
  { tls = false, gatewayAwayMs = 0 }: Pick<Manner, 'tls' | 'gatewayAwayMs'>,
): Promise<string> {
  const certificate = { key: testCertificateKeyPem, cert: testCertificatePem };
  const server = tls ? createTlsServer(certificate, take) : createServer(take);
  server.keepAliveTimeout = 60_000;
  const port = await portOf(server);
  const nearest = gatewayAwayMs > 0 ? await portOf(relayTo(port, gatewayAwayMs)) : port;
  return `${tls ? 'https' : 'http'}://127.0.0.1:${nearest}`;
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Hands everything on, in its order, so much later. */
function relayTo(port: number, awayMs: number): Server {
  return createRelay({ noDelay: true, allowHalfOpen: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const hand = (from: Socket, to: Socket) => {
      from.on('data', (chunk) => setTimeout(() => to.write(chunk), awayMs));
      from.on('end', () => setTimeout(() => to.end(), awayMs));
      from.on('error', () => to.destroy());
    };
    hand(near, far);
    hand(far, near);
  });
}
