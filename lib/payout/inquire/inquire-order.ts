// THE JOURNEY of a due order: message → stored order → what time brought → the turn of its question → the gateway's finding → facts, and
// when the next question is due → result. Before it sent the message, the leader moved the order's moment ahead. A message that finds
// another moment is dropped; if its work fails, the order is due again at that moment.
import type { Credentials, MerchantAccess } from '../../gateway/ports.ts';
import { defaultProfile, type Profile } from '../../gateway/profile.ts';
import type { Finding } from '../../gateway/finding.ts';
import type { Turn } from '../pace/lane-state.ts';
import type { Limits } from '../limits.ts';
import { type Inquiry, noFacts } from '../order/facts.ts';
import { recorded, resultDue } from '../order/record.ts';
import { attemptsToAsk, type Contract, contractOf, questionsAbout } from '../order/time.ts';
import { askedAbout, leftToAsk } from '../order/open-work.ts';
import type { Order } from '../order/order.ts';
import type { Orders } from '../order/orders.ts';
import type { Pacing } from '../pace/pacing.ts';
import type { Result } from '../message/result.ts';
import { askedOrder, type AskPorts } from './ask-gateway.ts';
import type { DueWork } from './due-work.ts';
import type { OwnTask } from './own-queue.ts';
import { nextInquirySeconds } from './rhythm.ts';

/** The ports of inquiring. */
export interface InquirePorts extends AskPorts {
  readonly orders: Orders;
  readonly credentials: Credentials;
  readonly limits: Limits;
  readonly pacing: Pacing;
  readonly dueWork: Pick<DueWork, 'move'>;
}

/** The outcome of a check. */
export interface CheckEnd {
  /** Published by run-own-work.ts; its mark in the order's item is taken away afterwards, or stays. */
  readonly result?: Result | undefined;
  readonly order?: Order;
  /** The gateway's finding, if it was asked. */
  readonly finding?: Finding['kind'];
}

type Check = Extract<OwnTask, { kind: 'check' }>;

/** The circumstances of a check, beside its order. */
interface Circumstances {
  readonly credentials: MerchantAccess | undefined;
  readonly contract: Contract;
  readonly deadlineMs: number;
  /** The turn to ask the gateway in. */
  readonly turn: Turn | undefined;
}

type Asking = Circumstances & { readonly credentials: MerchantAccess; readonly turn: Turn };

/** Takes one check to its end. Rejects if the ledger does not answer before anything was asked. */
export async function inquireOrder(check: Check, deadlineMs: number, ports: InquirePorts): Promise<CheckEnd> {
  const { key, leaseMs, turn } = check;
  const read = await ports.orders.read(key);
  const order = read.kind === 'found' && read.order.dueAtMs === leaseMs ? read.order : undefined;
  try {
    if (!order) return {};
    const secret = await ports.credentials.of(order.merchant);
    const credentials = secret.kind === 'credentials' ? secret.credentials : undefined;
    return await inTurn(order, { turn, deadlineMs, credentials, contract: contractBy(credentials?.profile) }, ports);
  } finally {
    if (turn && read.kind === 'found') ports.pacing.unused(laneOf(read.order), turn);
  }
}

/**
 * Without the merchant's profile the usual horizons hold, and no silence of the gateway counts as a denial: only the profile says how long
 * it must last, and a denial stays.
 */
const contractBy = (profile: Profile | undefined): Contract =>
  profile ? contractOf(profile) : { ...contractOf(defaultProfile), quietPeriodMs: Infinity };

async function inTurn(order: Order, circumstances: Circumstances, ports: InquirePorts): Promise<CheckEnd> {
  const { credentials, contract, deadlineMs, turn } = circumstances;
  const nowMs = ports.clock.nowMs();
  // A mark may outlive its result: an order that was sent again has no result to publish, and must be asked about.
  const result = resultDue(order);
  const urgent = leftToAsk(order);
  const question = urgent ?? nextOfStatus(order);
  // An order that is known by name alone cannot be asked about before its job is there.
  const canAsk = credentials?.profile.statusInquiry === true && order.content !== undefined;
  const isInTime = nowMs + neededMs(ports.limits) < deadlineMs;
  // What time brings is written with the answer, so that the last question comes before the horizon holds the order.
  if (question && turn && isInTime && credentials && canAsk) {
    const end = await askAndWrite(order, question, { ...circumstances, turn, credentials }, ports);
    return end.result ? end : { ...end, result };
  }
  // What time brings is written before an older result is published: the next check may come long after.
  const timely = recorded(order, noFacts, { nowMs, contract, endId: ports.random.id() });
  if (timely !== order) return writeMarked(order, timely, ports);
  if (result) return { order, result };
  if (question && isInTime && !canAsk) return notAskable(order, credentials, ports);
  if (question && credentials) ports.pacing.learns(laneOf(order), credentials.profile);
  return { order };
}

/** The next of the questions that the order's status asks, in turn. */
function nextOfStatus({ facts, looks }: Order): Inquiry | undefined {
  const questions = questionsAbout(attemptsToAsk(facts));
  return questions[looks % Math.max(questions.length, 1)];
}

const neededMs = ({ gatewayTotalTimeoutMs, settleReserveMs }: Limits) => gatewayTotalTimeoutMs + settleReserveMs;

/**
 * Schedules the next check of an order that can't be asked about: its secret is unavailable, perhaps for minutes, or its contract has no
 * inquiry (any more).
 */
async function notAskable(
  order: Order,
  credentials: MerchantAccess | undefined,
  { orders, clock }: InquirePorts,
): Promise<CheckEnd> {
  const nowMs = clock.nowMs();
  const seconds = nextInquirySeconds(order, nowMs) ?? 3_600;
  const inSeconds = credentials ? Math.max(3_600, seconds) : Math.min(Math.max(60, seconds), 600);
  const { asks, ...rest } = order;
  // Questions of a person or a callback stay if the secret is missing: it may be back before the person decides.
  const left = !credentials && asks && { asks };
  const next = { ...rest, ...left, version: order.version + 1, dueAtMs: nowMs + inSeconds * 1000 };
  await orders.write(order, next);
  return { order: next };
}

const laneOf = ({ merchant, content }: Order) => ({ merchant, endpointId: content?.endpointId ?? '' });

/** Asks once the turn has come. After a turn that was missed, or is void as its lane has closed, the order is due again at once. */
async function askAndWrite(
  order: Order,
  asked: Inquiry,
  circumstances: Asking,
  ports: InquirePorts,
): Promise<CheckEnd> {
  const { credentials, contract, deadlineMs, turn } = circumstances;
  const { pacing, dueWork, clock } = ports;
  const lane = laneOf(order);
  pacing.learns(lane, credentials.profile);
  if (!(await pacing.comes(lane, turn))) {
    await dueWork.move(order.key, order.dueAtMs ?? 0, clock.nowMs()).catch(() => {});
    return { order };
  }
  const { content, facts } = order;
  const attempt = facts.attempts[asked.attempt];
  if (!content || !attempt) return { order };
  const asking = {
    contract,
    notAfterMs: deadlineMs - neededMs(ports.limits),
    sends: () => pacing.sends(lane, turn, order.key),
  };
  const question = { order, content, attempt, account: asked.account };
  const { finding, order: next, nowMs } = await askedOrder(question, credentials, asking, ports);
  const inSeconds = nextInquirySeconds(next, nowMs, contract);
  const since = askedAbout(next, { asked, isAnswered: isAnswer(finding), nowMs, inSeconds });
  // A finding that could not be written is found again by the next question.
  const written = { ...since, version: order.version + 1 };
  const end = await writeMarked(order, written, ports).catch(() => ({ order }));
  return { ...end, finding: finding.kind };
}

/** True if the gateway has said what it knows: a person decides after no other answer. */
const isAnswer = ({ kind }: Finding): boolean => kind !== 'unclear' && kind !== 'credentials-refused';

/** Writes facts and mark in one write. The result is then published by the caller. */
async function writeMarked(order: Order, next: Order, ports: InquirePorts): Promise<CheckEnd> {
  const write = await ports.orders.write(order, next);
  if (write.kind === 'written') return { order: next, result: resultDue(next) };
  // Another writer was first, or the answer of our own write was lost: the order is due again when its lease is over.
  return write.kind === 'found' ? { order: write.order } : {};
}
