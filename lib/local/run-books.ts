// The books of a local run: the ledger, the results and the simulator's own report, reconciled as `payouts reconcile` does it.
import { meaningOfLine } from '../gateway/gateway-report.ts';
import { formatMinorUnits } from '../gateway/money.ts';
import type { Result } from '../payout/message/result.ts';
import { createComparison } from '../reconcile/compare.ts';
import { ledgerRecordOf } from '../reconcile/ledger-record.ts';
import { agrees, isOpen, reconcileClasses } from '../reconcile/reconcile-classes.ts';
import type { GatewayRecord, OrderInBooks, ResultRecord } from '../reconcile/reconcile.ts';
import { type RunEvidence, runPayments } from './payments.ts';

/** A line of the simulator's report: a payment that it took. */
export interface ReportedPayment {
  readonly merchant: string;
  readonly orderId: string;
  readonly gatewayOrderId: string;
  readonly amount: string;
  readonly currency: string;
  readonly status: string;
}

/** Whether the books agree. What the ledger has without an end contradicts no report. */
export interface RunBooks {
  readonly agree: boolean;
  /** Keys of orders with several payments. */
  readonly paidTwice: readonly string[];
  /** Every other disagreement, a sentence each. */
  readonly disagreements: readonly string[];
  /** The payments that the simulator lists, by currency. */
  readonly counted: readonly { readonly currency: string; readonly amount: string; readonly orders: number }[];
}

/** Closes the books over what was seen, and the simulator's report. */
export function booksOf(seen: RunEvidence, reported: readonly ReportedPayment[]): RunBooks {
  const { waiting = new Map() } = seen;
  const comparison = createComparison();
  const lost = runPayments(seen).filter(({ standing, order }) => standing === 'not-started' && !waiting.has(order));
  const disagreements = lost.map(({ order }) => `${order} has neither an order nor a dead letter`);
  const paidTwice: string[] = [];
  const listed = new Map<string, number>();
  for (const [key, order] of inBooks(seen, reported)) {
    // Its message may carry what the ledger has not, but never a second payment.
    if (!order.ledger && waiting.has(key) && order.gateway.length < 2) continue;
    const judged = comparison.add(key, order);
    for (const currency of new Set(order.gateway.map((it) => it.currency)))
      listed.set(currency, (listed.get(currency) ?? 0) + 1);
    if (!judged || agrees(judged.name)) continue;
    const { name, result } = judged;
    if (name === 'paid-more-than-once') paidTwice.push(key);
    else if (!isOpen(name) || order.ledger?.standing === 'paid')
      disagreements.push(`${key}: ${reconcileClasses[name].meaning}`);
    else if (result !== 'same') disagreements.push(`${key}: its result is ${result}`);
  }
  const { money, addsUp } = comparison.taken();
  return {
    agree: paidTwice.length === 0 && disagreements.length === 0 && addsUp,
    paidTwice,
    disagreements,
    counted: money.flatMap(({ currency, gateway: { sent } }) => {
      const orders = listed.get(currency) ?? 0;
      return orders === 0 ? [] : [{ currency, amount: formatMinorUnits(sent, currency), orders }];
    }),
  };
}

/** Of an order that still has a message, or a mark, a result is on its way. */
function inBooks(
  { orders, results, waiting }: RunEvidence,
  reported: readonly ReportedPayment[],
): ReadonlyMap<string, OrderInBooks> {
  const resultsOf = Map.groupBy(results.flatMap(resultRecord), ({ key }) => key);
  const linesOf = Map.groupBy(reported, (it) => `${it.merchant}/${it.orderId}`);
  const keys = [...orders.keys(), ...resultsOf.keys(), ...linesOf.keys()];
  return new Map(
    keys.map((key) => {
      const view = orders.get(key);
      const isUnpublished = view !== undefined && (view.unpublished === true || waiting?.has(key) === true);
      const record = view && ledgerRecordOf(view);
      const ledger = record && isUnpublished ? { ...record, withoutResult: true as const } : record;
      return [key, { ledger, results: resultsOf.get(key) ?? [], gateway: (linesOf.get(key) ?? []).map(gatewayRecord) }];
    }),
  );
}

function resultRecord({ resultId, revision, ...it }: Result): (ResultRecord & { readonly key: string })[] {
  return revision ? [{ ...it, revision, key: resultId.slice(0, resultId.lastIndexOf('/')) }] : [];
}

function gatewayRecord({ merchant: _merchant, orderId: _orderId, ...line }: ReportedPayment): GatewayRecord {
  const meaning = meaningOfLine({ status: line.status, type: '' }, new Map());
  if (meaning === 'ignore' || meaning === 'unknown-type') throw new RangeError('a status means something');
  return { ...line, meaning };
}
