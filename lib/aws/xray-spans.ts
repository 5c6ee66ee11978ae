// The gateway's call as a subsegment below Lambda's own segment, where the invocation is traced: one UDP packet to the daemon
// that Lambda runs beside the function (X-Ray, "segment documents"; the daemon's header, then a line of JSON). It bears the
// gateway's host, how long it took and its outcome: no path, no field, no order, no merchant. A packet that is lost is a
// line that is missing in a picture; nothing waits for it.
import type { Evidence, Gateway, GatewayRequest } from '../gateway/ports.ts';
import { type InvocationTrace, invocationTrace } from './env-config.ts';
import { systemClock, systemRandom } from './system.ts';

/** The ports of tracing. */
interface SpanPorts {
  readonly nowMs: () => number;
  /** The sampled trace of the invocation under way, and the daemon; undefined where there is none. */
  readonly trace: () => InvocationTrace | undefined;
  readonly send: (packet: string, daemon: { readonly host: string; readonly port: number }) => void;
}

/** A gateway whose calls are shown in the trace of their invocation. */
export function tracedGateway(gateway: Gateway, { nowMs, trace, send }: SpanPorts): Gateway {
  return {
    ...gateway,
    async post(request) {
      // The trace of the invocation in which it began: one that was frozen meanwhile has another.
      const of = trace();
      if (!of) return gateway.post(request);
      const startedMs = nowMs();
      const evidence = await gateway.post(request);
      try {
        const span = subsegment(request, evidence, { of, startedMs, endedMs: nowMs() });
        send(`${daemonHeader}\n${JSON.stringify(span)}`, of.daemon);
      } catch {
        // Nothing may come between an answer and the ledger.
      }
      return evidence;
    },
  };
}

const daemonHeader = '{"format": "json", "version": 1}';

function subsegment(
  { url }: GatewayRequest,
  evidence: Evidence,
  { of, startedMs, endedMs }: { readonly of: InvocationTrace; readonly startedMs: number; readonly endedMs: number },
) {
  const status = evidence.kind === 'not-sent' ? undefined : evidence.httpStatus;
  return {
    type: 'subsegment',
    id: systemRandom.id().slice(0, 16),
    trace_id: of.root,
    parent_id: of.parent,
    name: URL.parse(url)?.hostname ?? 'gateway',
    namespace: 'remote',
    start_time: startedMs / 1000,
    end_time: endedMs / 1000,
    http: { request: { method: 'POST' }, ...(status !== undefined && { response: { status } }) },
    annotations: { evidence: evidence.kind, call: url.includes('/status/') ? 'inquiry' : 'order' },
    ...(status === 429 && { throttle: true }),
    ...(status !== undefined && status >= 400 && status < 500 && { error: true }),
    ...((status === undefined || status >= 500) && { fault: true }),
  };
}

/** Sends by a socket of its own, which keeps no process alive. */
export const sendToDaemon: SpanPorts['send'] = (packet, { host, port }) => {
  const socket = process.getBuiltinModule('node:dgram').createSocket('udp4');
  socket.unref().on('error', () => {});
  socket.send(packet, port, host, () => socket.close());
};

/** The spans of the invocation under way, by Lambda's environment. */
export const invocationSpans: SpanPorts = {
  nowMs: systemClock.nowMs,
  trace: () => invocationTrace(),
  send: sendToDaemon,
};
