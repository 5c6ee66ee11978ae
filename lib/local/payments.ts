// What became of the payments of a local run, by the ledger, and whether ledger, results and the simulator's own count agree. Pure, so that
// tests can cook the books and see it noticed.
import { formatMinorUnits, minorUnitsOf, type Money } from '../gateway/money.ts';
import type { Payment } from '../operate/verdict.ts';
import { type Job, parseJob } from '../payout/message/job.ts';
import type { Result } from '../payout/message/result.ts';
import { orderKey } from '../payout/order/order.ts';
import { type OrderView, resultOf } from '../payout/order/projection.ts';
import { type Standing, standingNames, standings } from '../payout/order/standing.ts';

/** One message that was put on the jobs queue. */
export interface SentMessage {
  /** Line in the jobs file, from 1. */
  readonly line: number;
  readonly messageId: string;
  readonly body: string;
}

/** The simulator's count under one order id. */
export interface CountedPayment {
  readonly merchant: string;
  readonly orderId: string;
  readonly currency: string;
  readonly count: number;
  /** Orders among them that the gateway has since declined: their money did not move after all. Default 0. */
  readonly declinedCount?: number;
  /** Decimal text. */
  readonly amount: string;
}

/** Everything that was seen. */
export interface RunEvidence {
  readonly sent: readonly SentMessage[];
  readonly results: readonly Result[];
  readonly deadLetterMessageIds: readonly string[];
  /** The orders of the messages as the ledger has them, by key. */
  readonly orders: ReadonlyMap<string, OrderView>;
  /** Orders without an end that still have a message on a queue or in the table, by key, each with what is known of its wait. */
  readonly waiting?: ReadonlyMap<string, Pick<Payment, 'failure' | 'remedy'>>;
  /** Absent where the gateway was not the simulator. */
  readonly payments?: readonly CountedPayment[];
}

/** One payment of the run. */
interface RunPayment extends Payment {
  readonly money?: Money;
}

/** Payments of one standing and one currency. */
export interface PaymentsLine {
  readonly standing: Standing;
  readonly currency?: string;
  readonly count: number;
  readonly minorUnits: bigint;
}

/** Whether the books agree. */
export interface RunBooks {
  readonly agree: boolean;
  /** Order keys that the gateway counted more than once. */
  readonly paidTwice: readonly string[];
  /** Every other disagreement, a sentence each. */
  readonly disagreements: readonly string[];
  /** What the simulator counted, by currency; absent with another gateway. */
  readonly counted?: readonly { readonly currency: string; readonly amount: string; readonly orders: number }[];
}

/** The job of a message; undefined where it is none. */
export function jobOf({ body }: Pick<SentMessage, 'body'>): Job | undefined {
  const parsed = parseJob(body);
  return parsed.kind === 'job' ? parsed.job : undefined;
}

/** One payment for each order, and one for each message that became none. */
export function runPayments({ sent, results, deadLetterMessageIds, orders, waiting }: RunEvidence): RunPayment[] {
  const refusals = new Map(
    results.filter((it) => !it.revision).map((it) => [it.resultId.split('/', 2).join('/'), it] as const),
  );
  const dead = new Set(deadLetterMessageIds);
  const payments = new Map<string, RunPayment>();
  for (const message of sent) {
    const job = jobOf(message);
    const refusal = refusals.get(`rejected/${message.messageId}`);
    const line = `line ${message.line}`;
    if (refusal || !job) {
      const { status, failure } = refusal ?? {};
      const standing = status === 'cancelled' ? status : refusal ? 'rejected' : missing(message, dead);
      payments.set(line, {
        standing,
        order: line,
        ...(failure && { failure }),
        ...(job?.money && { money: job.money }),
      });
      continue;
    }
    const key = orderKey(job);
    const order = orders.get(key);
    const known = { order: key, ...(job.money && { money: job.money }), ...waiting?.get(key) };
    if (order)
      payments.set(key, { ...known, standing: order.standing, ...(order.failure && { failure: order.failure }) });
    else if (!payments.has(key)) payments.set(key, { ...known, standing: missing(message, dead) });
  }
  return [...payments.values()];
}

const missing = ({ messageId }: SentMessage, dead: ReadonlySet<string>): Standing =>
  dead.has(messageId) ? 'dead-letter' : 'not-started';

/** The payments by standing and currency, in the order of the standings. */
export function paymentLines(payments: readonly RunPayment[]): PaymentsLine[] {
  const lines = new Map<string, PaymentsLine>();
  for (const { standing, money } of payments) {
    const name = `${String(standingNames.indexOf(standing)).padStart(2)} ${money?.currency ?? ''}`;
    const sum = lines.get(name) ?? { standing, ...(money && { currency: money.currency }), count: 0, minorUnits: 0n };
    lines.set(name, { ...sum, count: sum.count + 1, minorUnits: sum.minorUnits + (money?.minorUnits ?? 0n) });
  }
  return [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

/** Holds ledger, results and the simulator's count against each other. */
export function booksOf(evidence: RunEvidence): RunBooks {
  const { sent, results, orders, deadLetterMessageIds, waiting = new Map(), payments } = evidence;
  const dead = new Set(deadLetterMessageIds);
  const rejected = new Set(results.filter((it) => !it.revision).map((it) => it.resultId.split('/', 2)[1]));
  const lost = sent.filter((message) => {
    const job = jobOf(message);
    const key = job && orderKey(job);
    const isKnown = key !== undefined && (orders.has(key) || waiting.has(key));
    return !isKnown && !dead.has(message.messageId) && !rejected.has(message.messageId);
  });
  const paidTwice = (payments ?? []).filter((it) => it.count > 1).map((it) => `${it.merchant}/${it.orderId}`);
  const disagreements = [
    ...lost.map(({ line }) => `line ${line} has neither an order nor a dead letter`),
    ...resultFaults(evidence),
    ...moneyFaults(evidence),
  ];
  return {
    agree: paidTwice.length === 0 && disagreements.length === 0,
    paidTwice,
    disagreements,
    ...(payments && { counted: countedOf(payments) }),
  };
}

/** The last result of each order says what the ledger says, unless a message of the order is left, which publishes it. */
function resultFaults({ results, orders, waiting }: RunEvidence): string[] {
  const latest = new Map<string, Result>();
  for (const result of results) {
    if (!result.revision) continue;
    const key = result.resultId.slice(0, result.resultId.lastIndexOf('/'));
    if ((latest.get(key)?.revision ?? 0) < result.revision) latest.set(key, result);
  }
  const unknown = [...latest.keys()].filter((key) => !orders.has(key)).map((key) => `${key} has a result and no order`);
  const others = [...orders].flatMap(([key, order]) => {
    const due = order.unpublished || waiting?.has(key) ? undefined : resultOf(order)?.status;
    const told = latest.get(key)?.status;
    return due === undefined || due === told ? [] : [`${key} is ${due}, its last result says ${told ?? 'nothing'}`];
  });
  return [...unknown, ...others];
}

/** Standings of an order that the gateway must have counted. */
const countedStandings: ReadonlySet<Standing> = new Set(['paid', 'accepted', 'confirming']);

function moneyFaults({ orders, waiting, payments }: RunEvidence): string[] {
  if (!payments) return [];
  const moved = payments.filter(({ count, declinedCount = 0 }) => count > declinedCount);
  const counted = new Map(moved.map((it) => [`${it.merchant}/${it.orderId}`, it]));
  const faults = [...orders].flatMap(([key, { standing, money }]): string[] => {
    const payment = counted.get(key);
    if (!payment)
      return countedStandings.has(standing) && money ? [`${key} is ${standing}, the gateway counted nothing`] : [];
    if (!standings[standing].moneyMayHaveMoved)
      return [`${key} is ${standing}, the gateway counted ${payment.amount} ${payment.currency}`];
    const isSame =
      payment.currency === money?.currency && unitsOf(payment) === money.minorUnits * BigInt(payment.count);
    return isSame ? [] : [`${key}: the gateway counted ${payment.amount} ${payment.currency}, another amount`];
  });
  // The answer of a payment may be on its way to the ledger.
  const strangers = [...counted.keys()].filter((key) => !orders.has(key) && !waiting?.has(key));
  return [...faults, ...strangers.map((key) => `${key} was paid, and the ledger has no such order`)];
}

const unitsOf = ({ amount, currency }: CountedPayment): bigint => minorUnitsOf(amount, currency);

function countedOf(payments: readonly CountedPayment[]) {
  const sums = new Map<string, { minorUnits: bigint; orders: number }>();
  for (const payment of payments) {
    const { minorUnits, orders } = sums.get(payment.currency) ?? { minorUnits: 0n, orders: 0 };
    sums.set(payment.currency, { minorUnits: minorUnits + unitsOf(payment), orders: orders + 1 });
  }
  return [...sums]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, { minorUnits, orders }]) => ({
      currency,
      amount: formatMinorUnits(minorUnits, currency),
      orders,
    }));
}
