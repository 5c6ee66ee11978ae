// One attempt as the rows of outcome.ts look at it: what its answer says, field by field. Nothing is decided here.
import type { Evidence } from './evidence.ts';
import { decodeReply, type GatewayReply } from './gateway-reply.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import type { Profile } from './profile.ts';
import { sensitiveValues } from './redact.ts';

/** The order as it was sent. */
export interface SentOrder {
  readonly operation: OperationName;
  readonly orderId: string;
  /** What it was sent with: what is sensitive in it is nowhere repeated. */
  readonly params: Readonly<Record<string, string>>;
}

/** All that the rows look at. */
export interface AttemptView {
  readonly evidence: Evidence;
  readonly operation: Operation;
  readonly orderId: string;
  readonly profile: Profile;
  /** 0 where there was no whole answer. */
  readonly httpStatus: number;
  readonly reply: GatewayReply;
  readonly field: (name: string) => string | undefined;
  readonly secrets: readonly string[];
}

/** Codes that the gateway's own list calls passing (gateway-facts.md section 5): the order's fate is open. */
const temporaryErrorCodes = new Set(['102', '502', '1001', '1002', '1003', '1004', '1013']);
/** 503 ORDER_ALREADY_COMPLETED: the refusal is about an order that exists. */
const orderExistsCodes = new Set(['503']);
/** Words may only ever lead into doubt, never out of it. */
const orderExistsWords =
  /\bduplicat|\balready (exists|processed|completed|paid|used)|\b(order|transaction|payout|transfer|request|id)\b.*\b(already|exists)\b/i;
const refusalTypes = new Set(['validation-error', 'error']);
/** Accepted for processing; with a redirect where the shopper must act (gateway-facts.md section 3). */
const acceptanceTypes = new Set(['async-response', 'async-form-response']);
const refusedStates = new Set(['declined', 'error', 'filtered']);
const identityShape = /^[A-Za-z0-9_-]{1,40}$/;

/** The attempt, its answer decoded. */
export function attemptViewOf(evidence: Evidence, order: SentOrder, profile: Profile): AttemptView {
  const reply: GatewayReply =
    evidence.kind === 'answer'
      ? decodeReply(evidence.body, evidence.framing)
      : { kind: 'unreadable', reason: evidence.reason };
  return {
    evidence,
    operation: operations[order.operation],
    orderId: order.orderId,
    profile,
    httpStatus: evidence.kind === 'answer' ? evidence.httpStatus : 0,
    reply,
    field: (name) => (reply.kind === 'fields' ? reply.fields.get(name) || undefined : undefined),
    secrets: sensitiveValues(order),
  };
}

/** A 4xx status. */
export function isClientError(it: AttemptView): boolean {
  return it.httpStatus >= 400 && it.httpStatus <= 499;
}

/** The answer could be read as fields. */
export const readable = (it: AttemptView) => it.reply.kind === 'fields';
/**
 * Nothing but the closing of the connection marks where the text ends, so the words that would turn it may be cut off.
 * JSON marks its own end.
 */
export function mayGoOn(it: AttemptView): boolean {
  if (it.evidence.kind !== 'answer' || it.evidence.framing !== 'until-close') return false;
  return !readable(it) || !it.evidence.body.trimStart().startsWith('{');
}
/** The answer calls itself an acceptance, and of our order: with an id, it needs no further word. */
export const saysWhoseItIs = (it: AttemptView) =>
  acceptanceTypes.has(it.field('type')?.toLowerCase() ?? '') && echoedOrderId(it) === it.orderId;
/** The answer is of a type that refuses; compared without regard to case, as a refusal must not pass for acceptance. */
export const refusal = (it: AttemptView) => refusalTypes.has(it.field('type')?.toLowerCase() ?? '');
/** The answer bears a state in which an order ends unpaid. */
const refusedState = (it: AttemptView) => refusedStates.has(it.field('status')?.toLowerCase() ?? '');
/** Our order id as the answer repeats it. */
export const echoedOrderId = (it: AttemptView) =>
  it.field('merchant-order-id') ?? it.field('client-order-id') ?? it.field('client_orderid');

/** The first identity field that bears one. An id goes into results, so an echoed card or account number is none. */
export function identity(it: AttemptView): string | undefined {
  const echoes = (id: string) =>
    it.secrets.some((secret) => (secret.length < 12 ? id === secret : id.includes(secret)));
  return it.operation.identityFields
    .map(it.field)
    .find((id) => id !== undefined && identityShape.test(id) && !echoes(id));
}

/** Any word of trouble beside what would be a success: an answer that contradicts itself proves nothing. */
export function speaksOfTrouble(it: AttemptView): boolean {
  const troubled = ['error', 'error-code', 'error-message'].some((name) => (it.field(name) ?? '0') !== '0');
  return troubled || refusal(it) || refusedState(it) || malformedIdentity(it);
}

const malformedIdentity = (it: AttemptView) =>
  identity(it) === undefined && it.operation.identityFields.some((name) => it.field(name) !== undefined);

/** A bare `error` says that something went wrong, not that nothing was created; a validation error says both. */
export const saysWhy = (it: AttemptView) =>
  it.field('error-code') !== undefined || it.field('type')?.toLowerCase() === 'validation-error';

/** The error code says that the trouble passes. */
export function temporary(it: AttemptView): boolean {
  const code = it.field('error-code') ?? '';
  return temporaryErrorCodes.has(code) || it.profile.temporaryErrorCodes.includes(code);
}

/** The refusal is about an order that exists already. */
export function speaksOfExistingOrder(it: AttemptView): boolean {
  const code = it.field('error-code') ?? '';
  return (
    orderExistsCodes.has(code) ||
    it.profile.duplicateOrderCodes.includes(code) ||
    orderExistsWords.test(gatewayWords(it) ?? unreadableText(it))
  );
}

/** What the gateway says in words, wherever it says it. */
const gatewayWords = (it: AttemptView) => it.field('error-message') ?? it.field('message') ?? it.field('error');
/** The words of a refusal, or ours where it has none. */
export const refusalWords = (it: AttemptView) =>
  gatewayWords(it) ?? `the gateway answered ${it.httpStatus} without a reason`;
const unreadableText = (it: AttemptView) =>
  it.reply.kind === 'unreadable' && it.evidence.kind === 'answer' ? it.evidence.body : '';

/** Why nothing follows from the answer. */
export function unclear(it: AttemptView): string {
  if (it.reply.kind === 'unreadable') return `the gateway answered ${it.httpStatus}: ${it.reply.reason}`;
  const trouble = speaksOfTrouble(it) ? 'and speaks of trouble' : 'without an order id';
  return `the gateway answered ${it.httpStatus} ${trouble}`;
}
