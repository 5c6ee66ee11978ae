// Every metric that the worker publishes, and its meaning; the names contain the unit. Alarms and dashboard are compared with this table.
import { minorUnitsOf, parseAmount } from '../gateway/money.ts';

/** The metrics without dimensions. A zero is never written: a missing metric means none, or no measurement. */
export const figures = {
  jobWaitSeconds: 'age of each waiting job without a batch, and of the first of each line',
  rowWaitSeconds: 'the same for payouts of batches',
  jobsBraked: 'jobs without a batch that wait for a closed lane; the whole line each five minutes',
  rowsBraked: 'the same for payouts of batches',
  waitingJobs: 'jobs without a batch that wait, each line counted up to 10,000; every five minutes',
  waitingRows: 'the same for payouts of batches',
  becameAccepted: 'orders that the gateway took',
  becameApproved: 'orders that the gateway called paid',
  becameDeclined: 'orders that the gateway refused or ended unpaid',
  becameFailed: 'orders that ended without having been processed',
  becameInDoubt: 'orders whose money may have moved: the gateway is asked',
  becameHeld: 'orders that began to wait for a person',
  plainCardDataRefused: 'refused messages with card data in the clear, which was cut out',
  jobsUnopened: 'parked jobs whose body could not be opened: KMS does not answer, or the key is gone',
  signatureRefusals: 'orders and inquiries whose credentials the gateway refused',
  gatewayCalls: 'POSTs of orders and inquiries',
  gatewayErrors: 'of these: not connected, no whole answer, 429 or 5xx',
  callbacksForged: 'callbacks whose `control` fits no known key, answered 503',
  callbackSurprises: 'callbacks that fit no attempt and contradict nothing',
  callbackContradictions:
    'callbacks against a published end, or about another transaction of the order: possibly paid twice',
  reversals: 'reversals and chargebacks, each step one',
  decisionsUnproven:
    'decisions “not paid” without the approver’s proof that the merchant demands; they count for nothing',
  batchesUnbalanced: 'ended batches that differ from their control totals: a person must look',
  batchesLeft: 'abandoned uploads: half sent, and nothing more for an hour; each quarter of an hour',
  safeguardsChanged: 'changes of what merchants may pay',
  onePersonTwoRoles: 'approvals tried by the registrar of the batch',
  ledgerUnknown: 'sweeps that found a table missing or replaced: everything is paused',
  swept: 'sweeps that ended and measured all doubt',
  held: 'orders that wait for a person now',
  overdue: 'orders accepted for longer than `acceptedHorizonSeconds` without an end',
  unreadable: 'open orders and lanes that newer code wrote and this version cannot read; no sum includes their money',
  oldestDoubtSeconds: 'age of the oldest order in doubt',
  doubtOfLimit: 'money in doubt divided by its limit (DOUBT_ALARM), for the currency nearest to its limit',
} as const;

/** Sums of money, with the dimension `currency`, in whole units of it. */
export const moneyMetrics = {
  moneyAccepted: 'money of the orders that became accepted',
  moneyApproved: 'money of the orders that became approved',
  moneyDeclined: 'money of the orders that became declined',
  moneyFailed: 'money of the orders that became failed',
  moneyDoubted: 'money of the orders that became in-doubt',
} as const;

/** A figure without dimensions. */
export type MetricName = keyof typeof figures;

/** A figure per currency. */
export type MoneyMetricName = keyof typeof moneyMetrics;

// The limit of money in doubt, over all merchants of a worker. One share of the limit covers all currencies, so one alarm does too. What a
// single merchant may have in doubt is its profile's `doubtLimits`.

/** Limit per currency, in whole units; `*` for the currencies without one. */
export type DoubtAlarm = ReadonlyMap<string, string>;

/** Reads "EUR=10000,JPY=1500000,*=5000"; undefined if it cannot be read. */
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

/** The largest share of a limit that a sum reaches: 1 is at the limit, 0 is no doubt. */
export function shareOfAlarm(sums: ReadonlyMap<string, bigint>, alarm: DoubtAlarm): number {
  const shares = [...sums].map(([currency, units]) => {
    const limit = minorUnitsOf(alarm.get(currency) ?? alarm.get('*') ?? '', currency);
    // Without a readable limit any doubt is too much.
    return limit === 0n ? 1 : Number(units) / Number(limit);
  });
  return Math.max(0, ...shares);
}
