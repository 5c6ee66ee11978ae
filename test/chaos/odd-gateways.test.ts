// Gateways that behave like nothing in a book: dripping for ever, gone at once, speaking garbage, keeping connections open that no one
// asked for. Every post() resolves, its socket is closed, and nothing is believed. What one answer or one stall is taken for is a table
// of test/gateway/http-gateway.test.ts.
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createHttpGateway } from '../../lib/gateway/http-gateway.ts';
import { type Manner, reads, says, startRawServer } from '../support/raw-server.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';
import { testCertificatePem } from '../local/gateway/support/tls-certificate.ts';
import { socketsOpenedTo } from './support/client-sockets.ts';
import { attempt, attemptAll, patientLimits, requestTo, shortLimits } from './support/trial.ts';
import { acceptance, formOf, jsonOf, wireReply } from './support/wire.ts';

const accepts = wireReply('content-length', '200 OK', formOf(acceptance));

describe('a gateway that breaks off at once', () => {
  it.each([
    ['resets the connection as it is made', (socket: Socket) => void socket.resetAndDestroy()],
    ['closes it as it is made', (socket: Socket) => void socket.end()],
    ['drops it as it is made', (socket: Socket) => void socket.destroy()],
    ['resets it a moment later', (socket: Socket) => void setTimeout(() => socket.resetAndDestroy(), 5)],
    ['answers before it is asked and closes', (socket: Socket) => void socket.end(accepts)],
  ])('%s: every time, doubt or nothing sent', async (_what, manner) => {
    const gateway = await startRawServer('http', manner);
    // Acceptance is what the gateway said, asked or not.
    const provable = () => ['accepted' as const];
    const { broken } = await attemptAll(Array.from({ length: 60 }, () => ({ gateway, provable })));
    expect(broken.slice(0, 5)).toEqual([]);
  });
});

describe('a gateway that falls silent', () => {
  it.each([
    ['never reads', (socket: Socket) => socket.pause()],
    [
      'says only that it goes on, again and again',
      reads((socket) => {
        const going = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20);
        socket.once('close', () => clearInterval(going));
      }),
    ],
    [
      'drips its headers for ever',
      reads((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const dripping = setInterval(() => socket.write('X-More: 1\r\n'), 20);
        socket.once('close', () => clearInterval(dripping));
      }),
    ],
    [
      'drips its body for ever',
      reads((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const dripping = setInterval(() => socket.write('1\r\n \r\n'), 20);
        socket.once('close', () => clearInterval(dripping));
      }),
    ],
  ] satisfies [string, Manner][])('%s: doubt within the time-outs', async (_what, manner) => {
    const gateway = await startRawServer('http', manner);
    const startedMs = performance.now();
    const { broken, outcome } = await attempt({ gateway, limits: shortLimits });
    expect(broken).toEqual([]);
    expect(outcome.kind).toBe('in-doubt');
    expect(performance.now() - startedMs).toBeLessThan(3_000);
  });

  it('does not hold up a request of many megabytes that is never read', async () => {
    const gateway = await startRawServer('http', (socket) => socket.pause());
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
      const gateway = await startRawServer('http', says(bytes));
      broken.push(...(await attempt({ gateway })).broken);
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
      const gateway = await startRawServer('http', says(bytes));
      const { evidence, outcome } = await attempt({ gateway });
      // A flip inside the id or a status can't be seen by anyone; that it is read as not processed would pay twice.
      if (outcome.kind === 'not-processed' && bytes.subarray(0, 12).equals(json.subarray(0, 12))) {
        unproven.push(`byte ${at}: ${JSON.stringify({ evidence, outcome })}`);
      }
      if (evidence.kind === 'not-sent') unproven.push(`byte ${at}: not sent`);
    };
    for (let at = 0; at < json.length; at += 10) {
      await Promise.all(Array.from({ length: Math.min(10, json.length - at) }, (_, index) => one(at + index)));
    }
    expect(unproven).toEqual([]);
  });

  it.each([
    [
      'a length and chunks',
      `HTTP/1.1 200 OK\r\nContent-Length: 400\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n${formOf(acceptance)}`,
    ],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('answers with %s: doubt', async (_what, bytes) => {
    const gateway = await startRawServer('http', says(bytes));
    const { broken, outcome } = await attempt({ gateway });
    expect(broken).toEqual([]);
    expect(outcome.kind).toBe('in-doubt');
    expect(gateway.requests()).toBe(1);
  });
});

describe('a gateway that keeps connections open', () => {
  const keepAlive = Buffer.from(
    accepts.toString().replace('Content-Length', 'Connection: keep-alive\r\nKeep-Alive: timeout=60\r\nContent-Length'),
  );

  it.each([
    { kind: 'close', proven: ['accepted'] },
    { kind: 'reset', proven: ['accepted', 'in-doubt'] },
  ])('and then ends the idle one ($kind): no order meets a dead one', async ({ kind, proven }) => {
    const ends = (socket: Socket) => (kind === 'close' ? socket.end() : socket.resetAndDestroy());
    const gateway = await startRawServer(
      'http',
      reads((socket) => socket.write(keepAlive, () => void ends(socket))),
    );
    const provable = () => ['accepted' as const];
    const seen = [];
    for (let at = 0; at < 20; at += 1) seen.push(await attempt({ gateway, provable }));
    expect(seen.flatMap(({ broken }) => broken)).toEqual([]);
    expect(seen.filter(({ outcome }) => !proven.includes(outcome.kind))).toEqual([]);
    expect([gateway.received.length, gateway.requests()]).toEqual([20, 20]);
  });
});

describe('a resumed TLS session', () => {
  it('proves no more than a full handshake', async () => {
    let isCut = false;
    const gateway = await startRawServer(
      'https',
      reads((socket) => (isCut ? socket.destroy() : socket.write(accepts))),
    );
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
    expect([gateway.received.length, gateway.requests()]).toEqual([11, 11]);
  });
});
