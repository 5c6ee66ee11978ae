// A person's decisions about an order: that it is paid, that it is not, or that it is never to be sent. A decision is one fact, written
// over the very version that the person saw. It is never retried: the person did not see what came meanwhile.
import type { Credentials, MerchantAccess } from '../../gateway/ports.ts';
import { defaultProfile, type Profile } from '../../gateway/profile.ts';
import { redact } from '../../gateway/redact.ts';
import { isSaidPaid, shownOf, whyUndecided } from '../order/decisions.ts';
import { type Decision, type DecisionApproval, type Facts, noFacts, ofAttempt } from '../order/facts.ts';
import { fold, isCancelled } from '../order/fold.ts';
import { join } from '../order/join.ts';
import { livingAttempts } from '../order/living.ts';
import { recorded, lastResult } from '../order/record.ts';
import { signsOf } from '../order/signs.ts';
import { contractOf, isLeaseOver, questionsFirst } from '../order/time.ts';
import { leftToAsk } from '../order/open-work.ts';
import { orderKey, newOrder, type Order } from '../order/order.ts';
import { mayBeLost } from '../order/restored.ts';
import type { Orders } from '../order/orders.ts';
import { viewOf } from '../order/projection.ts';
import { shellWord, tool } from './spelling.ts';
import type { Clock, Random, Results } from '../ports.ts';
import { publish, sendResult } from '../publish.ts';
import { broughtForward, type ForwardPorts } from '../wait/park.ts';

/** The outcome of a decision that two persons must share. */
export type JudgedDecision =
  | { readonly kind: 'holds'; readonly approval: DecisionApproval; readonly approvedBy: string }
  /** An approver must look at the order (its key) first; `decider` is the ARN of the person who decides. */
  | { readonly kind: 'needs-approver'; readonly key: string; readonly decider: string }
  | { readonly kind: 'refused'; readonly why: string };

/** The approval by a second person. */
export interface SecondPerson {
  /** True if two persons must decide that this merchant's orders are not paid. Rejects if that can't be read now. */
  demandedBy(merchant: string): Promise<boolean>;
  /** Judges the approver's proof; absent if none was asked yet. */
  judge(order: Order, decision: Decision, approval: string | undefined): Promise<JudgedDecision>;
}

/** The ports of operating. */
export interface OperatePorts {
  readonly credentials: Pick<Credentials, 'of'>;
  readonly secondPerson: SecondPerson;
  readonly orders: Orders;
  readonly results: Results;
  readonly waiting: ForwardPorts['waiting'];
  readonly clock: Clock;
  readonly random: Random;
}

/** The outcome of a decision. */
export type Operated =
  | { readonly kind: 'done'; readonly order: Order; readonly published: boolean }
  /** Cancelled before its job came; the job gets that result when it comes. */
  | { readonly kind: 'beforehand'; readonly order: Order }
  /** The gateway is being asked: the decision can be made within a minute, if the answer lets it. */
  | { readonly kind: 'asking' }
  | { readonly kind: 'not-found' }
  | Exclude<JudgedDecision, { kind: 'holds' }>;

/**
 * The digest of what the person has seen: `shown` on a page, or `compared` with a report that was drawn at that time. If the order has
 * changed since, the decision is refused.
 */
export type Seen = { readonly shown: string } | { readonly compared: string; readonly drawnMs: number };

/** A person's decision. `evenUnanswered`: it also holds if the gateway gives no answer, or has the order without an end. */
export interface Release {
  readonly as: 'paid' | 'not-paid';
  /** The gateway's order id, if the person has it. */
  readonly gatewayOrderId?: string;
  readonly by: string;
  readonly reason: string;
  readonly evenUnanswered?: boolean;
  readonly seen: Seen;
  /** The approver's proof, if two persons must decide. */
  readonly approval?: string;
}

/** Decides about a held or doubtful order, after the gateway was asked, if it can be. */
export async function releaseOrder(key: string, release: Release, ports: OperatePorts): Promise<Operated> {
  const read = await ports.orders.read(key);
  if (read.kind === 'none') return { kind: 'not-found' };
  if (read.kind === 'unreadable') return { kind: 'refused', why: read.reason };
  const { order } = read;
  const secret = await ports.credentials.of(order.merchant);
  if (secret.kind === 'unavailable' && secret.failure.code !== 'MERCHANT_UNKNOWN')
    return { kind: 'refused', why: `${secret.failure.code}: ${secret.failure.message}` };
  const credentials = secret.kind === 'credentials' ? secret.credentials : undefined;
  const profile = credentials?.profile ?? defaultProfile;
  const why = whyNotReleasable(order, release, ports.clock.nowMs(), profile);
  if (why !== undefined) return { kind: 'refused', why };
  const asking = await askingFirst(order, release, credentials, ports);
  if (asking) return asking;
  const found = namedBy(order.facts, release.gatewayOrderId);
  const shared = await sharedDecision(order, decisionOf(join(order.facts, found), release, ports), release, ports);
  if (shared.kind !== 'shared') return shared;
  return write(order, join(found, ofDecision(shared.decision)), credentials?.profile, ports);
}

/** The same decision with its second person, if one is needed: "not paid" lets the order be paid again. */
async function sharedDecision(
  order: Order,
  decision: Decision,
  { as, approval: given }: Release,
  { secondPerson }: OperatePorts,
): Promise<{ readonly kind: 'shared'; readonly decision: Decision } | Exclude<JudgedDecision, { kind: 'holds' }>> {
  const isShared = as === 'not-paid' && (isSaidPaid(order.facts) || (await secondPerson.demandedBy(order.merchant)));
  if (!isShared) return { kind: 'shared', decision };
  const judged = await secondPerson.judge(order, decision, given);
  if (judged.kind !== 'holds') return judged;
  const { approval, approvedBy } = judged;
  const by = redact(`${decision.by} and ${approvedBy}`, []);
  return { kind: 'shared', decision: { ...decision, by, approval } };
}

/** Why the order can't be decided like this; undefined if it can. */
function whyNotReleasable(
  order: Order,
  { as, gatewayOrderId, seen }: Pick<Release, 'as' | 'gatewayOrderId'> & Partial<Pick<Release, 'seen'>>,
  nowMs: number,
  profile: Profile,
): string | undefined {
  const status = fold(order.facts);
  const view = viewOf(order);
  const report = seen && 'compared' in seen ? seen : undefined;
  if (report && report.compared !== comparedNow(order))
    return 'the order has changed since it was compared: run the command again';
  // A report knows nothing of what came after it.
  const knownMs = Math.min(nowMs, report?.drawnMs ?? nowMs);
  if (as === 'not-paid' && report && knownMs < order.updatedAtMs)
    return 'the order has changed since the report was drawn: use a later report';
  // An accepted order is decided only by a line of the gateway's own report, which names the gateway's order id.
  const line =
    status.kind === 'accepted' && gatewayOrderId !== undefined
      ? { account: status.attempt.accounts[0] ?? '', id: gatewayOrderId, drawnMs: knownMs }
      : undefined;
  if (status.kind === 'accepted' && !line)
    return `the order is ${view.standing}; it is released only by its gateway order id`;
  if (!['held', 'in-doubt', 'accepted'].includes(status.kind))
    return `the order is ${view.standing}; only held or doubtful orders are released`;
  if (view.gatewayOrderId !== undefined && gatewayOrderId !== undefined && view.gatewayOrderId !== gatewayOrderId)
    return `the ledger knows it as the gateway's order ${view.gatewayOrderId}, not ${gatewayOrderId}`;
  const why = whyUndecided(order.facts, as, knownMs, contractOf(profile), line);
  if (why !== undefined || !seen || !('shown' in seen)) return why;
  return whyOutdated(order, seen.shown, shownNow(order, nowMs, profile));
}

/** Refuses a decision if the order is not as it was shown: it would cover what came since, too. */
const whyOutdated = ({ key }: Order, shown: string | undefined, isShown: string): string | undefined =>
  shown === isShown
    ? undefined
    : `the order has changed since it was shown: look at it again, \`${tool} order ${shellWord(key)}\``;

/** The digest of what is shown of the order now. */
export const shownNow = ({ facts }: Pick<Order, 'facts'>, nowMs: number, profile: Profile = defaultProfile): string =>
  shownOf(facts, nowMs, contractOf(profile));

/** The digest of what is known of the order, whatever the time. */
export const comparedNow = ({ facts }: Pick<Order, 'facts'>): string => shownOf(facts, Infinity, { quietPeriodMs: 0 });

/** The decision, having seen the signs of life that these facts show. */
function decisionOf(
  facts: Facts,
  { as: kind, by, reason }: Pick<Release, 'by' | 'reason'> & { readonly as: Decision['kind'] },
  { clock, random }: Pick<OperatePorts, 'clock' | 'random'>,
): Decision {
  const texts = { by: redact(by, []), reason: redact(reason, []) };
  return { id: random.id(), kind, ...texts, atMs: clock.nowMs(), saw: signsOf(facts) };
}

const ofDecision = (decision: Decision): Facts => ({ ...noFacts, decisions: { [decision.id]: decision } });

/** The gateway order id that the person names, as a fact of the living attempt. */
function namedBy(facts: Facts, gatewayOrderId: string | undefined): Facts {
  const [living] = livingAttempts(facts);
  return gatewayOrderId === undefined || !living
    ? noFacts
    : ofAttempt({ ...living, ids: [...new Set([...living.ids, gatewayOrderId])] });
}

/** The order as an approver sees it before another person decides that it is not paid; or why that is impossible now. */
export function seenByApprover(
  order: Order,
  gatewayOrderId: string | undefined,
): Pick<Decision, 'saw'> | { readonly why: string } {
  const release = { as: 'not-paid', gatewayOrderId } as const;
  // The person who decides is held to the quiet period.
  const why = whyNotReleasable(order, release, Infinity, defaultProfile);
  if (why !== undefined) return { why };
  return { saw: signsOf(join(order.facts, namedBy(order.facts, gatewayOrderId))) };
}

/** How long a question and its answer serve decisions. */
const serveMs = 600_000;

/** A question that is not asked within this time is not waited for: its lane may be closed. */
const putWithinMs = 60_000;

/**
 * If the gateway can be asked, the inquire function asks first: the order is due at once, and the decision waits until the answers are
 * stored. They are facts then, and may speak against the decision. If an answer is missing, the decision needs `evenUnanswered`. Undefined
 * if the decision may be written.
 */
async function askingFirst(
  order: Order,
  { as, evenUnanswered = false }: Release,
  credentials: MerchantAccess | undefined,
  { orders, clock }: OperatePorts,
): Promise<Operated | undefined> {
  const questions = order.content && credentials?.profile.statusInquiry ? questionsFirst(order.facts) : [];
  const { asks, lookedAtMs = 0, facts } = order;
  const unmeant = evenUnanswered ? undefined : whyNotMeant(facts, as);
  if (questions.length === 0) return unmeant;
  const nowMs = clock.nowMs();
  // Before its lease was over, an account could not yet know what was on its way.
  const isAbout = as === 'paid' || livingAttempts(facts).every((it) => isLeaseOver(it, lookedAtMs));
  const serves = isAbout && nowMs < lookedAtMs + serveMs;
  const isLeft = leftToAsk(order) !== undefined;
  const isMeant = evenUnanswered && (!isLeft || nowMs >= lookedAtMs + putWithinMs);
  if (serves && (isMeant || !asks)) return unmeant;
  if (!serves || !isLeft) {
    // Questions that are raised again keep the time at which they were raised first.
    const sinceMs = serves ? lookedAtMs : nowMs;
    const due = { ...order, version: order.version + 1, asks: questions, lookedAtMs: sinceMs, dueAtMs: nowMs };
    if ((await orders.write(order, due)).kind !== 'written')
      return { kind: 'refused', why: 'the order has changed meanwhile: look at it again' };
  }
  return { kind: 'asking' };
}

/** Refuses "not paid" if the gateway has the order and reports no end. */
function whyNotMeant(facts: Facts, as: Release['as']): Operated | undefined {
  const status = fold(facts);
  if (as === 'paid' || status.kind !== 'held' || !['no-end', 'amount-differs'].includes(status.reason))
    return undefined;
  return { kind: 'refused', why: 'the gateway has the order: if it is not paid all the same, add --force' };
}

/** The order that a person means, and the person. */
interface Cancellation {
  readonly merchant: string;
  readonly orderId: string;
  readonly by: string;
  readonly reason: string;
  /** The digest of what was shown; absent if the ledger had no order to show. */
  readonly seen?: string;
}

/** Cancels an order of which no attempt lives, for good; also before its job comes. */
export async function cancelOrder(
  cancellation: Cancellation,
  ports: Omit<OperatePorts, 'secondPerson'>,
): Promise<Operated> {
  const { clock } = ports;
  const key = orderKey(cancellation);
  const read = await ports.orders.read(key);
  if (read.kind === 'unreadable') return { kind: 'refused', why: read.reason };
  const restored = read.kind === 'none' ? await ports.orders.restored() : undefined;
  if (restored && mayBeLost(restored, await firstSentMs(key, ports)))
    return {
      kind: 'refused',
      why: 'the ledger was restored and may have lost this order, so it may have been sent: cancel it once its job is known',
    };
  const order = read.kind === 'found' ? read.order : newOrder(key, clock.nowMs(), undefined, restored);
  if (isCancelled(order.facts))
    return order.content ? { kind: 'done', order, published: true } : { kind: 'beforehand', order };
  const why =
    whyUndecided(order.facts, 'cancel') ??
    (order.version > 0 ? whyOutdated(order, cancellation.seen, shownNow(order, clock.nowMs())) : undefined);
  if (why !== undefined) return { kind: 'refused', why: `the order is ${viewOf(order).standing}: ${why}` };
  const decision = decisionOf(order.facts, { as: 'cancel', ...cancellation }, ports);
  const written = await write(order, ofDecision(decision), undefined, ports);
  return written.kind === 'done' && !order.content ? { kind: 'beforehand', order: written.order } : written;
}

/** When the first of the order's parked jobs was sent; undefined if none is parked. */
async function firstSentMs(key: string, { waiting }: Pick<OperatePorts, 'waiting'>): Promise<number | undefined> {
  const sent = (await waiting.jobs.ofOrder(key)).map(({ sinceMs, firstSentAtMs = sinceMs }) => firstSentAtMs);
  return sent.length === 0 ? undefined : Math.min(...sent);
}

/** One write, over the version that was seen, with the result's mark; then the result is published. */
async function write(
  order: Order,
  facts: Facts,
  profile: Profile | undefined,
  ports: Omit<OperatePorts, 'secondPerson'>,
): Promise<Operated> {
  const { orders, clock, random, results } = ports;
  const recording = { nowMs: clock.nowMs(), endId: random.id(), contract: profile && contractOf(profile) };
  const decided = recorded(order, facts, recording);
  if (decided === order) return { kind: 'done', order, published: true };
  const { asks: _, ...next } = decided;
  const written = await orders.write(order, next);
  if (written.kind === 'unreadable') return { kind: 'refused', why: written.reason };
  // If the decision is stored, only the answer to our own write was lost. What was not written is not published.
  const [own] = Object.keys(facts.decisions);
  if (written.kind === 'found' && (own === undefined || !written.order.facts.decisions[own]))
    return {
      kind: 'refused',
      why: `the order has changed meanwhile: it is ${viewOf(written.order).standing}; look at it again`,
    };
  const stored = written.kind === 'found' ? written.order : next;
  const result = lastResult(stored);
  const isReady = await broughtForward(stored.key, ports);
  const isPublished = result
    ? isReady && (await publish(result, stored, (it) => sendResult(it, results), ports))
    : true;
  return { kind: 'done', order: stored, published: isPublished };
}
