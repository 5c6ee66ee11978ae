// A server of a benchmark on loopback, with TLS or without: one certificate, which callers are told to trust.
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { testCertificateKeyPem, testCertificatePem } from '../../local/gateway/support/tls-certificate.ts';

/** How the servers of a benchmark answer. */
export interface Manner {
  /** Default false. */
  readonly tls?: boolean;
  /** Of each call of AWS; default 0. */
  readonly latencyMs?: number;
}

/** Listens on a free port, keeps connections for a minute; returns the address. */
export async function listen(take: RequestListener, { tls = false }: Pick<Manner, 'tls'>): Promise<string> {
  const certificate = { key: testCertificateKeyPem, cert: testCertificatePem };
  const server = tls ? createTlsServer(certificate, take) : createServer(take);
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
}
