// Orders compared, one after the other: how many are of each class, and their money. The command and the local run close their books by it.
import { addOrder, judgeOrder, type Judged, type OrderInBooks, type OrderSums } from './reconcile.ts';
import { agrees, type ReconcileClass, reconcileClasses } from './reconcile-classes.ts';
import { type ReportDecision, reportDecisionOf } from './report-decisions.ts';
import { outsideOf, type OutsideReason, type Scope } from './scope.ts';
import { addsUp, createSummary, type CurrencySummary } from './summary.ts';

/** The outcome. */
export interface Comparison {
  readonly orders: number;
  readonly disagreeing: number;
  /** What the gateway's report decides of these. */
  readonly decisions: readonly ReportDecision[];
  /** In order of precedence; only classes that have orders. */
  readonly classes: readonly OrderSums<ReconcileClass>[];
  /** The rows that were not compared. */
  readonly outside: readonly OrderSums<OutsideReason>[];
  /** The money of what was compared, by currency. */
  readonly money: readonly CurrencySummary[];
  /** Its parts come to its whole. */
  readonly addsUp: boolean;
}

/** Compares the orders of this scope. */
export function createComparison(scope: Scope = {}) {
  const sums = new Map<ReconcileClass, OrderSums<ReconcileClass>>();
  const outside = new Map<OutsideReason, OrderSums<OutsideReason>>();
  const summary = createSummary();
  const decisions: ReportDecision[] = [];
  let [orders, disagreeing] = [0, 0];
  return {
    /** Adds an order; undefined if it is not compared. */
    add(key: string, order: OrderInBooks): Judged | undefined {
      const judged = judgeOrder(order);
      const why = outsideOf(key, order, scope);
      if (why) {
        // What the ledger alone has of other days is no line of another book.
        if (order.results.length + order.gateway.length > 0) addOrder(outside, why, judged.money);
        return undefined;
      }
      addOrder(sums, judged.name, judged.money);
      summary.add(order);
      orders += 1;
      if (agrees(judged.name)) return judged;
      disagreeing += 1;
      const decision = reportDecisionOf(key, order, judged);
      if (decision) decisions.push(decision);
      return judged;
    },
    taken(): Comparison {
      const precedence = Object.keys(reconcileClasses);
      const classes = [...sums.values()].toSorted((a, b) => precedence.indexOf(a.name) - precedence.indexOf(b.name));
      const money = summary.taken();
      return { orders, disagreeing, decisions, classes, outside: [...outside.values()], money, addsUp: addsUp(money) };
    },
  };
}
