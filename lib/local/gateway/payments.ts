// The simulated gateway's account of money. A double payment shows as `acceptedCount: 2`.
import { type BookedOrder, endedWithoutMoney, familyOf, statusAt } from './order-book.ts';

/**
 * Money under one client order id. `accepted` counts every order that was answered async-response, whether or not
 * the client heard it: this is what a worker's `accepted` results must agree with, one to one. `declined` counts
 * those of them whose status now is declined, error or filtered; accepted less declined is money moved or moving.
 */
interface Payment {
  readonly login: string;
  readonly clientOrderId: string;
  readonly currency: string;
  readonly acceptedCount: number;
  /** Exact decimal sum, at the longest scale of the amounts. */
  readonly acceptedAmount: string;
  readonly declinedCount: number;
}

/** One row per login, client order id and currency, in order of first commit; checks are no payments. */
export function paymentsOf(orders: readonly BookedOrder[], nowMs: number): readonly Payment[] {
  const money = orders.filter(({ accepted, operation }) => accepted && familyOf(operation) === 'money');
  const groups = Map.groupBy(money, (order) =>
    JSON.stringify([order.login, order.clientOrderId, order.currency ?? '']),
  );
  return [...groups.values()].flatMap((group) => paymentOf(group, nowMs));
}

function paymentOf(group: readonly BookedOrder[], nowMs: number): readonly Payment[] {
  const [first] = group;
  if (first === undefined) return [];
  const declined = group.filter((order) => endedWithoutMoney(statusAt(order, nowMs)));
  const { login, clientOrderId, currency = '' } = first;
  return [
    {
      login,
      clientOrderId,
      currency,
      acceptedCount: group.length,
      acceptedAmount: sumOfAmounts(group.map((order) => order.amount ?? '0')),
      declinedCount: declined.length,
    },
  ];
}

/** The sum of plain decimal strings, with as many fraction digits as the longest of them: 10.42 + 10.4 = 20.82. */
export function sumOfAmounts(amounts: readonly string[]): string {
  const scale = Math.max(0, ...amounts.map((amount) => fractionOf(amount).length));
  const total = amounts.reduce((sum, amount) => sum + minorUnits(amount, scale), 0n);
  const digits = total.toString().padStart(scale + 1, '0');
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function minorUnits(amount: string, scale: number): bigint {
  return BigInt(`${amount.split('.')[0] ?? ''}${fractionOf(amount).padEnd(scale, '0')}`);
}

function fractionOf(amount: string): string {
  return amount.split('.')[1] ?? '';
}
