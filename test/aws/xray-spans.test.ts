// The gateway's call in the trace of its invocation: where it is sampled, with nothing of an order in it, and never in the way of
// an answer.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { invocationTrace } from '../../lib/aws/env-config.ts';
import { sendToDaemon, tracedGateway } from '../../lib/aws/xray-spans.ts';
import type { Evidence, Gateway } from '../../lib/gateway/ports.ts';
import { createManualClock } from '../support/time-and-chance.ts';

const root = '1-67891233-abcdef012345678912345678';
const header = `Root=${root};Parent=463ac35c9f6413ad;Sampled=1;Lineage=25:a87bd80c:1`;
const daemonAddress = '169.254.79.129:2000';
const request = {
  url: 'https://gate.example.com/paynet/api/v4/payout/39915',
  headers: { authorization: 'OAuth oauth_consumer_key="acme-login"' },
  body: 'client_orderid=INV-1&account_number=DE89370400440532013000',
  notAfterMs: 0,
};
const taken: Evidence = { kind: 'answer', httpStatus: 200, body: 'type=async-response', framing: 'delimited' };

/** A gateway that answers so after 120 ms, its packets, and whether its invocation is traced. */
function traced(evidence: Evidence, environment: Readonly<Record<string, string>> = {}) {
  const clock = createManualClock();
  const packets: string[] = [];
  const plain: Gateway = {
    async post() {
      clock.advance(120);
      return evidence;
    },
  };
  const trace = () =>
    invocationTrace({ _X_AMZN_TRACE_ID: header, AWS_XRAY_DAEMON_ADDRESS: daemonAddress, ...environment });
  const send = (packet: string) => void packets.push(packet);
  return { gateway: tracedGateway(plain, { nowMs: clock.nowMs, trace, send }), packets };
}

describe('a call of the gateway', () => {
  it('is a subsegment below the segment of Lambda: host, time, status, and nothing of the order', async () => {
    const { gateway, packets } = traced(taken);
    expect(await gateway.post(request)).toBe(taken);
    const [head = '', document = ''] = packets[0]?.split('\n') ?? [];
    expect(JSON.parse(head)).toEqual({ format: 'json', version: 1 });
    const span = JSON.parse(document) as Record<string, unknown>;
    expect(span).toEqual({
      type: 'subsegment',
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      trace_id: root,
      parent_id: '463ac35c9f6413ad',
      name: 'gate.example.com',
      namespace: 'remote',
      start_time: expect.any(Number),
      end_time: expect.closeTo(Number(span['start_time']) + 0.12, 3),
      http: { request: { method: 'POST' }, response: { status: 200 } },
      annotations: { evidence: 'answer', call: 'order' },
    });
    for (const it of ['INV-1', 'DE89', 'acme-login', '39915']) expect(packets[0]).not.toContain(it);
  });

  it.each<[string, Evidence, object]>([
    ['was refused', { ...taken, httpStatus: 401 }, { error: true }],
    ['came too often', { ...taken, httpStatus: 429 }, { error: true, throttle: true }],
    ['failed there', { ...taken, httpStatus: 502 }, { fault: true }],
    ['was never answered', { kind: 'no-answer', reason: 'no answer within 20000 ms' }, { fault: true }],
    ['was never sent', { kind: 'not-sent', reason: 'connect ECONNREFUSED' }, { fault: true }],
  ])('that %s is marked so', async (_, evidence, marks) => {
    const { gateway, packets } = traced(evidence);
    await gateway.post(request);
    expect(JSON.parse(packets[0]?.split('\n')[1] ?? '{}')).toMatchObject(marks);
  });

  it.each([
    ['not sampled', { _X_AMZN_TRACE_ID: header.replace('Sampled=1', 'Sampled=0') }],
    ['not traced', { _X_AMZN_TRACE_ID: '' }],
    ['without a daemon', { AWS_XRAY_DAEMON_ADDRESS: '' }],
  ])('of an invocation that is %s is shown nowhere', async (_, environment) => {
    const { gateway, packets } = traced(taken, environment);
    expect(await gateway.post(request)).toBe(taken);
    expect(packets).toEqual([]);
  });

  it('keeps its answer where the packet can not be sent', async () => {
    const trace = () => invocationTrace({ _X_AMZN_TRACE_ID: header, AWS_XRAY_DAEMON_ADDRESS: daemonAddress });
    const send = () => {
      throw new Error('no more sockets');
    };
    const gateway = tracedGateway({ post: async () => taken }, { nowMs: () => 0, trace, send });
    expect(await gateway.post(request)).toBe(taken);
  });
});

it('a packet reaches the daemon by UDP', async () => {
  const daemon = createSocket('udp4');
  daemon.bind(0, '127.0.0.1');
  await once(daemon, 'listening');
  const heard = once(daemon, 'message');
  sendToDaemon('{}\n{}', { host: '127.0.0.1', port: daemon.address().port });
  const [packet] = (await heard) as [Buffer];
  expect(packet.toString()).toBe('{}\n{}');
  daemon.close();
});
