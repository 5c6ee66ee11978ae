// The figures of one invocation: collected while its records are worked on, published once at its end, so that a job costs a
// few additions and a batch one line of the log per currency. Metrics are for watching; the ledger keeps the books. A move
// whose answer was lost and that was found written later is not counted.
import type { MetricName, MoneyMetricName } from './metrics.ts';
import type { Failure } from './message/failures.ts';
import type { Order } from './order/order.ts';
import type { Orders } from './order/orders.ts';
import { type OrderView, viewOf } from './order/projection.ts';
import type { OrderState } from './order/states.ts';
import { formatMinorUnits } from '../gateway/money.ts';
import type { Clock, MetricValues } from './ports.ts';

/** The figures that count an order when it comes into a state; the states that are no result have none. */
const figuresOfState: Readonly<
  Partial<Record<OrderState, { readonly count: MetricName; readonly money: MoneyMetricName }>>
> = {
  accepted: { count: 'becameAccepted', money: 'moneyAccepted' },
  approved: { count: 'becameApproved', money: 'moneyApproved' },
  declined: { count: 'becameDeclined', money: 'moneyDeclined' },
  failed: { count: 'becameFailed', money: 'moneyFailed' },
  'in-doubt': { count: 'becameInDoubt', money: 'moneyDoubted' },
  held: { count: 'becameHeld', money: 'moneyWithheld' },
  cancelled: { count: 'becameCancelled', money: 'moneyCancelled' },
};

/** Failure codes that are counted by themselves, because an alarm waits for them. */
const figureOfFailure: ReadonlyMap<string, MetricName> = new Map([
  ['AUTHENTICATION', 'signatureRefusals'],
  ['EXPIRED', 'jobsExpired'],
]);

/** Metrics that are still being collected. */
export interface MetricsRecorder {
  add(name: MetricName, count?: number): void;
  /** One value of which percentiles, or the smallest, will be asked. */
  observe(name: MetricName, value: number): void;
  /** An order has come into this state. */
  moved(entry: Pick<OrderView, 'state' | 'money' | 'failure'>): void;
  /** A failure of a message or a look that is no move of an order. */
  failed(failure: Pick<Failure, 'code'>): void;
  taken(): MetricValues;
}

/** A recorder of no figures yet. */
export function createMetricsRecorder(): MetricsRecorder {
  const values: Partial<Record<MetricName, number | number[]>> = {};
  const sums = new Map<string, Partial<Record<MoneyMetricName, bigint>>>();

  function add(name: MetricName, count = 1): void {
    const before = values[name];
    values[name] = (typeof before === 'number' ? before : 0) + count;
  }

  function failed({ code }: Pick<Failure, 'code'>): void {
    const name = figureOfFailure.get(code);
    if (name) add(name);
  }

  return {
    add,
    failed,
    observe(name, value) {
      const before = values[name];
      if (Array.isArray(before)) before.push(value);
      else values[name] = [value];
    },
    moved({ state, money, failure }) {
      // An order that waits to be sent again counts too: a wrong key is to be seen at its first refusal.
      if (failure) failed(failure);
      const names = figuresOfState[state];
      if (!names) return;
      add(names.count);
      if (!money) return;
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
  return Object.fromEntries(Object.entries(sums).map(([name, units]) => [name, inWholeUnits(units, currency)]));
}

/** For a chart or an alarm a double is exact enough. */
export function inWholeUnits(minorUnits: bigint, currency: string): number {
  return Number(formatMinorUnits(minorUnits, currency));
}

/** Orders that count each move that was written: the state that an order came into, and the gateway's surprises. */
export function countedOrders(orders: Orders, recorder: MetricsRecorder): Orders {
  function count(before: Order | undefined, after: Order): void {
    const [was, is] = [before && viewOf(before), viewOf(after)];
    if (is.gatewayAmount !== undefined && is.gatewayAmount !== was?.gatewayAmount) recorder.add('amountsChanged');
    if (is.reversal && is.reversal.status !== was?.reversal?.status) recorder.add('reversals');
    if (is.state !== was?.state) recorder.moved(is);
  }
  return {
    ...orders,
    async put(order) {
      const written = await orders.put(order);
      if (written.kind === 'written') count(undefined, order);
      return written;
    },
    async write(before, next) {
      const written = await orders.write(before, next);
      if (written.kind === 'written') count(before.version === 0 ? undefined : before, next);
      return written;
    },
  };
}

/** The parts of a call's outcome that are counted. */
interface Exchange {
  readonly kind: 'not-sent' | 'no-answer' | 'answer';
  readonly httpStatus?: number;
}

interface Posting<Request, Answer> {
  post(request: Request): Promise<Answer>;
}

/** A gateway whose calls are counted, and timed under this name. */
export function timedGateway<Request, Answer extends Exchange, More>(
  gateway: Posting<Request, Answer> & More,
  name: 'postLatencyMs' | 'inquiryLatencyMs',
  { recorder, clock }: { readonly recorder: MetricsRecorder; readonly clock: Clock },
): Posting<Request, Answer> & More {
  return {
    ...gateway,
    async post(request) {
      const startedMs = clock.nowMs();
      const evidence = await gateway.post(request);
      recorder.add('gatewayCalls');
      if (isGatewayError(evidence)) recorder.add('gatewayErrors');
      if (evidence.kind !== 'not-sent') recorder.observe(name, clock.nowMs() - startedMs);
      return evidence;
    },
  };
}

/** True where the gateway, or the way to it, is in trouble; a refusal of one order is none. */
function isGatewayError({ kind, httpStatus = 0 }: Exchange): boolean {
  return kind !== 'answer' || httpStatus >= 500 || httpStatus === 429;
}
