import { once } from 'node:events';
import { connect, createServer, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHttpGateway, type HttpGatewayOptions } from '../../lib/gateway/http-gateway.ts';
import type { Evidence, GatewayRequest } from '../../lib/gateway/ports.ts';
import { testCertificatePem } from '../local/gateway/support/tls-certificate.ts';
import { answer, listening, type Manner, says, saysAndStalls, startRawServer } from '../support/raw-server.ts';
import { limits } from './evidence.ts';

const aGateway = (short: Partial<HttpGatewayOptions['limits']> = {}, options: Partial<HttpGatewayOptions> = {}) =>
  createHttpGateway({
    limits: { ...limits, ...short },
    nowMs: () => 1_000,
    uptimeMs: () => 0,
    ca: testCertificatePem,
    ...options,
  });

const aRequest = (url: string, changes: Partial<GatewayRequest> = {}): GatewayRequest => ({
  url,
  headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'OAuth oauth_nonce="1"' },
  body: 'client-order-id=INV-1&amount=10.42&order_desc=%C3%A9',
  notAfterMs: 1_000,
  ...changes,
});

/** Posts, and sees to it that every socket made on the way is closed the moment the evidence is there. */
async function post(url: string, gateway = aGateway(), request: Partial<GatewayRequest> = {}): Promise<Evidence> {
  const connects = vi.spyOn(Socket.prototype, 'connect');
  const evidence = await gateway.post(aRequest(url, request));
  const sockets = connects.mock.contexts as Socket[];
  expect(sockets.map(({ closed }) => closed)).toEqual(sockets.map(() => true));
  connects.mockRestore();
  return evidence;
}

const notSent = (reason: string | RegExp) => ({ kind: 'not-sent', reason: expect.stringMatching(reason) });
const tooLate = { ...notSent('too little time'), isLate: true };
const noAnswer = (reason: string | RegExp, httpStatus?: number) => ({
  kind: 'no-answer',
  reason: expect.stringMatching(reason),
  ...(httpStatus !== undefined && { httpStatus }),
});
/** Which of them is seen first depends on how the bytes were parted. */
const cut = /closed without a whole answer|cut off|after the request was sent/;
const json = '{"payout-id":"9000123"}';

describe.each(['http', 'https'] as const)('over %s, a whole answer is reported as it came', (protocol) => {
  const whole = (httpStatus: number, body: string, more: Partial<Extract<Evidence, { kind: 'answer' }>> = {}) => ({
    kind: 'answer',
    httpStatus,
    body,
    framing: 'delimited',
    ...more,
  });
  const untilClose = { framing: 'until-close' } as const;

  it.each<[what: string, manner: Manner, evidence: object]>([
    ['200', answer(200, json), whole(200, json)],
    ['200 with an empty body', answer(200, ''), whole(200, '')],
    [
      '200 in chunks',
      says(ok('Transfer-Encoding: chunked'), '5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n'),
      whole(200, '{"a":1}'),
    ],
    ['200 that ends with the connection', says(ok(), 'type=x\n'), whole(200, 'type=x\n', untilClose)],
    ['200 of HTTP/1.0', says('HTTP/1.0 200 OK\r\n\r\n', 'type=x\n'), whole(200, 'type=x\n', untilClose)],
    // RFC 9112 section 6.3: without "chunked" as the last coding, the body ends with the connection.
    [
      '200 in a coding that its bytes are not',
      says(ok('Transfer-Encoding: gzip'), 'type=x'),
      {
        ...whole(200, '', untilClose),
        unreadable: 'the content coding or charset of the answer could not be read',
      },
    ],
    [
      '200 after 100 and 103',
      says('HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 103 Hint\r\n\r\n', ok('Content-Length: 1'), 'a'),
      whole(200, 'a'),
    ],
    ['204', says('HTTP/1.1 204 No Content\r\n\r\n'), whole(204, '', untilClose)],
    ['400 with a body', answer(400, '{"type":"error"}'), whole(400, '{"type":"error"}')],
    ['401', answer(401, ''), whole(401, '')],
    ['403', answer(403, ''), whole(403, '')],
    ['404', answer(404, 'nothing here'), whole(404, 'nothing here')],
    ['429 with seconds to wait', answer(429, '', 'Retry-After: 7'), whole(429, '', { retryAfterSeconds: 7 })],
    [
      '429 with a date to wait for, by no clock',
      answer(429, '', 'Retry-After: Sat, 21 Nov 2026 10:00:00 GMT'),
      whole(429, ''),
    ],
    [
      '429 with a date to wait for, by the clock of the answer',
      answer(429, '', 'Date: Sat, 21 Nov 2026 09:59:20 GMT\r\nRetry-After: Sat, 21 Nov 2026 10:00:00 GMT'),
      whole(429, '', { retryAfterSeconds: 40 }),
    ],
    [
      '429 with a date that is over',
      answer(429, '', 'Date: Sat, 21 Nov 2026 10:00:01 GMT\r\nRetry-After: Sat, 21 Nov 2026 10:00:00 GMT'),
      whole(429, '', { retryAfterSeconds: 0 }),
    ],
    ['500', answer(500, 'oops'), whole(500, 'oops')],
    ['503', answer(503, '', 'Retry-After: 60'), whole(503, '', { retryAfterSeconds: 60 })],
    ['200 and then another', says(ok('Content-Length: 2'), 'ok', ok('Content-Length: 2'), 'no'), whole(200, 'ok')],
    ['302, which is not followed', answer(302, '', 'Location: /elsewhere'), whole(302, '')],
    ['307, which is not followed', answer(307, '', 'Location: /elsewhere'), whole(307, '')],
  ])('%s', async (_, manner, evidence) => {
    const server = await startRawServer(protocol, manner);
    expect(await post(server.url)).toEqual(evidence);
    await server.allClosed();
    expect([server.received.length, server.requests()]).toEqual([1, 1]);
  });

  it('and the request arrived as it was signed, in one piece', async () => {
    const server = await startRawServer(protocol, answer(200, json));
    await post(server.url);
    const host = new URL(server.url).host;
    expect(server.received).toEqual([
      [
        'POST /paynet/api/v4/payout/39915 HTTP/1.1',
        `host: ${host}`,
        'user-agent: payouts',
        'content-type: application/x-www-form-urlencoded',
        'authorization: OAuth oauth_nonce="1"',
        'content-length: 52',
        'connection: close',
        'accept-encoding: identity',
        '',
        'client-order-id=INV-1&amount=10.42&order_desc=%C3%A9',
      ].join('\r\n'),
    ]);
  });

  it('and a body may take its time after slow headers: each has its own limit', async () => {
    const server = await startRawServer(protocol, async (socket, request) => {
      await request;
      socket.write(ok('Content-Length: 2'));
      await sleep(800);
      socket.end('ok');
    });
    const gateway = aGateway({ gatewayHeadersTimeoutMs: 500 });
    expect(await post(server.url, gateway)).toEqual(whole(200, 'ok'));
  });
});

describe.each(['http', 'https'] as const)(
  'over %s, once a byte may have left, no whole answer is doubt',
  (protocol) => {
    const half = (headers: string, body: string) => says(ok(headers), body);

    it.each<[what: string, manner: Manner, evidence: object]>([
      ['closed before anything was read', afterAMoment((it) => it.destroy()), noAnswer('ECONNRESET|EPIPE')],
      ['reset before anything was read', afterAMoment(reset), noAnswer('ECONNRESET|EPIPE')],
      ['closed after the headers were read', (it) => it.once('data', () => it.destroy()), noAnswer('ECONNRESET')],
      ['reset after the headers were read', (it) => it.once('data', () => reset(it)), noAnswer('ECONNRESET')],
      ['closed after the whole request', says(''), noAnswer('ECONNRESET')],
      ['reset after the whole request', async (it, request) => reset((await request, it)), noAnswer('ECONNRESET')],
      ['closed in the status line', says('HTTP/1.1 2'), noAnswer('ECONNRESET|HPE_INVALID')],
      ['closed in the headers', says('HTTP/1.1 200 OK\r\nContent-Le'), noAnswer('ECONNRESET|HPE_INVALID')],
      ['closed in a body with a length', half('Content-Length: 30', json), noAnswer(cut, 200)],
      ['closed in a chunk', half('Transfer-Encoding: chunked', '20\r\n{"payout-id"'), noAnswer(cut, 200)],
      ['closed between chunks', half('Transfer-Encoding: chunked', `17\r\n${json}\r\n`), noAnswer(cut, 200)],
      [
        'reset in a body without a length',
        async (it, request) => {
          await request;
          it.write(ok() + json);
          await sleep(50);
          reset(it);
        },
        noAnswer(cut, 200),
      ],
      ['no HTTP at all', says('SSH-2.0-OpenSSH_9.2\r\n'), noAnswer('HPE_')],
      ['two lengths that differ', says(ok('Content-Length: 1\r\nContent-Length: 2'), 'ab'), noAnswer('HPE_')],
      ['a body over the limit', answer(200, 'x'.repeat(1_001)), noAnswer('longer than 1000 bytes', 200)],
      ['headers without end', says(ok(`X: ${'x'.repeat(40_000)}`)), noAnswer('HPE_HEADER_OVERFLOW')],
      [
        'another protocol',
        says('HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
        noAnswer('closed'),
      ],
    ])('%s', async (_, manner, evidence) => {
      const server = await startRawServer(protocol, manner);
      expect(await post(server.url)).toEqual(evidence);
      await server.allClosed();
      expect(server.received).toHaveLength(1);
      expect(server.requests()).toBeLessThanOrEqual(1);
    });

    it.each<[what: string, manner: Manner, short: Partial<HttpGatewayOptions['limits']>, evidence: object]>([
      ['before the headers', saysAndStalls(''), { gatewayHeadersTimeoutMs: 150 }, noAnswer('the answer took')],
      [
        'within the headers',
        saysAndStalls('HTTP/1.1 200 OK\r\nX'),
        { gatewayHeadersTimeoutMs: 150 },
        noAnswer('answer took'),
      ],
      [
        'after 1xx',
        saysAndStalls('HTTP/1.1 100 Go\r\n\r\n'),
        { gatewayHeadersTimeoutMs: 150 },
        noAnswer('answer took'),
      ],
      ['within the body', saysAndStalls(ok('Content-Length: 9')), { gatewayBodyTimeoutMs: 150 }, noAnswer('body', 200)],
      ['before the close', saysAndStalls(ok() + json), { gatewayBodyTimeoutMs: 150 }, noAnswer('body', 200)],
      ['anywhere', saysAndStalls(ok('Content-Length: 9')), { gatewayTotalTimeoutMs: 500 }, noAnswer('exchange', 200)],
    ])('a stall %s is cut', async (_, manner, short, evidence) => {
      const server = await startRawServer(protocol, manner);
      expect(await post(server.url, aGateway(short))).toEqual(evidence);
      await server.allClosed();
      expect([server.received.length, server.requests()]).toEqual([1, 1]);
    });
  },
);

describe('nothing was sent', () => {
  it('when the connection is refused', async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual(notSent('ECONNREFUSED'));
    expect(await post(`https://127.0.0.1:${port}/`)).toEqual(notSent('ECONNREFUSED'));
  });

  it('when the name does not exist', async () => {
    const reason = /ENOTFOUND|EAI_AGAIN|within 5000 ms/;
    expect(await post('https://gateway.invalid/')).toEqual(notSent(reason));
  });

  it.each(['http', 'https'])('when the %s connection is not accepted in time', async (protocol) => {
    const port = await startFullPort();
    const gateway = aGateway({ gatewayConnectTimeoutMs: 150 });
    expect(await post(`${protocol}://127.0.0.1:${port}/`, gateway)).toEqual(notSent('within 150 ms'));
  });

  it('when TLS is never completed', async () => {
    const server = await startRawServer('http', () => {});
    const gateway = aGateway({ gatewayConnectTimeoutMs: 150 });
    expect(await post(asHttps(server.url), gateway)).toEqual(notSent('within 150 ms'));
    await server.allClosed();
    expect(server.requests()).toBe(0);
  });

  it.each<[what: string, manner: Manner]>([
    ['closes', (it) => it.once('data', () => it.destroy())],
    ['resets', (it) => it.once('data', () => reset(it))],
    ['speaks plain HTTP', (it) => it.once('data', () => it.end('HTTP/1.1 400 Bad Request\r\n\r\n'))],
  ])('when the server %s during the handshake', async (_, manner) => {
    const server = await startRawServer('http', manner);
    expect(await post(asHttps(server.url))).toEqual(notSent('no connection'));
    await server.allClosed();
    expect([server.received.length, server.requests()]).toEqual([1, 0]);
  });

  it('when no authority vouches for the certificate', async () => {
    const server = await startRawServer('https', answer(200, json));
    const gateway = createHttpGateway({ limits, nowMs: () => 0, uptimeMs: () => 0 });
    expect(await post(server.url, gateway)).toEqual(notSent('SELF_SIGNED_CERT'));
    await server.allClosed();
    expect(server.requests()).toBe(0);
  });

  it('when no authority vouches for the certificate, whatever the environment says of certificates', async () => {
    const server = await startRawServer('https', answer(200, json));
    const gateway = createHttpGateway({ limits, nowMs: () => 0, uptimeMs: () => 0 });
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await post(server.url, gateway)).toEqual(notSent('SELF_SIGNED_CERT'));
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
    await server.allClosed();
    expect(server.requests()).toBe(0);
  });

  it('when the certificate is of another host', async () => {
    const server = await startRawServer('https', answer(200, json), '127.0.0.2');
    expect(await post(server.url)).toEqual(notSent('ERR_TLS_CERT_ALTNAME_INVALID'));
    await server.allClosed();
    expect(server.requests()).toBe(0);
  });

  it.each(['http', 'https'] as const)('when %s was connected too late to send and settle', async (protocol) => {
    const server = await startRawServer(protocol, answer(200, json));
    expect(await post(server.url, aGateway(), { notAfterMs: 999 })).toEqual(tooLate);
    const late = aGateway({}, { uptimeMs: () => 61 });
    expect(await post(server.url, late, { notAfterUptimeMs: 60 })).toEqual(tooLate);
    await server.allClosed();
    expect(server.received.join('')).toBe('');
  });

  it('when no connection came before it was too late: that shows nothing of the gateway', async () => {
    expect(await post('http://127.0.0.1:9', aGateway(), { notAfterMs: 999 })).toEqual(tooLate);
  });

  it.each<[what: string, request: Partial<GatewayRequest>]>([
    ['a header that HTTP cannot carry', { headers: { authorization: 'OAuth realm="a\r\nb"' } }],
    ['an address that is none', { url: 'https://' }],
  ])('when the request has %s: the port never rejects', async (_, request) => {
    const server = await startRawServer('http', answer(200, json));
    expect(await post(server.url, aGateway(), request)).toEqual(notSent('ERR_INVALID'));
    await server.allClosed();
    expect(server.received.join('')).toBe('');
  });
});

describe('a host name of two addresses', () => {
  it.each(['http', 'https'] as const)('is reached over %s by the second if the first is silent', async (protocol) => {
    const server = await startRawServer(protocol, answer(200, json), '127.0.0.2');
    const url = new URL(server.url);
    await startFullPort(Number(url.port));
    url.hostname = 'localhost';
    const gateway = aGateway({ gatewayConnectTimeoutMs: 2_000 }, named('127.0.0.1', '127.0.0.2'));
    expect(await post(url.href, gateway)).toMatchObject({ kind: 'answer', body: json });
  });

  it('is reached by the first if that is slow and the second refuses: each has its share of our own deadline', async () => {
    const port = await startFullPort(0, 500);
    const gateway = aGateway({ gatewayConnectTimeoutMs: 20_000 }, named('127.0.0.1', '127.0.0.2'));
    expect(await post(`http://localhost:${port}/`, gateway)).toMatchObject({ kind: 'answer', body: json });
  });
});

describe('a connection', () => {
  it('is a fresh one for every request, and resumes the TLS session of the one before', async () => {
    const server = await startRawServer('https', answer(200, json, 'Connection: keep-alive'));
    const gateway = aGateway();
    for (let round = 0; round < 3; round += 1) {
      expect(await post(server.url, gateway)).toMatchObject({ kind: 'answer', body: json });
    }
    expect(server.resumed).toEqual([false, true, true]);
    expect([server.received.length, server.requests()]).toEqual([3, 3]);
  });
});

function ok(...headers: readonly string[]): string {
  return ['HTTP/1.1 200 OK', ...headers, '', ''].join('\r\n');
}

const asHttps = (url: string) => url.replace('http:', 'https:');

/** Ends a connection with RST, as a crashed peer or an impatient firewall does. */
function reset(socket: Socket): void {
  const raw = '_parent' in socket && socket._parent instanceof Socket ? socket._parent : socket;
  raw.resetAndDestroy();
}

/** Without reading: by then the client is connected and has handed its request over. */
function afterAMoment(end: (socket: Socket) => unknown): Manner {
  return async (socket) => {
    socket.pause();
    await sleep(50);
    end(socket);
  };
}

/** A port of 127.0.0.1 whose queue of connections is full: the next ones hang, until it answers after so long. */
async function startFullPort(wanted = 0, answersAfterMs = Infinity): Promise<number> {
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const { wanted, answersAfterMs, text } = workerData;
     const server = require('node:net').createServer((socket) => socket.on('error', () => {}).on('data', () => socket.end(text)));
     server.listen({ port: wanted, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, answersAfterMs);
     });`,
    { eval: true, workerData: { wanted, answersAfterMs, text: `${ok(`content-length: ${json.length}`)}${json}` } },
  );
  const [port] = (await once(worker, 'message')) as [number];
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  onTestFinished(async () => {
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  });
  await Promise.all(fillers.slice(0, 2).map((filler) => once(filler, 'connect')));
  return port;
}

/** A name of these addresses. */
const named = (...addresses: readonly string[]): Pick<HttpGatewayOptions, 'lookup'> => ({
  lookup: (_host, _options, found) =>
    found(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    ),
});
