// The metrics of one invocation: collected while it works, published once at its end, with one line of the log per currency. Metrics are
// for watching; the ledger keeps the books. A write whose answer was lost is not counted, even if it was stored.
import type { MetricName, MoneyMetricName } from './metrics.ts';
import type { Order } from './order/order.ts';
import type { Orders } from './order/orders.ts';
import { fold } from './order/fold.ts';
import { type OrderView, viewOf } from './order/projection.ts';
import type { ResultStatus } from './message/result.ts';
import { formatMinorUnits } from '../gateway/money.ts';
import type { Evidence, Gateway } from '../gateway/ports.ts';
import type { MetricValues } from './ports.ts';

/** The metrics that count an order when it comes to a result; not every result has them. */
const figuresOfResult: Readonly<
  Partial<Record<ResultStatus, { readonly count: MetricName; readonly money?: MoneyMetricName }>>
> = {
  accepted: { count: 'becameAccepted', money: 'moneyAccepted' },
  approved: { count: 'becameApproved', money: 'moneyApproved' },
  declined: { count: 'becameDeclined', money: 'moneyDeclined' },
  failed: { count: 'becameFailed', money: 'moneyFailed' },
  'in-doubt': { count: 'becameInDoubt', money: 'moneyDoubted' },
  held: { count: 'becameHeld' },
};

/** Metrics that are still being collected. */
export interface MetricsRecorder {
  add(name: MetricName, count?: number): void;
  /** Of the values observed under one name, the largest is published. */
  observe(name: MetricName, value: number): void;
  /** Counts an order that has come to another status. */
  moved(entry: Pick<OrderView, 'result' | 'money' | 'failure'>): void;
  taken(): MetricValues;
}

/** A recorder of no figures yet. */
export function createMetricsRecorder(): MetricsRecorder {
  const values: Partial<Record<MetricName, number>> = {};
  const sums = new Map<string, Partial<Record<MoneyMetricName, bigint>>>();

  function add(name: MetricName, count = 1): void {
    values[name] = (values[name] ?? 0) + count;
  }

  return {
    add,
    observe(name, value) {
      values[name] = Math.max(values[name] ?? 0, value);
    },
    moved({ result, money, failure }) {
      // Before the result is looked at: a wrong key must show at its first refusal, while the order still waits.
      if (failure?.code === 'AUTHENTICATION') add('signatureRefusals');
      const names = result && figuresOfResult[result];
      if (!names) return;
      add(names.count);
      if (!money || !names.money) return;
      const own = sums.get(money.currency) ?? {};
      own[names.money] = (own[names.money] ?? 0n) + money.minorUnits;
      sums.set(money.currency, own);
    },
    taken: () => ({
      values,
      perCurrency: new Map([...sums].map(([currency, own]) => [currency, inUnits(own, currency)])),
    }),
  };
}

function inUnits(
  sums: Readonly<Partial<Record<MoneyMetricName, bigint>>>,
  currency: string,
): MetricValues['perCurrency'] extends ReadonlyMap<string, infer Own> ? Own : never {
  // For a chart a double is exact enough.
  return Object.fromEntries(
    Object.entries(sums).map(([name, units]) => [name, Number(formatMinorUnits(units, currency))]),
  );
}

/** The store of orders, which counts each stored change of status and each reversal. */
export function countedOrders(orders: Orders, recorder: MetricsRecorder): Orders {
  function count(before: Order | undefined, after: Order): void {
    const [was, is] = [before && viewOf(before), viewOf(after)];
    if (is.reversal && is.reversal.status !== was?.reversal?.status) recorder.add('reversals');
    if (is.result !== was?.result || before === undefined || fold(before.facts).kind !== fold(after.facts).kind)
      recorder.moved(is);
  }
  return {
    ...orders,
    async write(before, next) {
      const written = await orders.write(before, next);
      if (written.kind === 'written') count(before.version === 0 ? undefined : before, next);
      return written;
    },
  };
}

/** A gateway whose calls are counted. */
export const countedGateway = (gateway: Gateway, recorder: MetricsRecorder): Gateway => ({
  ...gateway,
  async post(request) {
    const evidence = await gateway.post(request);
    recorder.add('gatewayCalls');
    if (isGatewayError(evidence)) recorder.add('gatewayErrors');
    return evidence;
  },
});

/** True if the gateway or the connection failed. The refusal of one order is no failure. */
const isGatewayError = (evidence: Evidence): boolean =>
  evidence.kind !== 'answer' || evidence.httpStatus >= 500 || evidence.httpStatus === 429;
