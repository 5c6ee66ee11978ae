// The books of a local run: what each message came to, and whether the money that the simulator counted is the money
// that the results are about. Pure, so that the tests can cook the books and see it noticed.
import { standings } from '../payout/order/standing.ts';
import type { FailureOf } from '../gateway/gateway-outcome.ts';
import { type Job, parseJob } from '../payout/message/job.ts';
import { orderKey } from '../payout/order/order.ts';
import { formatMinorUnits, minorDigits } from '../gateway/money.ts';
import type { Result } from '../payout/message/result.ts';

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

/** The ends of a message. */
export const endings = {
  paid: 'the gateway says that it is paid',
  accepted: standings.accepted.meaning,
  checked: 'eligibility check answered; moves no money',
  declined: standings.declined.meaning,
  failed: standings.failed.meaning,
  'in doubt': 'money may have moved, unless it is a check: an inquiry or a person decides, nothing is sent again',
  waiting: 'not processed by the gateway; no money moved',
  'dead letter only': 'no result yet; waits in the dead-letter queue',
  missing: 'neither a result nor a dead letter: a bug',
} as const;

/** One of {@link endings}. */
export type Ending = keyof typeof endings;

/** Money in one currency, in decimal text. */
export interface CurrencyAccount {
  readonly currency: string;
  readonly counted: string;
  readonly countedOrders: number;
  readonly accepted: string;
  readonly acceptedOrders: number;
  /** Those of the orders in doubt that the simulator counted. */
  readonly inDoubtCounted: string;
  readonly inDoubtCountedOrders: number;
  /** Counted less accepted less doubtful; anything but zero is an error in the books. */
  readonly difference: string;
}

/** The books, closed. */
export interface Accounts {
  readonly messages: number;
  readonly orders: number;
  readonly endings: Readonly<Record<Ending, number>>;
  readonly deadLetters: number;
  /** Absent if the gateway was not the simulator, which counts. */
  readonly money?: readonly CurrencyAccount[];
  /** Order keys that were paid more than once. */
  readonly paidTwice: readonly string[];
  /** Every other disagreement, a sentence each. */
  readonly disagreements: readonly string[];
  readonly agree: boolean;
}

/** Everything that was seen. */
export interface RunEvidence {
  readonly sent: readonly SentMessage[];
  readonly results: readonly Result[];
  readonly deadLetterMessageIds: readonly string[];
  readonly payments?: readonly CountedPayment[];
  /** Orders without a result, by order key. Default: none is left, and an order without a result is missing. */
  readonly standings?: ReadonlyMap<string, UnendedOrder>;
}

/** An order without a result yet. */
export interface UnendedOrder {
  readonly ending: 'waiting' | 'in doubt';
  readonly failure?: FailureOf<string>;
  /** The remedy, where the failure's code does not give it. */
  readonly remedy?: string;
}

/** The end of one message. */
export interface Fate {
  readonly message: SentMessage;
  /** Order key, or the message's id where it is no job or was taken for none. */
  readonly order: string;
  readonly ending: Ending;
  readonly job?: Job;
  /** Where the job itself is sealed. */
  readonly money?: Job['money'];
  readonly result?: Result;
  readonly failure?: FailureOf<string>;
  readonly remedy?: string;
}

/** The ends of the messages, in their sequence. */
export function fatesOf({ sent, results, deadLetterMessageIds, standings = new Map() }: RunEvidence): Fate[] {
  const latest = latestByOrder(results);
  const words = results.filter((it) => !it.revision);
  const rejected = new Map(words.map((it) => [it.resultId.split('/', 2).join('/'), it]));
  const dead = new Set(deadLetterMessageIds);
  return sent.map((message) => {
    const job = jobOf(message);
    const key = job && orderKey(job);
    const rejection = rejected.get(`rejected/${message.messageId}`);
    const result = rejection ?? (key === undefined ? undefined : latest.get(key));
    const known = { message, order: rejection || key === undefined ? message.messageId : key, ...(job && { job }) };
    if (result) return { ...known, ...endOfResult(result) };
    if (dead.has(message.messageId)) return { ...known, ending: 'dead letter only' };
    const unended = key === undefined ? undefined : standings.get(key);
    return { ...known, ...(unended ?? { ending: 'missing' }) };
  });
}

/** A message's end by the result of its order. */
export const endOfResult = (result: Result): Pick<Fate, 'ending' | 'result' | 'failure'> => ({
  ending: endingOfResult(result),
  result,
  ...(result.failure && { failure: result.failure }),
});

/** How many messages came to each ending. */
export function endingCounts(fates: readonly Pick<Fate, 'ending'>[]): Record<Ending, number> {
  const counts = Object.fromEntries(Object.keys(endings).map((name) => [name, 0])) as Record<Ending, number>;
  for (const { ending } of fates) counts[ending] += 1;
  return counts;
}

/** Closes the books. */
export function closeAccounts(evidence: RunEvidence): Accounts {
  const { sent, results, deadLetterMessageIds, payments } = evidence;
  const latest = latestByOrder(results);
  const fates = fatesOf(evidence);
  const unfinished = fates
    .filter(({ ending }) => ending === 'missing')
    .map(({ message }) => `line ${message.line} has neither a result nor a dead letter`);
  const paidTwice = (payments ?? []).filter((it) => it.count > 1).map((it) => `${it.merchant}/${it.orderId}`);
  const moved = payments?.filter((it) => !endedUnpaid(it, latest));
  const disagreements = [...unfinished, ...(moved ? moneyDisagreements(latest, moved) : [])];
  return {
    messages: sent.length,
    orders: latest.size,
    endings: endingCounts(fates),
    deadLetters: deadLetterMessageIds.length,
    ...(moved && { money: currencyAccounts(latest, moved) }),
    paidTwice,
    disagreements,
    agree: paidTwice.length === 0 && disagreements.length === 0,
  };
}

/** How many orders' latest result says in doubt or held. */
export function inDoubtOf(results: readonly Result[]): number {
  return [...latestByOrder(results).values()].filter((it) => endingOfResult(it) === 'in doubt').length;
}

function latestByOrder(results: readonly Result[]): Map<string, Result> {
  const latest = new Map<string, Result>();
  for (const result of results) {
    if (!result.revision) continue;
    const key = result.resultId.slice(0, result.resultId.lastIndexOf('/'));
    if ((latest.get(key)?.revision ?? 0) < result.revision) latest.set(key, result);
  }
  return latest;
}

function jobOf({ body }: SentMessage): Job | undefined {
  const parsed = parseJob(body);
  return parsed.kind === 'job' ? parsed.job : undefined;
}

/** The end that a result means. */
function endingOfResult({ status, operation }: Result): Ending {
  switch (status) {
    case 'approved':
      return 'paid';
    case 'accepted':
      return operation === 'pan-eligibility' ? 'checked' : 'accepted';
    case 'declined':
      return 'declined';
    case 'failed':
    case 'cancelled':
    case 'rejected':
      return 'failed';
    case 'in-doubt':
    case 'held':
      return 'in doubt';
  }
}

const isPaid = (ending: Ending) => ending === 'paid' || ending === 'accepted';

/** Orders of the results that move money, by key. */
function moneyResults(latest: ReadonlyMap<string, Result>): [key: string, result: Result][] {
  return [...latest].filter(([, result]) => result.currency !== undefined);
}

const keyOf = (payment: CountedPayment) => `${payment.merchant}/${payment.orderId}`;

/** The gateway took the order, declined it later, and the result says so too: no money moved, and both agree. */
function endedUnpaid(payment: CountedPayment, latest: ReadonlyMap<string, Result>): boolean {
  return payment.declinedCount === payment.count && latest.get(keyOf(payment))?.status === 'declined';
}

function moneyDisagreements(latest: ReadonlyMap<string, Result>, payments: readonly CountedPayment[]): string[] {
  const counted = new Map(payments.map((it) => [keyOf(it), it]));
  const wrong: string[] = [];
  for (const [key, result] of moneyResults(latest)) {
    const payment = counted.get(key);
    const ending = endingOfResult(result);
    if (isPaid(ending) && !payment) wrong.push(`${key} is ${result.status}, but the gateway counted no money`);
    if (isPaid(ending) && payment && !sameMoney(result, payment)) {
      wrong.push(
        `${key}: the result says ${result.amount} ${result.currency}, counted were ${payment.amount} ${payment.currency}`,
      );
    }
    if ((ending === 'declined' || ending === 'failed') && payment) {
      wrong.push(`${key} is ${result.status}, but the gateway counted ${payment.amount} ${payment.currency}`);
    }
  }
  for (const key of counted.keys()) if (!latest.has(key)) wrong.push(`${key} was paid, but no result speaks of it`);
  return wrong;
}

function sameMoney(result: Result, payment: CountedPayment): boolean {
  const { currency = '', amount = '0' } = result;
  return payment.currency === currency && minorUnits(amount, currency) === minorUnits(payment.amount, currency);
}

function currencyAccounts(latest: ReadonlyMap<string, Result>, payments: readonly CountedPayment[]): CurrencyAccount[] {
  const results = moneyResults(latest).map(([key, result]) => ({ key, result, ending: endingOfResult(result) }));
  const counted = new Map(payments.map((it) => [keyOf(it), it]));
  const currencies = [
    ...new Set([...payments.map((it) => it.currency), ...results.map((it) => it.result.currency ?? '')]),
  ];
  return currencies.toSorted().map((currency) => {
    const paid = payments.filter((it) => it.currency === currency);
    const accepted = results.filter((it) => it.result.currency === currency && isPaid(it.ending));
    const doubtful = results
      .filter((it) => it.result.currency === currency && it.ending === 'in doubt')
      .flatMap((it) => counted.get(it.key) ?? []);
    const sum = (amounts: (string | undefined)[]) =>
      amounts.reduce((total, amount) => total + minorUnits(amount ?? '0', currency), 0n);
    const countedUnits = sum(paid.map((it) => it.amount));
    const acceptedUnits = sum(accepted.map((it) => it.result.amount));
    const doubtfulUnits = sum(doubtful.map((it) => it.amount));
    return {
      currency,
      counted: formatMinorUnits(countedUnits, currency),
      countedOrders: paid.length,
      accepted: formatMinorUnits(acceptedUnits, currency),
      acceptedOrders: accepted.length,
      inDoubtCounted: formatMinorUnits(doubtfulUnits, currency),
      inDoubtCountedOrders: doubtful.length,
      difference: formatMinorUnits(countedUnits - acceptedUnits - doubtfulUnits, currency),
    };
  });
}

function minorUnits(amount: string, currency: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(minorDigits(currency), '0').slice(0, minorDigits(currency)));
}
