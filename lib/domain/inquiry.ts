// Asking the gateway how an order stands (`v4/status`, gateway-facts.md section 4): what is asked, and what an answer
// proves. An answer about another order, amount or currency is never taken; what is not listed as final is not final.
import type { Evidence } from './evidence.ts';
import { decodeReply } from './gateway-reply.ts';
import type { Failure, LedgerEntry } from './ledger.ts';
import { parseAmount } from './money.ts';
import type { OrderIdField, SignatureMethodName } from './operations.ts';
import type { Profile } from './profile.ts';
import { redact } from './redact.ts';

/** The request, as a row of the operations table is one. */
export const statusRequest: {
  readonly path: string;
  readonly signatureMethod: SignatureMethodName;
  readonly orderIdField: OrderIdField;
} = { path: 'v4/status', signatureMethod: 'RSA-SHA256', orderIdField: 'client_orderid' };

/** What one look at the gateway proves. */
export type Finding =
  /** The gateway has the order and says how it ended. */
  | { readonly kind: 'approved'; readonly gatewayOrderId?: string }
  | { readonly kind: 'declined'; readonly gatewayOrderId?: string; readonly failure: Failure }
  /** The gateway has the order; it has not ended. `status` is the gateway's own word. */
  | { readonly kind: 'pending'; readonly gatewayOrderId?: string; readonly status: string }
  /** The gateway says that it knows no such order. Shortly after an unclear send this proves nothing yet. */
  | { readonly kind: 'unknown-order' }
  /** The gateway refused the signature or login of the inquiry. */
  | { readonly kind: 'credentials-refused' }
  /** Nothing can be learned from it. */
  | { readonly kind: 'unclear'; readonly reason: string };

const orderNotFoundCode = '101';
const declinedStatuses = new Set(['declined', 'error', 'filtered']);
const identityShape = /^[A-Za-z0-9_-]{1,40}$/;

/** The form fields of an inquiry; both ids where both are known, as the gateway recommends. */
export function statusParameters(
  entry: Pick<LedgerEntry, 'orderId' | 'gatewayOrderId'>,
  login: string,
  profile: Profile,
): [name: string, value: string][] {
  const orderIdField = profile.orderIdField.status ?? statusRequest.orderIdField;
  const pairs: [string, string][] = [
    ['login', login],
    [orderIdField, entry.orderId],
  ];
  if (entry.gatewayOrderId !== undefined) pairs.push(['orderid', entry.gatewayOrderId]);
  return pairs;
}

/** Judges one look. */
export function judgeInquiry(evidence: Evidence, entry: LedgerEntry): Finding {
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
  return findingOf(field, entry);
}

type Field = (name: string) => string | undefined;

function findingOf(field: Field, entry: LedgerEntry): Finding {
  const other = otherThan(field, entry);
  if (other !== undefined) return { kind: 'unclear', reason: other };
  const type = field('type')?.toLowerCase();
  if (type === 'error' || type === 'validation-error') {
    return field('error-code') === orderNotFoundCode
      ? { kind: 'unknown-order' }
      : { kind: 'unclear', reason: 'the gateway refused the inquiry' };
  }
  const status = field('status')?.toLowerCase();
  if (status === undefined) return { kind: 'unclear', reason: 'the answer has no status' };
  if (!namesOrder(field, entry)) return { kind: 'unclear', reason: 'the answer does not say which order it is about' };
  const id = gatewayOrderIdOf(field);
  const found = id === undefined ? {} : { gatewayOrderId: id };
  if (status === 'approved') return { kind: 'approved', ...found };
  if (declinedStatuses.has(status)) return { kind: 'declined', ...found, failure: declineOf(status, field) };
  return { kind: 'pending', ...found, status: redact(status, []).slice(0, 24) };
}

/** Says what of the answer belongs to another order; undefined when nothing does. */
function otherThan(field: Field, entry: LedgerEntry): string | undefined {
  const echoed = echoOf(field);
  if (echoed !== undefined && echoed !== entry.orderId) return 'the answer is about another order';
  const id = gatewayOrderIdOf(field);
  if (id !== undefined && entry.gatewayOrderId !== undefined && id !== entry.gatewayOrderId) {
    return "the answer is about another of the gateway's orders";
  }
  const currency = field('currency');
  if (currency !== undefined && entry.money && currency.toUpperCase() !== entry.money.currency) {
    return 'the answer is about another currency';
  }
  const amount = field('amount');
  if (amount !== undefined && entry.money && !isAmount(amount, entry.money))
    return 'the answer is about another amount';
  return undefined;
}

function isAmount(text: string, money: { readonly currency: string; readonly minorUnits: bigint }): boolean {
  // The gateway may write more digits than the currency has ("10.4200"); only their value counts.
  const parsed = parseAmount(text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''), money.currency);
  return parsed.kind === 'amount' && parsed.minorUnits === money.minorUnits;
}

function namesOrder(field: Field, entry: LedgerEntry): boolean {
  if (echoOf(field) === entry.orderId) return true;
  return entry.gatewayOrderId !== undefined && gatewayOrderIdOf(field) === entry.gatewayOrderId;
}

const echoOf = (field: Field) => field('merchant-order-id') ?? field('client_orderid') ?? field('client-order-id');

function gatewayOrderIdOf(field: Field): string | undefined {
  const id = field('paynet-order-id');
  return id !== undefined && identityShape.test(id) ? id : undefined;
}

function declineOf(status: string, field: Field): Failure {
  const gatewayCode = field('error-code');
  const message = field('error-message') ?? field('bank_message') ?? `the gateway says ${status}`;
  return {
    code: status === 'filtered' ? 'FILTERED' : 'GATEWAY_DECLINED',
    message: redact(message, []),
    ...(gatewayCode !== undefined && /^-?\d{1,8}$/.test(gatewayCode) && { gatewayCode }),
  };
}
