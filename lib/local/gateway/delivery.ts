// How a reply reaches the client, or fails to: turns a fault into a delivery and puts it on the socket.
import type { ServerResponse } from 'node:http';
import type { SimulatedFault } from './scenario.ts';
import {
  htmlAnswer,
  type HttpAnswer,
  httpAnswerOf,
  jsonText,
  plainAnswer,
  type Reply,
  type ReplyFormat,
} from './reply.ts';

/** A fault of the connection. */
export type Delivery =
  | { readonly kind: 'answer'; readonly answer: HttpAnswer }
  | { readonly kind: 'truncated'; readonly answer: HttpAnswer }
  | { readonly kind: 'reset' | 'close' | 'stall' };

const errorTitles = {
  401: 'Unauthorized',
  408: 'Request Timeout',
  409: 'Conflict',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Temporarily Unavailable',
  504: 'Gateway Time-out',
} as const;

/** The order id of another order in `foreign-order-id`. */
export const foreignOrderId = 'ANOTHER-ORDER';

/** The delivery of a reply under a fault. A fault's moment has been settled by now and plays no part here. */
export function deliveryOf(reply: Reply, format: ReplyFormat, fault: SimulatedFault): Delivery {
  const intact = httpAnswerOf(reply, format);
  switch (fault.kind) {
    case 'none':
    case 'slow':
      return { kind: 'answer', answer: intact };
    case 'reset':
    case 'close':
    case 'stall':
      return { kind: fault.kind };
    case 'truncated-body':
      return { kind: 'truncated', answer: intact };
    case 'http-error':
      return { kind: 'answer', answer: htmlAnswer(fault.status, `${fault.status} ${errorTitles[fault.status]}`) };
    case 'too-many-requests': {
      const headers = { 'retry-after': String(fault.retryAfterSeconds) };
      return { kind: 'answer', answer: plainAnswer(429, 'Too Many Requests', headers) };
    }
    case 'empty-200':
      return { kind: 'answer', answer: { ...intact, status: 200, body: '' } };
    case 'html-200':
      return { kind: 'answer', answer: htmlAnswer(200, 'Scheduled maintenance') };
    case 'json-as-html': {
      const headers = { 'content-type': 'text/html;charset=utf-8' };
      return { kind: 'answer', answer: { status: intact.status, headers, body: jsonText(reply.fields) } };
    }
    case 'foreign-order-id':
      return { kind: 'answer', answer: httpAnswerOf(withForeignOrderId(reply), format) };
  }
}

function withForeignOrderId(reply: Reply): Reply {
  const fields = reply.fields.map(
    ([name, value]) => [name, name === 'merchant-order-id' ? foreignOrderId : value] as const,
  );
  return { ...reply, fields };
}

/** Puts a delivery on the wire. */
export function deliver(delivery: Delivery, response: ServerResponse): void {
  switch (delivery.kind) {
    case 'answer':
      writeHead(response, delivery.answer);
      response.end(delivery.answer.body);
      return;
    case 'truncated': {
      const bytes = Buffer.from(delivery.answer.body);
      writeHead(response, delivery.answer);
      // Ended only once the half is handed over, so that the client sees a short body and not a reset.
      response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
      return;
    }
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'close':
      response.destroy();
      return;
    case 'stall':
      return;
  }
}

function writeHead(response: ServerResponse, { status, headers, body }: HttpAnswer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
}
