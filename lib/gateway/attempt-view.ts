// One attempt as the rows of outcome.ts see it: the fields of its answer. Nothing is decided here.
import { type GatewayIds, isNoId } from './gateway-outcome.ts';
import { decodeReply, type GatewayReply } from './reply.ts';
import type { Evidence, SentOrder } from './ports.ts';
import {
  acceptanceTypes,
  accountCodes,
  bearsAnId,
  codesIn,
  codesInText,
  echoedOrderIds,
  hasDoubtfulBankCode,
  hasSeveralValues,
  idFields,
  idsOf,
  namesAnId,
  refusalTypes,
  saysTaken,
  speaksOf,
  temporaryErrorCodes,
  troubleIn,
  understood,
} from './reply-words.ts';
import { type Operation, operations } from './operations.ts';
import type { Profile } from './profile.ts';
import { secretNumbers, sensitiveValues } from './redact.ts';

/** The values that the rows read. */
export interface AttemptView {
  readonly evidence: Evidence;
  readonly operation: Operation;
  readonly order: SentOrder;
  readonly profile: Profile;
  /** 0 if there was no whole answer. */
  readonly httpStatus: number;
  readonly reply: GatewayReply;
  readonly field: (name: string) => string | undefined;
  /** The gateway's ids on any level of the answer. */
  readonly ids: GatewayIds;
  readonly secrets: readonly string[];
}

/** The attempt, its answer decoded. */
export function attemptViewOf(evidence: Evidence, order: SentOrder, profile: Profile): AttemptView {
  const reply = replyOf(evidence);
  const secrets = sensitiveValues(order);
  return {
    evidence,
    operation: operations[order.operation],
    order,
    profile,
    httpStatus: evidence.kind === 'answer' ? evidence.httpStatus : 0,
    reply,
    field: (name) => (reply.kind === 'fields' ? reply.fields.get(name) || undefined : undefined),
    ids: reply.kind === 'fields' ? idsOf(reply.leaves, order.operation, secretNumbers(order)) : {},
    secrets,
  };
}

function replyOf(evidence: Evidence): GatewayReply {
  if (evidence.kind !== 'answer') return { kind: 'unreadable', reason: evidence.reason };
  if (evidence.unreadable !== undefined) return { kind: 'unreadable', reason: evidence.unreadable };
  return decodeReply(evidence.body, evidence.framing);
}

/** True if the answer could not be read, or gives several values where one belongs. */
export const isUnread = (view: AttemptView) =>
  view.evidence.kind === 'answer' &&
  (view.reply.kind === 'unreadable' || (view.reply.kind === 'fields' && hasSeveralValues(view.reply.leaves)));

/** True if the answer is a text without fields, such as a load balancer's page. */
export const isPage = (view: AttemptView) => view.reply.kind === 'page';

const typeOf = (view: AttemptView) => view.field('type')?.toLowerCase() ?? '';

/** True if the answer calls itself an acceptance and echoes our order id: with a gateway id, nothing that was cut off matters. */
export function acceptsOurOrder(view: AttemptView): boolean {
  const echoed = view.reply.kind === 'fields' ? echoedOrderIds(view.reply.leaves) : [];
  return acceptanceTypes.has(typeOf(view)) && echoed.includes(view.order.orderId);
}

/** True if the answer echoes an order id that is not ours. */
export function namesAnotherOrder(view: AttemptView): boolean {
  return view.reply.kind === 'fields' && echoedOrderIds(view.reply.leaves).some((id) => id !== view.order.orderId);
}

/** True if the answer has an id of the gateway's, even within a text: an order may have been created. */
export function carriesIdentity(view: AttemptView): boolean {
  const { reply, order } = view;
  if (reply.kind === 'page') return namesAnId(reply.text, order.orderId);
  return reply.kind === 'fields' && reply.leaves.some((leaf) => bearsAnId(leaf, order.orderId));
}

const isIdField = (name: string) => idFields.some((it) => it === name);
const isIdLeaf = ({ path, value }: { readonly path: readonly string[]; readonly value: string }) =>
  path.some((it) => isIdField(it.toLowerCase())) && !isNoId(value);

/** True if the outermost level has the order's identity or alias, well-formed, and the answer has no other id. */
export function plainIdentity(view: AttemptView): boolean {
  const { reply, operation } = view;
  if (reply.kind !== 'fields') return false;
  const idNames = new Set(['paynet-order-id', operation.aliasField]);
  const outermost = reply.leaves.filter(({ path }) => path.length === 1 && idNames.has(path[0] ?? ''));
  const known = new Set([view.ids.gatewayOrderId, view.ids.gatewayAlias]);
  return (
    outermost.some(({ value }) => known.has(value)) &&
    reply.leaves.filter(isIdLeaf).every(({ value }) => known.has(value))
  );
}

/** True if any level of the answer has a sign of trouble: an acceptance with one contradicts itself and proves nothing. */
export const speaksOfTrouble = (view: AttemptView) => view.reply.kind === 'fields' && troubleIn(view.reply.leaves);

/** True if the answer has fields and the meaning of each is known. */
export const whollyUnderstood = (view: AttemptView) =>
  view.reply.kind === 'fields' && view.reply.leaves.every(understood);

/** True if the type of the answer is a refusal. */
export const refusal = (view: AttemptView) => refusalTypes.has(typeOf(view));

/** True if the refusal gives a reason. A bare `error` does not prove that nothing was created; a validation error does. */
export const givesReason = (view: AttemptView) =>
  view.field('error-code') !== undefined || typeOf(view) === 'validation-error';

/** True if the answer calls itself an acceptance, or has the status of an accepted order. */
export const speaksOfAcceptance = (view: AttemptView) => view.reply.kind === 'fields' && saysTaken(view.reply.leaves);

/** True if a type, a status or any text of the answer speaks of acceptance or progress. */
export const speaksOfProgress = (view: AttemptView) => speaksOfAcceptance(view) || speaksOf('progress', wordsOf(view));

const codesOf = (view: AttemptView) => (view.reply.kind === 'fields' ? codesIn(view.reply.leaves) : []);
/** With the codes that texts name: these may only lead into doubt. */
const allCodesOf = (view: AttemptView) => [...codesOf(view), ...codesInText(wordsOf(view))];

/** True if the gateway's list of codes, or the merchant's, calls the trouble temporary: the order's fate is open. */
export function temporary(view: AttemptView): boolean {
  const known = allCodesOf(view).some(
    (code) => temporaryErrorCodes.has(code) || view.profile.temporaryErrorCodes.includes(code),
  );
  return known || hasDoubtfulBankCode(wordsOf(view));
}

/** True if a code says that the gateway has seen this order id: sent again, the order could be paid twice. */
export const namesKnownOrder = (view: AttemptView) =>
  allCodesOf(view).some((code) => code === '503' || view.profile.duplicateOrderCodes.includes(code));

/** True if the refusal speaks of an order that exists already, or is `filtered`, as duplicate filters answer. */
export const speaksOfExistingOrder = (view: AttemptView) =>
  view.field('status')?.toLowerCase() === 'filtered' || speaksOf('existing-order', wordsOf(view));

/** True if the refusal is about the account at the gateway, not about the order. */
export function aboutTheAccount(view: AttemptView): boolean {
  const further = view.profile.accountCodes[view.order.operation] ?? [];
  return codesOf(view).some((code) => accountCodes.has(code) || further.includes(code));
}

const pageOf = ({ reply }: AttemptView) => (reply.kind === 'page' ? reply.text.toLowerCase() : '');
/** All texts of the answer, as one text no longer than the answer. */
function wordsOf(view: AttemptView): string {
  return view.reply.kind === 'fields' ? view.reply.leaves.map(({ value }) => value).join('\n') : pageOf(view);
}

/** The gateway's text of a refusal; ours if it has none. */
export function refusalWords(view: AttemptView): string {
  const words = view.field('error-message') ?? view.field('message') ?? view.field('error');
  return words ?? `the gateway answered ${view.httpStatus} without a reason`;
}

/** Why the answer proves nothing, for a person. */
export function unclear(view: AttemptView): string {
  if (view.reply.kind !== 'fields') return `the gateway answered ${view.httpStatus}: ${view.reply.reason}`;
  if (speaksOfTrouble(view)) return `the gateway answered ${view.httpStatus} and speaks of trouble`;
  return `the gateway answered ${view.httpStatus} ${carriesIdentity(view) ? 'with' : 'without'} an order id`;
}
