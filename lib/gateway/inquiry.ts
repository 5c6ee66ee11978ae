// Asking the gateway how an order stands (`v4/status`, gateway-facts.md section 4): what is asked, and what an answer
// proves. An answer about another order, amount or currency is never taken; what is not listed as final is not final.
import type { Evidence } from './evidence.ts';
import { decodeReply } from './gateway-reply.ts';
import type { GatewayFailure } from './failures.ts';
import { isAmountOf, type Money } from './money.ts';
import type { SignatureMethodName } from '../oauth1/signature-method-names.ts';
import type { OrderIdField } from './operations.ts';
import type { Profile } from './profile.ts';
import { redact } from './redact.ts';

/** The request, as a row of the operations table is one. */
export const statusRequest: {
  readonly path: string;
  readonly signatureMethod: SignatureMethodName;
  readonly orderIdField: OrderIdField;
} = { path: 'v4/status', signatureMethod: 'RSA-SHA256', orderIdField: 'client_orderid' };

/** An order about which the gateway is asked, or speaks. */
export interface AskedOrder {
  readonly orderId: string;
  readonly gatewayOrderId?: string;
  readonly money?: Money;
}

/** What one look at the gateway proves. */
export type Finding =
  /** The gateway has the order and says how it ended. */
  | { readonly kind: 'approved'; readonly gatewayOrderId?: string }
  | { readonly kind: 'declined'; readonly gatewayOrderId?: string; readonly failure: GatewayFailure }
  /** The gateway has the order; it has not ended. `status` is the gateway's own word. */
  | { readonly kind: 'pending'; readonly gatewayOrderId?: string; readonly status: string }
  /** The gateway says that it knows no such order. Shortly after an unclear send this proves nothing yet. */
  | { readonly kind: 'unknown-order' }
  /** The gateway refused the signature or login of the inquiry. */
  | { readonly kind: 'credentials-refused' }
  /** Nothing can be learned from it. */
  | { readonly kind: 'unclear'; readonly reason: string };

const orderNotFoundCode = '101';
/** The gateway's final words, each with the code of the failure that it means; `approved` means none. */
const finalStatuses: ReadonlyMap<string, 'FILTERED' | 'GATEWAY_DECLINED' | undefined> = new Map([
  ['approved', undefined],
  ['declined', 'GATEWAY_DECLINED'],
  ['error', 'GATEWAY_DECLINED'],
  ['filtered', 'FILTERED'],
]);
const identityShape = /^[A-Za-z0-9_-]{1,40}$/;

/** The form fields of an inquiry; both ids where both are known, as the gateway recommends. */
export function statusParameters(order: AskedOrder, login: string, profile: Profile): [name: string, value: string][] {
  const orderIdField = profile.orderIdField.status ?? statusRequest.orderIdField;
  const pairs: [string, string][] = [
    ['login', login],
    [orderIdField, order.orderId],
  ];
  if (order.gatewayOrderId !== undefined) pairs.push(['orderid', order.gatewayOrderId]);
  return pairs;
}

/** Judges one look. */
export function judgeInquiry(evidence: Evidence, order: AskedOrder): Finding {
  if (evidence.kind !== 'answer') return { kind: 'unclear', reason: 'no answer' };
  const { httpStatus } = evidence;
  if (httpStatus === 401 || httpStatus === 403) return { kind: 'credentials-refused' };
  // 4xx too: asked for JSON, the gateway refuses under 400 (gateway-facts.md 0.2).
  if (httpStatus !== 200 && (httpStatus < 400 || httpStatus > 499 || httpStatus === 429)) {
    return { kind: 'unclear', reason: `HTTP ${httpStatus}` };
  }
  const reply = decodeReply(evidence.body, evidence.framing);
  if (reply.kind === 'unreadable') return { kind: 'unclear', reason: reply.reason };
  const field = (name: string) => reply.fields.get(name) || undefined;
  const other = otherThan(field, order);
  if (other !== undefined) return { kind: 'unclear', reason: other };
  if (mayGoOn(evidence) && echoOf(field) !== order.orderId)
    return { kind: 'unclear', reason: 'the answer may have been cut off' };
  const type = field('type')?.toLowerCase();
  if (type === 'error' || type === 'validation-error') {
    return field('error-code') === orderNotFoundCode
      ? { kind: 'unknown-order' }
      : { kind: 'unclear', reason: 'the gateway refused the inquiry' };
  }
  if (httpStatus !== 200) return { kind: 'unclear', reason: `HTTP ${httpStatus}` };
  if (type !== undefined && type !== 'status-response')
    return { kind: 'unclear', reason: 'the answer is not about a status' };
  return statusFinding(field, order);
}

type Field = (name: string) => string | undefined;

function statusFinding(field: Field, order: AskedOrder): Finding {
  const status = field('status')?.toLowerCase();
  if (status === undefined) return { kind: 'unclear', reason: 'the answer has no status' };
  if (!namesOrder(field, order)) return { kind: 'unclear', reason: 'the answer does not say which order it is about' };
  return (
    endOf(status, field('paynet-order-id'), (code) => declineOf(code, status, field)) ?? {
      kind: 'pending',
      ...identityOf(field('paynet-order-id')),
      status: redact(status, []).slice(0, 24),
    }
  );
}

/** The end that a status means, the same in answers and callbacks; undefined for whatever is not listed as final. */
export function endOf(
  status: string,
  gatewayOrderId: string | undefined,
  failureOf: (code: 'FILTERED' | 'GATEWAY_DECLINED') => GatewayFailure,
): Extract<Finding, { kind: 'approved' | 'declined' }> | undefined {
  const word = status.toLowerCase();
  if (!finalStatuses.has(word)) return undefined;
  const code = finalStatuses.get(word);
  const identity = identityOf(gatewayOrderId);
  return code ? { kind: 'declined', ...identity, failure: failureOf(code) } : { kind: 'approved', ...identity };
}

/** Only the closing of the connection marks the end of the text, so what it says of its order may be cut off. */
function mayGoOn({ framing, body }: Extract<Evidence, { kind: 'answer' }>): boolean {
  return framing === 'until-close' && !body.trimStart().startsWith('{');
}

/** Says what of the answer belongs to another order; undefined when nothing does. */
function otherThan(field: Field, order: AskedOrder): string | undefined {
  const echoed = echoOf(field);
  if (echoed !== undefined && echoed !== order.orderId) return 'the answer is about another order';
  const id = field('paynet-order-id');
  if (id !== undefined && order.gatewayOrderId !== undefined && id !== order.gatewayOrderId) {
    return "the answer is about another of the gateway's orders";
  }
  const currency = field('currency');
  if (currency !== undefined && order.money && currency.toUpperCase() !== order.money.currency) {
    return 'the answer is about another currency';
  }
  const amount = field('amount');
  if (amount !== undefined && order.money && !isAmountOf(amount, order.money))
    return 'the answer is about another amount';
  return undefined;
}

function namesOrder(field: Field, order: AskedOrder): boolean {
  if (echoOf(field) === order.orderId) return true;
  return order.gatewayOrderId !== undefined && field('paynet-order-id') === order.gatewayOrderId;
}

const echoOf = (field: Field) => field('merchant-order-id') ?? field('client_orderid') ?? field('client-order-id');

/** An id goes into results and the ledger's item, so what is too long or odd for one is none. */
function identityOf(id: string | undefined): { readonly gatewayOrderId?: string } {
  return id !== undefined && identityShape.test(id) ? { gatewayOrderId: id } : {};
}

function declineOf(code: 'FILTERED' | 'GATEWAY_DECLINED', status: string, field: Field): GatewayFailure {
  const gatewayCode = field('error-code');
  const message = field('error-message') ?? field('bank_message') ?? `the gateway says ${status}`;
  return {
    code,
    message: redact(message, []),
    ...(gatewayCode !== undefined && /^-?\d{1,8}$/.test(gatewayCode) && { gatewayCode }),
  };
}
