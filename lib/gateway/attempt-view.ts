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
export const isUnread = (it: AttemptView) =>
  it.evidence.kind === 'answer' &&
  (it.reply.kind === 'unreadable' || (it.reply.kind === 'fields' && hasSeveralValues(it.reply.leaves)));

/** True if the answer is a text without fields, such as a load balancer's page. */
export const isPage = (it: AttemptView) => it.reply.kind === 'page';

const typeOf = (it: AttemptView) => it.field('type')?.toLowerCase() ?? '';

/** True if the answer calls itself an acceptance and echoes our order id: with a gateway id, nothing that was cut off matters. */
export function saysWhoseItIs(it: AttemptView): boolean {
  const echoed = it.reply.kind === 'fields' ? echoedOrderIds(it.reply.leaves) : [];
  return acceptanceTypes.has(typeOf(it)) && echoed.includes(it.order.orderId);
}

/** True if the answer echoes an order id that is not ours. */
export function namesAnotherOrder(it: AttemptView): boolean {
  return it.reply.kind === 'fields' && echoedOrderIds(it.reply.leaves).some((id) => id !== it.order.orderId);
}

/** True if the answer has an id of the gateway's, even within a text: an order may have been created. */
export function carriesIdentity(it: AttemptView): boolean {
  const { reply, order } = it;
  if (reply.kind === 'page') return namesAnId(reply.text, order.orderId);
  return reply.kind === 'fields' && reply.leaves.some((leaf) => bearsAnId(leaf, order.orderId));
}

const isIdField = (name: string) => idFields.some((it) => it === name);
const isIdLeaf = ({ path, value }: { readonly path: readonly string[]; readonly value: string }) =>
  path.some((it) => isIdField(it.toLowerCase())) && !isNoId(value);

/** True if the outermost level has the order's identity or alias, well-formed, and the answer has no other id. */
export function plainIdentity(it: AttemptView): boolean {
  const { reply, operation } = it;
  if (reply.kind !== 'fields') return false;
  const own = new Set(['paynet-order-id', operation.aliasField]);
  const outermost = reply.leaves.filter(({ path }) => path.length === 1 && own.has(path[0] ?? ''));
  const known = new Set([it.ids.gatewayOrderId, it.ids.gatewayAlias]);
  return (
    outermost.some(({ value }) => known.has(value)) &&
    reply.leaves.filter(isIdLeaf).every(({ value }) => known.has(value))
  );
}

/** True if any level of the answer has a sign of trouble: an acceptance with one contradicts itself and proves nothing. */
export const speaksOfTrouble = (it: AttemptView) => it.reply.kind === 'fields' && troubleIn(it.reply.leaves);

/** True if the answer has fields and the meaning of each is known. */
export const whollyUnderstood = (it: AttemptView) => it.reply.kind === 'fields' && it.reply.leaves.every(understood);

/** True if the type of the answer is a refusal. */
export const refusal = (it: AttemptView) => refusalTypes.has(typeOf(it));

/** True if the refusal gives a reason. A bare `error` does not prove that nothing was created; a validation error does. */
export const saysWhy = (it: AttemptView) => it.field('error-code') !== undefined || typeOf(it) === 'validation-error';

/** True if the answer calls itself an acceptance, or has the status of an accepted order. */
export const saysItWasTaken = (it: AttemptView) => it.reply.kind === 'fields' && saysTaken(it.reply.leaves);

/** True if a type, a status or any text of the answer speaks of acceptance or progress. */
export const speaksOfProgress = (it: AttemptView) => saysItWasTaken(it) || speaksOf('progress', wordsOf(it));

const codesOf = (it: AttemptView) => (it.reply.kind === 'fields' ? codesIn(it.reply.leaves) : []);
/** With the codes that texts name: these may only lead into doubt. */
const allCodesOf = (it: AttemptView) => [...codesOf(it), ...codesInText(wordsOf(it))];

/** True if the gateway's list of codes, or the merchant's, calls the trouble temporary: the order's fate is open. */
export function temporary(it: AttemptView): boolean {
  const known = allCodesOf(it).some(
    (code) => temporaryErrorCodes.has(code) || it.profile.temporaryErrorCodes.includes(code),
  );
  return known || hasDoubtfulBankCode(wordsOf(it));
}

/** True if a code says that the gateway has seen this order id: sent again, the order could be paid twice. */
export const namesKnownOrder = (it: AttemptView) =>
  allCodesOf(it).some((code) => code === '503' || it.profile.duplicateOrderCodes.includes(code));

/** True if the refusal speaks of an order that exists already, or is `filtered`, as duplicate filters answer. */
export const speaksOfExistingOrder = (it: AttemptView) =>
  it.field('status')?.toLowerCase() === 'filtered' || speaksOf('existing-order', wordsOf(it));

/** True if the refusal is about the account at the gateway, not about the order. */
export function aboutTheAccount(it: AttemptView): boolean {
  const own = it.profile.accountCodes[it.order.operation] ?? [];
  return codesOf(it).some((code) => accountCodes.has(code) || own.includes(code));
}

const pageOf = ({ reply }: AttemptView) => (reply.kind === 'page' ? reply.text.toLowerCase() : '');
/** All texts of the answer, as one text no longer than the answer. */
function wordsOf(it: AttemptView): string {
  return it.reply.kind === 'fields' ? it.reply.leaves.map(({ value }) => value).join('\n') : pageOf(it);
}

/** The gateway's text of a refusal; ours if it has none. */
export function refusalWords(it: AttemptView): string {
  const words = it.field('error-message') ?? it.field('message') ?? it.field('error');
  return words ?? `the gateway answered ${it.httpStatus} without a reason`;
}

/** Why the answer proves nothing, for a person. */
export function unclear(it: AttemptView): string {
  if (it.reply.kind !== 'fields') return `the gateway answered ${it.httpStatus}: ${it.reply.reason}`;
  if (speaksOfTrouble(it)) return `the gateway answered ${it.httpStatus} and speaks of trouble`;
  return `the gateway answered ${it.httpStatus} ${carriesIdentity(it) ? 'with' : 'without'} an order id`;
}
