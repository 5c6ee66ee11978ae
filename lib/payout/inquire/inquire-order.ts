// THE JOURNEY of a check: message → stored order → its turn, taken by a write → the gateway's finding →
// facts → result → next check. There is one chain of checks per order: a check bears a number, and only the winner of the
// next number's write asks. A failed check is made up for when the order is due.
import type { Credentials, MerchantAccess } from '../../gateway/ports.ts';
import { defaultProfile, type Profile } from '../../gateway/profile.ts';
import type { Finding } from '../../gateway/finding.ts';
import type { Turn } from '../pace/lane-state.ts';
import { type Limits, sqsMaxDelaySeconds } from '../limits.ts';
import { type Attempt, attemptsOf, noFacts, signOfLife } from '../order/facts.ts';
import { fold } from '../order/fold.ts';
import { attemptsToAsk, type Contract } from '../order/next.ts';
import { lookedAt } from '../order/open-work.ts';
import type { Order } from '../order/order.ts';
import { withoutEndOfGap } from '../order/gap.ts';
import type { Gap, Orders } from '../order/orders.ts';
import { contractOf, recorded, resultDue } from '../order/record.ts';
import type { Pacing } from '../pace/pacing.ts';
import type { Result } from '../message/result.ts';
import { askGateway, type AskPorts, type StatusQuestion } from './ask-gateway.ts';
import { factsOfFinding } from './finding-facts.ts';
import { checkIn, checkOf, nextCheck, type OwnMessage } from './own-queue.ts';
import { nextLookSeconds, publishAgainSeconds } from './rhythm.ts';

/** The ports of inquiring. */
export interface InquirePorts extends AskPorts {
  readonly orders: Orders;
  readonly credentials: Credentials;
  readonly limits: Limits;
  readonly pacing: Pacing;
}

/** The outcome of a check. */
export interface CheckEnd {
  /** Published by run-own-work.ts; its mark in the order's item is taken away afterwards, or stays. */
  readonly result?: Result | undefined;
  readonly order?: Order;
  /** Sent before this check is acknowledged; should it get lost, the sweeper finds the order when it is due. */
  readonly next?: OwnMessage | undefined;
  /** The gateway's finding, where it was asked. */
  readonly finding?: Finding['kind'];
}

interface Check {
  readonly key: string;
  readonly number: number;
}

/** The circumstances of a check, beside its order. */
interface Circumstances {
  readonly credentials: MerchantAccess | undefined;
  readonly contract: Contract;
  readonly deadlineMs: number;
  /** The order has not known a restore of its table. */
  readonly gap: Gap | undefined;
}

type Asking = Circumstances & { readonly credentials: MerchantAccess };

/** Takes one check all the way. Rejects when the store does not answer before anything was asked. */
export async function inquireOrder(check: Check, deadlineMs: number, ports: InquirePorts): Promise<CheckEnd> {
  const read = await ports.orders.read(check.key);
  if (read.kind !== 'found' || check.number !== read.order.looks) return {};
  const { order, gap } = read;
  const secret = await ports.credentials.of(order.merchant);
  const credentials = secret.kind === 'credentials' ? secret.credentials : undefined;
  const it: Circumstances = { credentials, contract: contractBy(credentials?.profile), deadlineMs, gap };
  return inTurn(order, it, ports);
}

/**
 * An order whose merchant can't be asked, as nobody knows how, has the usual horizons. No silence of the gateway denies it: how long that
 * has to last, its profile alone says, and a denial stays.
 */
const contractBy = (profile: Profile | undefined): Contract =>
  profile ? contractOf(profile) : { ...contractOf(defaultProfile), quietPeriodMs: Infinity };

async function inTurn(order: Order, it: Circumstances, ports: InquirePorts): Promise<CheckEnd> {
  const { credentials, contract, deadlineMs } = it;
  const nowMs = ports.clock.nowMs();
  // What time brings is written before an older result is published: the next look may be long after.
  const timely = recorded(order, noFacts, { nowMs, contract, endId: ports.random.id() });
  if (timely !== order) return writeAndPublish(order, timely, it, ports);
  // A mark may outlive its result: an order that was sent again has no result to publish, and must be asked about.
  if (resultDue(order)) return publish(order, contract, ports);
  const asked = order.asks ? heardAndAskable(order) : attemptsToAsk(order.facts);
  const attempt = asked[order.looks % Math.max(asked.length, 1)];
  if (!attempt) return order.unpublished ? publish(order, contract, ports) : waitForLease(order, ports);
  if (nowMs + neededMs(ports.limits) >= deadlineMs) return { order, next: checkOf(order, 0) };
  if (!credentials?.profile.statusInquiry) return notAskable(order, credentials, ports);
  return lookInTurn(order, attempt, { ...it, credentials }, ports);
}

const neededMs = ({ gatewayTotalTimeoutMs, settleReserveMs }: Limits) => gatewayTotalTimeoutMs + settleReserveMs;

/** The attempts of which a callback may have said that they were undone. */
const heardAndAskable = ({ facts }: Order): readonly Attempt[] =>
  attemptsOf(facts).filter((it) => it.askable && signOfLife(it) !== '');

/** Nobody can be asked about the attempt yet: the holder of its claim will write its answer, or its lease will end. */
function waitForLease(order: Order, { clock }: InquirePorts): CheckEnd {
  const status = fold(order.facts);
  if (status.kind !== 'submitting') return { order };
  const inSeconds = Math.max(1, Math.ceil((status.attempt.leaseUntilMs - clock.nowMs()) / 1000) + 1);
  return { order, next: checkIn(order, inSeconds) };
}

/** No secret, or a contract without inquiry (any more): the turn is taken all the same, so that the sweeper stays away. */
async function notAskable(
  order: Order,
  credentials: MerchantAccess | undefined,
  ports: InquirePorts,
): Promise<CheckEnd> {
  const seconds = nextLookSeconds(order, ports.clock.nowMs(), ports.limits) ?? 3_600;
  const inSeconds = credentials ? Math.max(3_600, seconds) : Math.max(60, seconds);
  return passTurn(order, inSeconds, ports, false);
}

const refusedAtLeastMs = 15_000;

async function lookInTurn(order: Order, attempt: Attempt, it: Asking, ports: InquirePorts): Promise<CheckEnd> {
  const { pacing, clock, limits } = ports;
  const lane = laneOf(order);
  const grant = await pacing.ask(lane, 'inquiry', it.credentials.profile);
  if (!('because' in grant)) return look(order, attempt, grant, it, ports).finally(() => pacing.unused(lane, grant));
  // A turn that was refused makes no wait longer: the lane says when it is of use to come again.
  const nowMs = clock.nowMs();
  const untilMs = Math.max(grant.untilMs ?? nowMs + limits.leaveRetrySeconds * 1000, nowMs + refusedAtLeastMs);
  const inSeconds = Math.min(Math.ceil((untilMs - nowMs) / 1000), sqsMaxDelaySeconds);
  return passTurn(order, inSeconds, ports);
}

const laneOf = ({ merchant, content }: Order) => ({ merchant, endpointId: content?.endpointId ?? '' });

async function look(order: Order, attempt: Attempt, turn: Turn, it: Asking, ports: InquirePorts): Promise<CheckEnd> {
  const { credentials, contract, deadlineMs, gap } = it;
  const { clock, limits, pacing, random } = ports;
  const { content } = order;
  const account = attempt.accounts[order.looks % attempt.accounts.length];
  if (!content || account === undefined) return { order };
  const inSeconds = nextLookSeconds(order, clock.nowMs(), limits, contract) ?? 3_600;
  const mine = await takeTurn(order, { inSeconds, isLook: true }, ports);
  if (!mine) return { order };
  const question: StatusQuestion = { order: mine, content, attempt, account, gap, askedMs: clock.nowMs() };
  const notAfterMs = deadlineMs - neededMs(limits);
  const finding = await askGateway(
    question,
    credentials,
    { notAfterMs, sends: () => pacing.sends(laneOf(order), turn, order.key) },
    ports,
  );
  const nowMs = clock.nowMs();
  const found = factsOfFinding(question, finding, nowMs);
  const next = recorded(mine, found, { nowMs, contract, endId: random.id() });
  if (next === mine) return { order: mine, finding: finding.kind, next: checkIn(mine, inSeconds) };
  // A finding that could not be written is found again by the next look.
  const end = await writeAndPublish(mine, next, it, ports).catch(() => ({
    order: mine,
    next: checkIn(mine, inSeconds),
  }));
  return { ...end, finding: finding.kind };
}

/** Writes the next number and the time of the look after; undefined where another check was first, whose chain goes on. */
async function takeTurn(
  order: Order,
  it: { readonly inSeconds: number; readonly isLook: boolean; readonly asksStill?: boolean },
  { orders, clock }: Pick<InquirePorts, 'orders' | 'clock'>,
): Promise<Order | undefined> {
  const next = lookedAt(order, { nowMs: clock.nowMs(), ...it });
  return (await orders.write(order, next)).kind === 'written' ? next : undefined;
}

/** The turn taken without a question: the chain goes on so much later. */
async function passTurn(order: Order, inSeconds: number, ports: InquirePorts, asksStill = true): Promise<CheckEnd> {
  const mine = await takeTurn(order, { inSeconds, isLook: false, asksStill }, ports);
  return mine ? { order: mine, next: checkIn(mine, inSeconds) } : { order };
}

/** A result that could not be published is published before anything else happens to the order. */
async function publish(order: Order, contract: Contract, ports: InquirePorts): Promise<CheckEnd> {
  const inSeconds = publishAgainSeconds(order, ports.clock.nowMs());
  const mine = await takeTurn(order, { inSeconds, isLook: false, asksStill: true }, ports);
  return mine ? resultAndNext(mine, contract, ports, inSeconds) : { order };
}

/** Writes facts with their mark, in one write; then publishes. */
async function writeAndPublish(
  order: Order,
  found: Order,
  { contract, gap }: Circumstances,
  ports: InquirePorts,
): Promise<CheckEnd> {
  const next = await withoutEndOfGap(order, found, gap, ports);
  const write = await ports.orders.write(order, next);
  if (write.kind === 'written') return resultAndNext(next, contract, ports);
  // Another writer was first, or our own write's answer was lost: the stored order is looked at anew.
  return write.kind === 'found' ? { order: write.order, next: checkOf(write.order, 1) } : {};
}

/** The order's due result, and the check that follows. */
const resultAndNext = (order: Order, contract: Contract, { clock, limits }: InquirePorts, atMostSeconds?: number) => ({
  order,
  result: resultDue(order),
  next: nextCheck(order, clock.nowMs(), limits, contract, atMostSeconds),
});
