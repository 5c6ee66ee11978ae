// Replies as bytes: what the gateway says, in each way HTTP can mark where it ends.

/** The order of every trial, and the gateway's id of it: no piece of the id is an id that could be mistaken for it. */
export const orderId = 'INV-2026-CHAOS';
export const gatewayOrderId = '90071992547409930001';

/** How the end of the body is marked. */
export type Framing = 'content-length' | 'chunked' | 'until close' | 'HTTP/1.0' | 'transfer-encoding identity';

/** Marked by nothing but the end of the connection. */
export const isUntilClose = (framing: Framing) => framing !== 'content-length' && framing !== 'chunked';

/** Every framing. */
export const framings: readonly Framing[] = [
  'content-length',
  'chunked',
  'until close',
  'HTTP/1.0',
  'transfer-encoding identity',
];

type Fields = readonly (readonly [name: string, value: string])[];

/** The gateway took the order. */
export const acceptance: Fields = [
  ['type', 'async-response'],
  ['serial-number', '00000000-0000-0000-0000-00000000002a'],
  ['merchant-order-id', orderId],
  ['paynet-order-id', gatewayOrderId],
  ['end-point-id', '39915'],
  ['payout-id', gatewayOrderId],
];

/** The gateway refuses because it has the order already: only the last words say so, and they decide. */
export const refusalOfKnownOrder: Fields = [
  ['type', 'validation-error'],
  ['serial-number', '00000000-0000-0000-0000-00000000002a'],
  ['merchant-order-id', orderId],
  ['error-message', 'Order already exists'],
  ['error-code', '503'],
];

/** The gateway refuses the signature of an order that it has: only its last field says so. */
export const refusalOfTakenOrder: Fields = [
  ['type', 'error'],
  ['error-code', '2'],
  ['merchant-order-id', orderId],
  ['paynet-order-id', gatewayOrderId],
];

/** The gateway refuses for good. */
export const refusal: Fields = [
  ['type', 'validation-error'],
  ['serial-number', '00000000-0000-0000-0000-00000000002a'],
  ['merchant-order-id', orderId],
  ['error-message', 'Amount is invalid'],
  ['error-code', '29'],
];

/** As JSON text, ids as numbers as the gateway writes them. */
export function jsonOf(fields: Fields): string {
  return `{${fields.map(([name, value]) => `"${name}":${/^\d+$/.test(value) ? value : JSON.stringify(value)}`).join(',')}}`;
}

/** As the gateway's own form text. */
export function formOf(fields: Fields): string {
  return fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}\n`).join('&');
}

/** A whole answer. */
export function wireReply(framing: Framing, status: string, body: string): Buffer {
  const type = body.startsWith('{') ? 'application/vnd.pay+json;charset=utf-8' : 'text/html;charset=utf-8';
  const head = (version: string, ...headers: string[]) =>
    [`HTTP/${version} ${status}`, `Content-Type: ${type}`, ...headers, '', ''].join('\r\n');
  const size = Buffer.byteLength(body);
  switch (framing) {
    case 'content-length':
      return Buffer.from(`${head('1.1', `Content-Length: ${size}`)}${body}`);
    case 'chunked':
      return Buffer.from(`${head('1.1', 'Transfer-Encoding: chunked')}${chunked(body)}`);
    case 'until close':
      return Buffer.from(`${head('1.1', 'Connection: close')}${body}`);
    case 'HTTP/1.0':
      return Buffer.from(`${head('1.0', 'Server: old')}${body}`);
    case 'transfer-encoding identity':
      return Buffer.from(`${head('1.1', 'Transfer-Encoding: identity')}${body}`);
  }
}

/** In three chunks, so that a cut can fall on the border of one, inside a size line and inside the data. */
function chunked(body: string): string {
  const third = Math.ceil(body.length / 3);
  const parts = [body.slice(0, third), body.slice(third, 2 * third), body.slice(2 * third)];
  return [...parts, ''].map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join('');
}
