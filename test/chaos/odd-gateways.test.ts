// Gateways that behave like nothing in a book: silent, gone at once, speaking garbage, talking on after the end, keeping
// connections open that nobody asked for. Every post() resolves, its socket is closed, and nothing is believed.
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpGateway } from '../../lib/gateway/http-gateway.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';
import { testCertificatePem } from '../local/gateway/support/tls-certificate.ts';
import { socketsOpenedTo } from './support/client-sockets.ts';
import { type RawGateway, type RawGatewayOptions, startRawGateway } from './support/raw-gateway.ts';
import { attempt, attemptAll, patientLimits, requestTo, shortLimits } from './support/trial.ts';
import { acceptance, formOf, gatewayOrderId, jsonOf, wireReply } from './support/wire.ts';

const gateways: RawGateway[] = [];

afterEach(() => Promise.all(gateways.splice(0).map((gateway) => gateway.close())));

async function aGateway(options: RawGatewayOptions): Promise<RawGateway> {
  const gateway = await startRawGateway(options);
  gateways.push(gateway);
  return gateway;
}

const accepts = wireReply('content-length', '200 OK', formOf(acceptance));

describe('a gateway that is not there', () => {
  it('was sent nothing: refused', async () => {
    const gateway = await aGateway({});
    await gateway.close();
    gateways.length = 0;
    const adapter = createHttpGateway({ limits: patientLimits, nowMs: Date.now, uptimeMs: () => 0 });
    expect(await adapter.post(requestTo(`http://127.0.0.1:${gateway.port}`))).toMatchObject({ kind: 'not-sent' });
    expect(socketsOpenedTo(gateway.port).map((socket) => socket.closed)).toEqual([true]);
  });

  it('was sent nothing: its certificate is not trusted', async () => {
    const gateway = await aGateway({ tls: {} });
    const adapter = createHttpGateway({ limits: patientLimits, nowMs: Date.now, uptimeMs: () => 0 });
    expect(await adapter.post(requestTo(`https://127.0.0.1:${gateway.port}`))).toMatchObject({ kind: 'not-sent' });
    expect(gateway.heard().requestBytes).toBe(0);
  });

  it('was sent nothing: it speaks TLS where plain text was meant, or the other way round', async () => {
    const plain = await aGateway({});
    const adapter = createHttpGateway({
      limits: patientLimits,
      nowMs: Date.now,
      uptimeMs: () => 0,
      ca: testCertificatePem,
    });
    const evidence = await Promise.race([
      adapter.post(requestTo(`https://127.0.0.1:${plain.port}`)),
      // The hello of TLS is no HTTP request: a gateway of plain text waits for more, so it is sent away.
      new Promise((resolve) => setTimeout(resolve, 200)).then(() => plain.close()),
    ]);
    gateways.length = 0;
    expect(evidence ?? { kind: 'not-sent' }).toMatchObject({ kind: 'not-sent' });
    const secure = await aGateway({ tls: {} });
    const { broken, outcome } = await attempt({ gateway: secure });
    expect(broken).toEqual([]);
    expect(outcome.kind).toBe('in-doubt');
  });
});

describe('a gateway that breaks off at once', () => {
  it.each([
    ['resets the connection as it is made', (socket: Socket) => void socket.resetAndDestroy()],
    ['closes it as it is made', (socket: Socket) => void socket.end()],
    ['drops it as it is made', (socket: Socket) => void socket.destroy()],
    ['resets it a moment later', (socket: Socket) => void setTimeout(() => socket.resetAndDestroy(), 5)],
    ['answers before it is asked and closes', (socket: Socket) => void socket.end(accepts)],
  ])('%s: every time, doubt or nothing sent', async (_what, onConnection) => {
    const gateway = await aGateway({ onConnection });
    // Acceptance is what the gateway said, asked or not.
    const provable = () => ['accepted' as const];
    const { broken } = await attemptAll(Array.from({ length: 60 }, () => ({ gateway, provable })));
    expect(broken.slice(0, 5)).toEqual([]);
  });
});

describe('a gateway that falls silent', () => {
  it.each([
    ['never reads', { onConnection: (socket: Socket) => void socket.pause() }],
    ['never answers', {}],
    ['stops within the headers', { answer: (socket: Socket) => void socket.write(accepts.subarray(0, 20)) }],
    ['stops within the body', { answer: (socket: Socket) => void socket.write(accepts.subarray(0, -1)) }],
    [
      'says only that it goes on, again and again',
      {
        answer: (socket: Socket) => {
          const going = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20);
          socket.once('close', () => clearInterval(going));
        },
      },
    ],
    [
      'drips its headers for ever',
      {
        answer: (socket: Socket) => {
          socket.write('HTTP/1.1 200 OK\r\n');
          const dripping = setInterval(() => socket.write('X-More: 1\r\n'), 20);
          socket.once('close', () => clearInterval(dripping));
        },
      },
    ],
    [
      'drips its body for ever',
      {
        answer: (socket: Socket) => {
          socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
          const dripping = setInterval(() => socket.write('1\r\n \r\n'), 20);
          socket.once('close', () => clearInterval(dripping));
        },
      },
    ],
  ] satisfies [string, RawGatewayOptions][])('%s: doubt within the time-outs', async (_what, options) => {
    const gateway = await aGateway(options);
    const startedMs = performance.now();
    const { broken, outcome } = await attempt({ gateway, limits: shortLimits });
    expect(broken).toEqual([]);
    expect(outcome.kind).toBe('in-doubt');
    expect(performance.now() - startedMs).toBeLessThan(3_000);
  });

  it('does not hold up a request of many megabytes that nobody reads', async () => {
    const gateway = await aGateway({ onConnection: (socket) => void socket.pause() });
    const adapter = createHttpGateway({
      limits: { ...patientLimits, ...shortLimits },
      nowMs: Date.now,
      uptimeMs: () => 0,
    });
    const request = { ...requestTo(`http://127.0.0.1:${gateway.port}`), body: 'x'.repeat(20_000_000) };
    expect(await adapter.post(request)).toMatchObject({ kind: 'no-answer' });
    expect(socketsOpenedTo(gateway.port).map((socket) => socket.closed)).toEqual([true]);
  });
});

describe('a gateway that speaks garbage', () => {
  it('is never believed, whatever the bytes', async () => {
    const random = createSeededRandom(20261121);
    const garbage = () => Buffer.from(Array.from({ length: 1 + random.chance() * 600 }, () => random.chance() * 256));
    const broken: string[] = [];
    const one = async (bytes: Buffer) => {
      const gateway = await startRawGateway({ answer: (socket) => void socket.end(bytes) });
      broken.push(...(await attempt({ gateway })).broken);
      await gateway.close();
    };
    for (let round = 0; round < 30; round += 1) await Promise.all(Array.from({ length: 10 }, () => one(garbage())));
    expect(broken.slice(0, 5)).toEqual([]);
  });

  it('is believed only where a flipped byte of a true acceptance hurt nothing that is believed', async () => {
    const random = createSeededRandom(7);
    const json = wireReply('content-length', '200 OK', jsonOf(acceptance));
    const unproven: string[] = [];
    const one = async (at: number) => {
      const bytes = Buffer.from(json);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random.chance() * 8));
      const gateway = await startRawGateway({ answer: (socket) => void socket.end(bytes) });
      const { evidence, outcome } = await attempt({ gateway });
      // A flip inside the id or a status can't be seen by anyone; that it is read as not processed would pay twice.
      if (outcome.kind === 'not-processed' && bytes.subarray(0, 12).equals(json.subarray(0, 12))) {
        unproven.push(`byte ${at}: ${JSON.stringify({ evidence, outcome })}`);
      }
      if (evidence.kind === 'not-sent') unproven.push(`byte ${at}: not sent`);
      await gateway.close();
    };
    for (let at = 0; at < json.length; at += 10) {
      await Promise.all(Array.from({ length: Math.min(10, json.length - at) }, (_, index) => one(at + index)));
    }
    expect(unproven).toEqual([]);
  });

  it.each([
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n'],
    ['two lengths', `HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 400\r\n\r\n${formOf(acceptance)}`],
    [
      'a length and chunks',
      `HTTP/1.1 200 OK\r\nContent-Length: 400\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n${formOf(acceptance)}`,
    ],
    ['a redirect', 'HTTP/1.1 307 Temporary Redirect\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n'],
    ['no content', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['headers without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('answers with %s: doubt', async (_what, bytes) => {
    const gateway = await aGateway({ answer: (socket) => void socket.end(bytes) });
    const { broken, outcome } = await attempt({ gateway });
    expect(broken).toEqual([]);
    expect(outcome.kind).toBe('in-doubt');
    expect(gateway.heard().requests).toBe(1);
  });
});

describe('a gateway that keeps connections open', () => {
  const keepAlive = Buffer.from(
    accepts.toString().replace('Content-Length', 'Connection: keep-alive\r\nKeep-Alive: timeout=60\r\nContent-Length'),
  );

  it.each(['http', 'https'] as const)('is asked on a fresh one each time, and each is closed (%s)', async (scheme) => {
    const gateway = await aGateway({
      answer: (socket) => void socket.write(keepAlive),
      ...(scheme === 'https' && { tls: {} }),
    });
    const adapter = createHttpGateway({
      limits: patientLimits,
      nowMs: Date.now,
      uptimeMs: () => 0,
      ca: testCertificatePem,
    });
    for (let at = 0; at < 20; at += 1) {
      const evidence = await adapter.post(requestTo(`${scheme}://127.0.0.1:${gateway.port}`));
      expect(evidence).toMatchObject({ kind: 'answer', httpStatus: 200 });
      expect(socketsOpenedTo(gateway.port).map((socket) => socket.closed)).toEqual([true]);
    }
    expect(gateway.heard()).toMatchObject({ connections: 20, requests: 20 });
  });

  it.each([
    { kind: 'close', proven: ['accepted'] },
    { kind: 'reset', proven: ['accepted', 'in-doubt'] },
  ])('and then ends the idle one ($kind): no order meets a dead one', async ({ kind, proven }) => {
    const gateway = await aGateway({
      answer: (socket) =>
        void socket.write(keepAlive, () => void (kind === 'close' ? socket.end() : socket.resetAndDestroy())),
    });
    const provable = () => ['accepted' as const];
    const seen = [];
    for (let at = 0; at < 20; at += 1) seen.push(await attempt({ gateway, provable }));
    expect(seen.flatMap(({ broken }) => broken)).toEqual([]);
    expect(seen.filter(({ outcome }) => !proven.includes(outcome.kind))).toEqual([]);
    expect(gateway.heard()).toMatchObject({ connections: 20, requests: 20 });
  });

  it('and talks on after its answer: the answer stands, the rest is nothing', async () => {
    const other = wireReply('content-length', '200 OK', formOf(acceptance).replaceAll(gatewayOrderId, '666'));
    const gateway = await aGateway({ answer: (socket) => void socket.write(Buffer.concat([keepAlive, other])) });
    const { broken } = await attempt({ gateway, provable: () => ['accepted'] });
    expect(broken).toEqual([]);
  });
});

describe('a resumed TLS session', () => {
  it('proves no more than a full handshake', async () => {
    let isCut = false;
    const gateway = await aGateway({
      tls: {},
      answer: (socket) => void (isCut ? socket.destroy() : socket.write(accepts)),
    });
    const adapter = createHttpGateway({
      limits: patientLimits,
      nowMs: Date.now,
      uptimeMs: () => 0,
      ca: testCertificatePem,
    });
    const request = requestTo(`https://127.0.0.1:${gateway.port}`);
    expect(await adapter.post(request)).toMatchObject({ kind: 'answer' });
    isCut = true;
    for (let at = 0; at < 10; at += 1) expect(await adapter.post(request)).toMatchObject({ kind: 'no-answer' });
    expect(gateway.heard()).toMatchObject({ connections: 11, requests: 11 });
  });
});
