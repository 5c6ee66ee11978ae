// The inquiry about an order (`v4/status`): the request, and what an answer proves. An answer about another order proves nothing; a
// status that is not listed as final is not final.
import { decodeReply, type GatewayReply, mayGoOn } from './reply.ts';
import type { Evidence } from './ports.ts';
import { type AskedOrder, type Finding, statusFinding } from './finding.ts';
import { type GatewayIds, gatewayIdentityOf } from './gateway-outcome.ts';
import { bearsAnId, codesIn, codesInText, echoedOrderIds, idsOf, saysTaken } from './reply-words.ts';
import type { OrderIdField } from './operations.ts';
import { defaultProfile, type Profile } from './profile.ts';
import { cardDataInName } from './redact.ts';
import type { SignatureMethodName } from '../oauth1/vocabulary.ts';

/** The request, shaped as a row of the operations table. */
export const statusRequest: {
  readonly path: string;
  readonly signatureMethod: SignatureMethodName;
  readonly orderIdField: OrderIdField;
} = { path: 'v4/status', signatureMethod: 'RSA-SHA256', orderIdField: 'client_orderid' };

const orderNotFoundCode = '101';

/**
 * The form fields of an inquiry: our order id, and the gateway's identity if it is known. An alias is no `orderid`: a gateway with two
 * ids would answer that it knows no such order.
 */
export function statusParameters(
  order: Pick<AskedOrder, 'orderId' | keyof GatewayIds>,
  login: string,
  profile: Profile,
): [name: string, value: string][] {
  const orderIdField = profile.orderIdField.status ?? statusRequest.orderIdField;
  const pairs: [string, string][] = [
    ['login', login],
    [orderIdField, order.orderId],
  ];
  const identity = gatewayIdentityOf(order);
  if (identity !== undefined) pairs.push(['orderid', identity]);
  return pairs;
}

/** The profile's meanings of statuses; the default is the interface document alone. */
type StatusWords = Pick<Profile, 'statusWords' | 'transactionTypes'>;

/** Judges the answer to one inquiry. */
export function judgeInquiry(evidence: Evidence, order: AskedOrder, profile: StatusWords = defaultProfile): Finding {
  if (evidence.kind !== 'answer') return unclear('no answer');
  const { httpStatus } = evidence;
  if (httpStatus === 401 || httpStatus === 403) return { kind: 'credentials-refused' };
  // Refusals in JSON come with a status of 400.
  if (httpStatus !== 200 && (httpStatus < 400 || httpStatus > 499 || httpStatus === 429)) {
    return unclear(`HTTP ${httpStatus}`);
  }
  if (evidence.unreadable !== undefined) return unclear(evidence.unreadable);
  const reply = decodeReply(evidence.body, evidence.framing);
  if (reply.kind !== 'fields') return unclear(reply.reason);
  const ids = idsOf(reply.leaves, order.operation, []);
  const echoed = echoedOrderIds(reply.leaves);
  const other = otherThan(reply, echoed, ids, order);
  if (other !== undefined) return unclear(other);
  const isEchoed = echoed.includes(order.orderId);
  if (mayGoOn(evidence) && !isEchoed) return unclear('the answer may have been cut off');
  const type = reply.fields.get('type')?.toLowerCase();
  // A refused inquiry says nothing about the order.
  if (type === 'validation-error') return unclear('the gateway refused the inquiry');
  if (type === 'error')
    return saysUnknown(reply, order) ? { kind: 'unknown-order' } : unclear('the gateway refused the inquiry');
  if (httpStatus !== 200) return unclear(`HTTP ${httpStatus}`);
  if (type !== undefined && type !== '' && type !== 'status-response')
    return unclear('the answer is not about a status');
  if (!isEchoed && !isNamed(ids, order)) return unclear('the answer does not say which order it is about');
  // The order's card is not known here: an id that looks like a card number is kept only if the order has it already.
  const known = new Set([order.gatewayOrderId, order.gatewayAlias]);
  const cards = reply.leaves.flatMap(({ value }) => (cardDataInName(value) && !known.has(value) ? [value] : []));
  const kept = idsOf(reply.leaves, order.operation, cards);
  return statusFinding((name) => reply.fields.get(name) || undefined, kept, order, profile);
}

/** True if the answer says only that there is no such order: an id, another code or a status of progress contradicts that. */
function saysUnknown({ fields, leaves }: Extract<GatewayReply, { kind: 'fields' }>, order: AskedOrder): boolean {
  const codes = [...codesIn(leaves), ...leaves.flatMap(({ value }) => codesInText(value))];
  const isAlone = fields.has('error-code') && codes.every((code) => code === orderNotFoundCode);
  const isThere = leaves.some((leaf) => bearsAnId(leaf, order.orderId));
  return isAlone && !isThere && !saysTaken(leaves);
}

const unclear = (reason: string): Finding => ({ kind: 'unclear', reason });

/** True if the answer has one of the attempt's known ids. */
function isNamed(ids: GatewayIds, { gatewayOrderId, gatewayAlias }: AskedOrder): boolean {
  if (gatewayOrderId !== undefined && ids.gatewayOrderId === gatewayOrderId) return true;
  // If both ids are the same, the answer need not repeat the alias.
  const named = [ids.gatewayAlias, ids.gatewayOrderId];
  return gatewayAlias !== undefined && named.includes(gatewayAlias);
}

/** How the answer is about another order; undefined if it is not. */
function otherThan(
  { fields }: Extract<GatewayReply, { kind: 'fields' }>,
  echoed: readonly string[],
  ids: GatewayIds,
  order: AskedOrder,
): string | undefined {
  if (echoed.some((it) => it !== order.orderId)) return 'the answer is about another order';
  // A malformed id is not ours either. If only the order's alias is known, any identity may be ours.
  const named = gatewayIdentityOf(ids) ?? fields.get('paynet-order-id');
  const known = gatewayIdentityOf(order);
  if (named === undefined || named === '' || known === undefined || named === known) return undefined;
  return "the answer is about another of the gateway's orders";
}
