// The ways to a gateway that a merchant's secret can name: a certificate of ours, a private authority, a proxy's tunnel. Each
// by real sockets; whatever goes wrong on the way has sent nothing.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHttpGateway } from '../../lib/gateway/http-gateway.ts';
import { operations } from '../../lib/gateway/operations.ts';
import type { Evidence } from '../../lib/gateway/ports.ts';
import { signedRequest } from '../../lib/gateway/signed-request.ts';
import { readFields } from '../support/merchant-secrets.ts';
import {
  clientCertificate,
  gatewayCertificate,
  privateAuthorityPem,
  strangersCertificate,
} from '../support/private-authority.ts';
import { answer, listening, type Manner, says, startRawServer } from '../support/raw-server.ts';
import { limits } from './evidence.ts';

const aGateway = (connectMs = limits.gatewayConnectTimeoutMs) =>
  createHttpGateway({
    limits: { ...limits, gatewayConnectTimeoutMs: connectMs },
    nowMs: () => 1_000,
    uptimeMs: () => 0,
  });

const shown = { clientCertificate: clientCertificate.certificatePem, clientKey: clientCertificate.keyPem };
const trusting = { ca: privateAuthorityPem };

/** Posts a payout by the way that a secret with these fields names; every socket is closed when the evidence is there. */
async function post(serverUrl: string, route: object, gateway = aGateway()): Promise<Evidence> {
  const { origin } = new URL(serverUrl);
  const signed = await signedRequest(
    { operation: operations.payout, endpointId: '39915', signatureMethod: 'HMAC-SHA1', parameters: [['amount', '1']] },
    readFields({ login: 'acme', controlKey: 'FAKE0000-0000', baseUrl: origin, ...route }),
    { nonce: 'n', timestampSeconds: 1 },
  );
  if (signed.kind === 'unsignable') throw new Error(signed.failure.message);
  const connects = vi.spyOn(Socket.prototype, 'connect');
  const evidence = await gateway.post({ ...signed.request, notAfterMs: 1_000 });
  const sockets = (connects.mock.contexts as Socket[]).filter((it) => !ofProxies.has(it));
  connects.mockRestore();
  expect(sockets.filter(({ closed }) => !closed)).toEqual([]);
  return evidence;
}
/** What a proxy connects is its own. */
const ofProxies = new WeakSet<Socket>();

const notSent = (reason: string | RegExp) => ({ kind: 'not-sent', reason: expect.stringMatching(reason) });
const taken = { kind: 'answer', httpStatus: 200, body: '{}', framing: 'delimited' };

const ofTheGateway: TlsOptions = { cert: gatewayCertificate.certificatePem, key: gatewayCertificate.keyPem };
const asksWhoConnects: TlsOptions = {
  ...ofTheGateway,
  ca: privateAuthorityPem,
  requestCert: true,
  rejectUnauthorized: true,
};
const startGateway = (tls = ofTheGateway, manner = answer(200, '{}')) =>
  startRawServer('https', manner, '127.0.0.1', tls);

describe('a private authority', () => {
  it('vouches for the gateway of the merchant who names it', async () => {
    const server = await startGateway();
    expect(await post(server.url, trusting)).toEqual(taken);
  });

  it('vouches for no other certificate, and the system does not vouch for it', async () => {
    const server = await startGateway();
    const gateway = aGateway();
    expect(await post(server.url, trusting, gateway)).toEqual(taken);
    // The same gateway object: no session of the one merchant's trust serves the other.
    expect(await post(server.url, {}, gateway)).toEqual(notSent('UNABLE_TO_VERIFY'));
    expect(server.requests()).toBe(1);
  });
});

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('over %s, a gateway that asks who connects', (maxVersion) => {
  const asking = { ...asksWhoConnects, maxVersion };

  it('takes the merchant’s certificate', async () => {
    const server = await startGateway(asking);
    expect(await post(server.url, { ...trusting, ...shown })).toEqual(taken);
  });

  it('and refuses a stranger’s before anything was sent: a wrong certificate leaves no order in doubt', async () => {
    const server = await startGateway(asking);
    const stranger = {
      clientCertificate: strangersCertificate.certificatePem,
      clientKey: strangersCertificate.keyPem,
    };
    for (let round = 0; round < 5; round += 1)
      expect(await post(server.url, { ...trusting, ...stranger })).toEqual(notSent('no connection'));
    expect(server.received.join('')).toBe('');
  });
});

/** A proxy as the world runs them: asks for a password where it has one, and connects. */
async function startProxy(password?: string) {
  const asked: { readonly target: string; readonly headers: IncomingMessage['headers'] }[] = [];
  const passed: Buffer[] = [];
  const server = createServer((_, response) => response.writeHead(405).end());
  const open = new Set<Socket>();
  server.on('connect', ({ url: target = '', headers }: IncomingMessage, near: Socket): void => {
    asked.push({ target, headers });
    open.add(near);
    near.on('error', () => {});
    const basic = `Basic ${Buffer.from(`acme:${password}`).toString('base64')}`;
    if (password !== undefined && headers['proxy-authorization'] !== basic)
      return void near.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
    const [host, port] = target.split(':');
    const far = connect(Number(port), host, () => near.write('HTTP/1.1 200 Connection Established\r\n\r\n'));
    open.add(far);
    ofProxies.add(far);
    far.on('error', () => near.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    near.on('data', (chunk: Buffer) => void passed.push(chunk));
    near.pipe(far).pipe(near);
  });
  const port = await listening(server);
  onTestFinished(() => {
    for (const it of open) it.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, asked, passed: () => Buffer.concat(passed).toString('latin1') };
}

describe('through a proxy', () => {
  it('goes the whole way that it goes without: authority, certificate, one POST', async () => {
    const server = await startGateway(asksWhoConnects);
    const proxy = await startProxy();
    expect(await post(server.url, { ...trusting, ...shown, proxy: { url: proxy.url } })).toEqual(taken);
    expect(proxy.asked.map(({ target }) => target)).toEqual([new URL(server.url).host]);
    expect(server.requests()).toBe(1);
  });

  it('what is said is for the gateway alone, and the password is for the proxy alone', async () => {
    const server = await startGateway();
    const proxy = await startProxy('s3cret');
    const named = { url: proxy.url, username: 'acme', password: 's3cret' };
    expect(await post(server.url, { ...trusting, proxy: named })).toEqual(taken);
    expect(proxy.asked[0]?.headers).toEqual({
      host: new URL(server.url).host,
      connection: expect.anything(),
      'proxy-authorization': 'Basic YWNtZTpzM2NyZXQ=',
    });
    expect(proxy.passed()).not.toMatch(/oauth|amount|POST/);
    expect(server.received.join('')).not.toMatch(/proxy-authorization|YWNtZT|s3cret/i);
  });

  it('who may not pass has sent nothing, and the reason holds no password', async () => {
    const server = await startGateway();
    const proxy = await startProxy('s3cret');
    const named = { url: proxy.url, username: 'acme', password: 'wrong-one' };
    const evidence = await post(server.url, { ...trusting, proxy: named });
    expect(evidence).toEqual({ kind: 'not-sent', reason: 'no connection (the proxy answered 407)' });
    expect(server.received).toEqual([]);
  });

  it('a gateway that the proxy can’t reach has been sent nothing', async () => {
    const proxy = await startProxy();
    const gone = createServer();
    const port = await listening(gone);
    gone.close();
    await once(gone, 'close');
    expect(await post(`https://127.0.0.1:${port}/`, { ...trusting, proxy: { url: proxy.url } })).toEqual({
      kind: 'not-sent',
      reason: 'no connection (the proxy answered 502)',
    });
  });

  it('somebody else at the end of the tunnel is found out by his certificate', async () => {
    const server = await startRawServer('https', answer(200, '{}'));
    const proxy = await startProxy();
    expect(await post(server.url, { ...trusting, proxy: { url: proxy.url } })).toEqual(notSent('SELF_SIGNED_CERT'));
    expect(server.requests()).toBe(0);
  });

  const paid = '{"type":"async-response","paynet-order-id":"1"}';
  const whole = (status: string) => `HTTP/1.1 ${status}\r\nContent-Length: ${paid.length}\r\n\r\n${paid}`;
  it.each<[what: string, manner: Manner, reason: string]>([
    ['hangs', () => {}, 'within 300 ms'],
    ['hangs up', (it) => it.end(), 'the proxy|closed before'],
    ['cuts the line', (it) => it.once('data', () => it.resetAndDestroy()), 'ECONNRESET'],
    ['answers half', (it) => it.once('data', () => it.write('HTTP/1.1 200 Conn')), 'within 300 ms'],
    ['answers half and hangs up', (it) => it.once('data', () => it.end('HTTP/1.1 200 Conn')), 'the proxy'],
    ['refuses by 403', (it) => it.once('data', () => it.write(whole('403 Forbidden'))), 'the proxy answered 403'],
    ['is overloaded', (it) => it.once('data', () => it.write(whole('503 Busy'))), 'the proxy answered 503'],
    ['says early hints', (it) => it.once('data', () => it.write('HTTP/1.1 103 E\r\n\r\n')), 'the proxy answered 103'],
    ['sends elsewhere', (it) => it.once('data', () => it.write(whole('302 Found'))), 'the proxy answered 302'],
    ['answers in the gateway’s place', (it) => it.once('data', () => it.write(whole('200 OK'))), 'in the place'],
    [
      'answers in the gateway’s place a moment later',
      (it) =>
        it.once('data', () => {
          it.write('HTTP/1.1 200 OK\r\n\r\n');
          setTimeout(() => it.write(paid), 20);
        }),
      'no connection',
    ],
    ['answers a tunnel and hangs', (it) => it.once('data', () => it.write('HTTP/1.1 200 OK\r\n\r\n')), 'within 300'],
    ['speaks no HTTP', (it) => it.once('data', () => it.write('SSH-2.0-x\r\n\r\n')), 'the proxy: HPE'],
    [
      'never ends its headers',
      (it) => it.once('data', () => it.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}`)),
      'HPE_HEADER_OVERFLOW',
    ],
  ])('that %s, nothing was sent and nothing is believed', async (_, manner, reason) => {
    const proxy = await startRawServer('http', manner);
    const route = { ...trusting, proxy: { url: new URL(proxy.url).origin } };
    expect(await post('https://127.0.0.1:9/', route, aGateway(300))).toEqual(notSent(reason));
    await proxy.allClosed();
    expect(proxy.received.join('')).not.toMatch(/oauth|amount|POST/);
  });

  it('nothing is said in the clear, whatever was asked for', async () => {
    const proxy = await startProxy();
    const server = await startRawServer('http', says(''));
    const request = { url: server.url, headers: {}, body: 'credit_card_number=4', notAfterMs: 1_000 };
    const { port, hostname: host } = new URL(proxy.url);
    const route = { proxy: { host, port: Number(port) } };
    expect(await aGateway().post({ ...request, route })).toEqual(notSent('a proxy is for https alone'));
    expect([proxy.asked, server.received]).toEqual([[], []]);
  });
});
