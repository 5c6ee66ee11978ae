// Connections that are begun before they may be used, and connections that are used again: a payment goes by a fresh one,
// and only once its claim is stored; an inquiry by any that is there.
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHttpGateway, createHttpInquiries } from '../../lib/gateway/http-gateway.ts';
import type { ConnectionAhead, GatewayRequest } from '../../lib/gateway/ports.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { testCertificatePem } from '../local/gateway/support/tls-certificate.ts';
import { answer, listening, type Manner, startRawServer } from '../support/raw-server.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';
import { limits } from './evidence.ts';

const body = 'client-order-id=INV-1';

const requestTo = (url: string, changes: Partial<GatewayRequest> = {}): GatewayRequest => ({
  url,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
  notAfterMs: 1_000,
  ...changes,
});

const accepted = answer(200, '{"payout-id":"9000123"}');
const answered = { kind: 'answer', httpStatus: 200 };

/** A server that says this to each request of a connection in turn; after the last of them it closes. */
const saysInTurn =
  (...parts: readonly string[]): Manner =>
  (socket) => {
    let said = 0;
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      if (heard.split(body).length - 1 <= said) return;
      socket.write(parts[said] ?? '');
      if ((said += 1) === parts.length) socket.end();
    });
  };

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Begins to connect; every gateway over sockets can. */
function begun(gateway: ReturnType<typeof createHttpGateway>, url: string): ConnectionAhead {
  const ahead = gateway.connectAhead?.(url);
  if (!ahead) throw new Error('it can not connect ahead');
  return ahead;
}

describe.each(['http', 'https'] as const)('a connection that is begun beside the claim, over %s', (protocol) => {
  const aGateway = (nowMs = () => 1_000) =>
    createHttpGateway({ limits, nowMs, uptimeMs: () => 0, ca: testCertificatePem });

  it('carries the request that names it', async () => {
    const server = await startRawServer(protocol, accepted);
    const gateway = aGateway();
    const ahead = begun(gateway, server.url);
    await vi.waitFor(() => expect(server.received).toEqual(['']));
    expect(await gateway.post(requestTo(server.url, { ahead }))).toMatchObject(answered);
    expect([server.received.length, server.requests()]).toEqual([1, 1]);
    await ahead.close();
    await server.allClosed();
  });

  it('carries nothing where it is not wanted, however far it had come', async () => {
    const server = await startRawServer(protocol, accepted);
    const gateway = aGateway();
    await begun(gateway, server.url).close();
    const ready = begun(gateway, server.url);
    await vi.waitFor(() => expect(server.received.length).toBeGreaterThan(0));
    await ready.close();
    await server.allClosed();
    expect(server.received.join('')).toBe('');
  });

  it.each<[what: string, manner: (socket: Socket) => void]>([
    ['was closed meanwhile', (socket) => socket.end()],
    ['was reset meanwhile', (socket) => socket.destroy()],
    ['was spoken on unasked', (socket) => socket.write('HTTP/1.1 408 Slow\r\n\r\n')],
  ])('is left alone where it %s: a fresh one is made', async (_, spoil) => {
    let first: Socket | undefined;
    const server = await startRawServer(protocol, (socket, request) => {
      if (first) return void accepted(socket, request);
      first = socket;
    });
    const gateway = aGateway();
    const ahead = begun(gateway, server.url);
    await vi.waitFor(() => expect(first).toBeDefined());
    await new Promise((resolve) => setImmediate(resolve));
    if (first) spoil(first);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await gateway.post(requestTo(server.url, { ahead }))).toMatchObject(answered);
    expect(server.received[0]).toBe('');
  });

  it('does not make a late request leave: the time is asked once it is there', async () => {
    const server = await startRawServer(protocol, accepted);
    let nowMs = 1_000;
    const gateway = aGateway(() => nowMs);
    const ahead = begun(gateway, server.url);
    nowMs = 1_001;
    expect(await gateway.post(requestTo(server.url, { ahead }))).toMatchObject({ kind: 'not-sent' });
    await server.allClosed();
    expect(server.received.join('')).toBe('');
  });
});

describe('a handshake that is begun beside the claim and hangs', () => {
  /** A gateway that takes the first connection and never answers its handshake; the others are as they should be. */
  async function aGatewayThatHangsOnce() {
    const server = await startRawServer('https', accepted);
    let connections = 0;
    const open: Socket[] = [];
    const door = createServer((near) => {
      open.push(near.on('error', () => {}));
      connections += 1;
      if (connections === 1) return;
      const far = connect(Number(new URL(server.url).port), '127.0.0.1');
      open.push(far.on('error', () => {}));
      near.pipe(far).pipe(near);
    });
    const url = `https://127.0.0.1:${await listening(door)}/paynet/api/v4/payout/39915`;
    onTestFinished(() => {
      for (const socket of open) socket.destroy();
      door.close();
    });
    return { server, url, connections: () => connections };
  }

  it('ends by the deadline of connecting, which began with it: nothing is sent', async () => {
    const { server, url } = await aGatewayThatHangsOnce();
    const short = { ...limits, gatewayConnectTimeoutMs: 50 };
    const gateway = createHttpGateway({ limits: short, nowMs: () => 1_000, uptimeMs: () => 0, ca: testCertificatePem });
    const ahead = begun(gateway, url);
    expect(await gateway.post(requestTo(url, { ahead }))).toMatchObject({ kind: 'not-sent' });
    expect(server.requests()).toBe(0);
  });
});

describe('a claim and the connection that is begun beside it', () => {
  /** A world whose gateway is a server on a socket, and ports that lead there. */
  async function aWiredWorld(manner = accepted) {
    const server = await startRawServer('http', manner);
    const credentials = { ...someCredentials(), baseUrl: new URL(server.url).origin };
    const world = aWorld({ merchants: { 'acme-eu': credentials } });
    return { server, world, ports: { gateway: createHttpGateway({ limits, ...world.clock }) } };
  }

  it.each<[what: string, spoil: (socket: Socket) => void]>([
    ['closes', (socket) => socket.end()],
    ['resets', (socket) => socket.destroy()],
  ])('a claim that is written while the gateway %s the connection sends once all the same', async (_, spoil) => {
    let isFirst = true;
    const { server, world, ports } = await aWiredWorld((socket, request) => {
      if (!isFirst) return void accepted(socket, request);
      isFirst = false;
      spoil(socket);
    });
    const orders = {
      ...world.orders,
      async write(before: Order, next: Order) {
        await vi.waitFor(() => expect(isFirst).toBe(false));
        await new Promise((resolve) => setTimeout(resolve, 20));
        return world.orders.write(before, next);
      },
    };
    expect(await world.deliver(aRecord(aPayoutJob()), undefined, { ...ports, orders })).toEqual([]);
    expect([server.received.length, server.received[0], server.requests()]).toEqual([2, '', 1]);
    expect(world.results.taken).toMatchObject([{ status: 'accepted', attempts: 1 }]);
  });

  it('a claim that hangs sends no byte as long as it does, and a ledger that never answers none at all', async () => {
    const { server, world, ports } = await aWiredWorld();
    let answers = () => {};
    const answered = new Promise<void>((resolve) => (answers = resolve));
    const orders = {
      ...world.orders,
      write: (before: Order, next: Order) => answered.then(() => world.orders.write(before, next)),
    };
    const delivery = world.deliver(aRecord(aPayoutJob()), undefined, { ...ports, orders });
    await vi.waitFor(() => expect(server.received).toEqual(['']));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.received).toEqual(['']);
    answers();
    await delivery;
    expect(server.requests()).toBe(1);

    world.orders.stays('down', 'write', 'read');
    await world.deliver(aRecord(aPayoutJob({ orderId: 'INV-2' })), undefined, ports);
    await server.allClosed();
    expect(server.requests()).toBe(1);
  });
});

describe.each(['http', 'https'] as const)('inquiries over %s', (protocol) => {
  const aGateway = () => createHttpInquiries({ limits, nowMs: () => 1_000, uptimeMs: () => 0, ca: testCertificatePem });
  const aLook = (url: string) => requestTo(url.replace('/payout/', '/status/'), { notAfterMs: Infinity });

  it('go by one connection, one after the other', async () => {
    const server = await startRawServer(protocol, saysInTurn(ok, ok, ok, ok));
    const gateway = aGateway();
    for (let look = 0; look < 3; look += 1) {
      expect(await gateway.post(aLook(server.url))).toMatchObject({ ...answered, body: 'ok', framing: 'delimited' });
    }
    expect([server.received.length, server.requests()]).toEqual([1, 3]);
  });

  it('are sent again by a fresh one where a kept one was closed, before or at the asking', async () => {
    // each connection serves one request; the second is taken without an answer
    const server = await startRawServer(protocol, saysInTurn(ok, ''));
    const gateway = aGateway();
    expect(await gateway.post(aLook(server.url))).toMatchObject(answered);
    expect(await gateway.post(aLook(server.url))).toMatchObject(answered);
    expect([server.received.length, server.requests()]).toEqual([2, 3]);
  });

  it.each([
    ['without an answer', ''],
    ['in the middle of its answer', ok.slice(0, -1)],
  ])('are alone in that: a payment whose connection is closed %s is never sent again', async (_, said) => {
    const server = await startRawServer(protocol, saysInTurn(said));
    const payment = requestTo(server.url, { notAfterMs: Infinity });
    expect(await aGateway().post(payment)).toMatchObject({ kind: 'no-answer' });
    expect(server.requests()).toBe(1);
  });

  it('share no connection with a payment, nor with another way to the same gateway', async () => {
    const server = await startRawServer(protocol, saysInTurn(ok, ok, ok));
    const gateway = aGateway();
    await gateway.post(aLook(server.url));
    await gateway.post(requestTo(server.url, { notAfterMs: Infinity }));
    await gateway.post({ ...aLook(server.url), route: { ca: testCertificatePem } });
    expect([server.received.length, server.requests()]).toEqual([3, 3]);
  });
});
