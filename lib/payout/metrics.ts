// Every metric that the worker publishes: its name in CloudWatch, its unit, its publisher, and its meaning. Alarms, dashboard and
// the tables of infra/docs/metrics-and-log.md go by this page and are compared with it.
import { minorUnitsOf, parseAmount } from '../gateway/money.ts';

/** One row: a metric of the namespace that METRICS_NAMESPACE names. */
interface Figure {
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds' | 'None';
  /** The functions that publish it. */
  readonly by: string;
  readonly meaning: string;
}

const journeys = 'submit, inquire';

/** The metrics without dimensions. A zero is never written: a missing metric means none, or that nobody has looked. */
export const figures = {
  jobsIn: { unit: 'Count', by: 'submit', meaning: 'messages of the jobs queue that were delivered for the first time' },
  timeToExpirySeconds: {
    unit: 'Seconds',
    by: 'submit',
    meaning: 'time left until `expiresAt` of each job that has to wait; below zero it is never sent',
  },
  jobWaitSeconds: {
    unit: 'Seconds',
    by: 'submit, sweep',
    meaning:
      'age of each job without a batch that is seen waiting, since its sending or its `notBefore`, and of the first in each line',
  },
  rowWaitSeconds: { unit: 'Seconds', by: 'submit, sweep', meaning: 'the same of each row of a batch' },
  jobsBraked: {
    unit: 'Count',
    by: 'submit, sweep',
    meaning:
      'looks at jobs without a batch that wait for a lane that the brake has closed; each five minutes at the whole line',
  },
  rowsBraked: { unit: 'Count', by: 'submit, sweep', meaning: 'the same of rows of batches' },
  jobsSlowed: {
    unit: 'Count',
    by: 'submit, sweep',
    meaning: 'the same of a lane whose pace is below a quarter of its usual one',
  },
  rowsSlowed: { unit: 'Count', by: 'submit, sweep', meaning: 'the same of rows of batches' },
  waitingJobs: {
    unit: 'Count',
    by: 'sweep',
    meaning: 'jobs without a batch in the lines of all lanes, each line counted up to 10,000; every five minutes',
  },
  waitingRows: { unit: 'Count', by: 'sweep', meaning: 'the same of rows of batches' },
  becameAccepted: { unit: 'Count', by: journeys, meaning: 'orders that the gateway took' },
  becameApproved: { unit: 'Count', by: journeys, meaning: 'orders that the gateway called paid' },
  becameDeclined: { unit: 'Count', by: journeys, meaning: 'orders that the gateway refused or ended unpaid' },
  becameFailed: { unit: 'Count', by: journeys, meaning: 'orders that ended without having been processed' },
  becameInDoubt: { unit: 'Count', by: journeys, meaning: 'orders whose money may have moved: the gateway is asked' },
  becameHeld: { unit: 'Count', by: journeys, meaning: 'orders that began to wait for a person' },
  becameCancelled: { unit: 'Count', by: journeys, meaning: 'orders called off with their batch' },
  messagesRefused: {
    unit: 'Count',
    by: 'submit',
    meaning: 'messages that never became an order (`rejected`, or `cancelled` before they came)',
  },
  plainCardDataRefused: {
    unit: 'Count',
    by: 'submit',
    meaning: 'refused messages that had card data in the clear, whatever else was wrong with them; it was cut out',
  },
  jobsUnopened: {
    unit: 'Count',
    by: 'submit',
    meaning: 'parked jobs whose body could not be opened: KMS does not answer, or their key is gone; they wait',
  },
  jobsExpired: { unit: 'Count', by: 'submit', meaning: 'orders past their `expiresAt` before they were sent' },
  signatureRefusals: {
    unit: 'Count',
    by: 'submit, inquire',
    meaning: 'orders and inquiries whose credentials the gateway refused',
  },
  accountUnknown: {
    unit: 'Count',
    by: 'inquire',
    meaning:
      'looks at orders that were sent to an account which their secret no longer names: nobody can be asked about them',
  },
  gatewayCalls: { unit: 'Count', by: 'submit, inquire', meaning: 'POSTs of orders and inquiries' },
  gatewayErrors: {
    unit: 'Count',
    by: 'submit, inquire',
    meaning: 'of these: not connected, no whole answer, 429 or 5xx',
  },
  postLatencyMs: {
    unit: 'Milliseconds',
    by: 'submit',
    meaning: 'from connecting to the whole answer (or giving up) of each POST of an order that was sent',
  },
  inquiryLatencyMs: { unit: 'Milliseconds', by: 'inquire', meaning: 'the same of each inquiry about an order' },
  queueRefusals: {
    unit: 'Count',
    by: 'submit, inquire, sweep',
    meaning: 'entries that a queue did not take at the first try: throttled, or SQS does not answer',
  },
  callbacksForged: {
    unit: 'Count',
    by: 'callback',
    meaning: 'callbacks whose `control` fits no key that the worker holds, answered 503',
  },
  callbackSurprises: {
    unit: 'Count',
    by: 'callback',
    meaning: 'callbacks that fitted nowhere and contradict nothing: kept on their order, or of no order',
  },
  callbackContradictions: {
    unit: 'Count',
    by: 'callback',
    meaning:
      'callbacks against an end that was published, or about another of the orders at the gateway: maybe paid twice',
  },
  amountsChanged: {
    unit: 'Count',
    by: 'inquire',
    meaning:
      'orders of which the gateway says another amount or currency than was asked for; published in their results',
  },
  reversals: { unit: 'Count', by: 'inquire', meaning: 'reversals, chargebacks and the like, each step of one' },
  decisionsUnproven: {
    unit: 'Count',
    by: 'submit, inquire',
    meaning:
      'decisions “not paid” without an approver’s proof, of merchants whose money two persons release: they decide nothing',
  },
  jobsDepth: { unit: 'Count', by: 'sweep', meaning: 'messages in the jobs queue, those being worked on included' },
  batchJobsDepth: { unit: 'Count', by: 'sweep', meaning: 'the same of the queue of rows of batches' },
  checksDepth: { unit: 'Count', by: 'sweep', meaning: 'the same of the checks queue' },
  deadLettersDepth: { unit: 'Count', by: 'sweep', meaning: 'the same of the dead-letter queue of both queues of jobs' },
  checkReceives: {
    unit: 'Count',
    by: 'inquire',
    meaning: 'of the messages of the checks queue that come again: how often the one that came most often has come',
  },
  batchesClosed: { unit: 'Count', by: 'sweep', meaning: 'batches all of whose rows have ended' },
  batchesUnbalanced: {
    unit: 'Count',
    by: 'sweep',
    meaning: 'batches whose rows have ended and do not add up to their control totals: a person must look',
  },
  batchesLeft: {
    unit: 'Count',
    by: 'sweep',
    meaning: 'looks at batches of which half is sent, and nothing more for an hour; each quarter of an hour',
  },
  safeguardsChanged: { unit: 'Count', by: 'sweep', meaning: 'changes of what merchants may pay' },
  onePersonTwoRoles: { unit: 'Count', by: 'sweep', meaning: 'approvals tried by the registrar of the batch' },
  ledgerUnknown: {
    unit: 'Count',
    by: 'sweep',
    meaning: 'looks of the sweeper at tables that are missing, or are not those of the record: everything is paused',
  },
  swept: { unit: 'Count', by: 'sweep', meaning: 'sweeps that came to their end and measured all doubt' },
  inDoubt: { unit: 'Count', by: 'sweep', meaning: 'orders in doubt now: the gateway is being asked' },
  held: { unit: 'Count', by: 'sweep', meaning: 'orders that wait for a person now' },
  overdue: {
    unit: 'Count',
    by: 'sweep',
    meaning:
      'orders accepted for longer than their horizon (`acceptedHorizonSeconds`) whose end the gateway does not say',
  },
  unreadable: {
    unit: 'Count',
    by: 'sweep',
    meaning:
      'orders in doubt, held or unpublished that newer code wrote and this version can not read (their money is in no sum); the same of lanes',
  },
  oldestDoubtSeconds: { unit: 'Seconds', by: 'sweep', meaning: 'age of the oldest order in doubt' },
  oldestHeldSeconds: { unit: 'Seconds', by: 'sweep', meaning: 'age of the oldest held order' },
  doubtOfLimit: {
    unit: 'None',
    by: 'sweep',
    meaning: 'money in doubt beside its limit (DOUBT_ALARM), of the currency that is nearest to it; 1 is at the limit',
  },
} as const satisfies Record<string, Figure>;

/** Sums of money and their counts, with the dimension `currency`, in whole units of it. */
export const moneyMetrics = {
  moneyAccepted: { unit: 'None', by: journeys, meaning: 'money of the orders that became accepted' },
  moneyApproved: { unit: 'None', by: journeys, meaning: 'money of the orders that became approved' },
  moneyDeclined: { unit: 'None', by: journeys, meaning: 'money of the orders that became declined' },
  moneyFailed: { unit: 'None', by: journeys, meaning: 'money of the orders that became failed' },
  moneyDoubted: { unit: 'None', by: journeys, meaning: 'money of the orders that became in-doubt' },
  moneyWithheld: { unit: 'None', by: journeys, meaning: 'money of the orders that became held' },
  moneyCancelled: { unit: 'None', by: journeys, meaning: 'money of the orders that became cancelled' },
  moneyInDoubt: {
    unit: 'None',
    by: 'sweep',
    meaning: 'money that may have moved and nobody knows: in doubt now, or held after it was sent',
  },
  ordersInDoubt: { unit: 'Count', by: 'sweep', meaning: 'the orders of `moneyInDoubt`' },
  moneyHeld: {
    unit: 'None',
    by: 'sweep',
    meaning: 'money of all orders that wait for a person now, caps included, checks not',
  },
  moneyOverdue: { unit: 'None', by: 'sweep', meaning: 'money of the orders that `overdue` counts' },
  ordersOverdue: { unit: 'Count', by: 'sweep', meaning: 'the orders of `moneyOverdue`' },
} as const satisfies Record<string, Figure>;

/** A figure without dimensions. */
export type MetricName = keyof typeof figures;

/** A figure per currency. */
export type MoneyMetricName = keyof typeof moneyMetrics;

// How much money in doubt is too much, all merchants of a worker together. One figure serves all currencies, so that
// one alarm serves whatever currencies come; what a single merchant may have in doubt is its profile's `doubtLimits`.

/** Amounts per currency; `*` is for those that are not named. */
export type DoubtAlarm = ReadonlyMap<string, string>;

/** Reads "EUR=10000,JPY=1500000,*=5000"; undefined where it can't be read. */
export function readDoubtAlarm(text: string): DoubtAlarm | undefined {
  const pairs = text.split(',').map((pair): readonly [string, string] => {
    const [currency = '', amount = ''] = pair.split('=').map((part) => part.trim());
    return [currency, amount];
  });
  const isRight = pairs.every(
    ([currency, amount]) => /^([A-Z]{3}|\*)$/.test(currency) && parseAmount(amount, currency).kind === 'amount',
  );
  return isRight && pairs.some(([currency]) => currency === '*') ? new Map(pairs) : undefined;
}

/** The largest of the sums beside its limit: 1 is at the limit, 0 is no doubt at all. */
export function shareOfAlarm(sums: ReadonlyMap<string, bigint>, alarm: DoubtAlarm): number {
  const shares = [...sums].map(([currency, units]) => {
    const limit = minorUnitsOf(alarm.get(currency) ?? alarm.get('*') ?? '', currency);
    // Without a limit that can be read any doubt is too much.
    return limit === 0n ? 1 : Number(units) / Number(limit);
  });
  return Math.max(0, ...shares);
}
