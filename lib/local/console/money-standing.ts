// What a person looks for first in the console: money by what became of it. Read from the ledger, seldom enough that
// looking costs the run nothing.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbAllOrders } from '../../aws/dynamodb-all-orders.ts';
import { formatMinorUnits } from '../../gateway/money.ts';
import { isCheck } from '../../gateway/operations.ts';
import { hasMoneyInDoubt } from '../../payout/operate/control.ts';
import { type OrderView, viewOf } from '../../payout/order/view.ts';

const columns = ['paid', 'accepted', 'inDoubt', 'waiting', 'notPaid'] as const;
type MoneyColumn = (typeof columns)[number];

/** Money of one currency, in decimal text, with the number of its orders. */
type MoneyStanding = { readonly currency: string } & Readonly<
  Record<MoneyColumn, { readonly amount: string; readonly orders: number }>
>;

/** Where an order's money counts. */
function columnOf(entry: OrderView): MoneyColumn {
  switch (entry.state) {
    case 'approved':
      return 'paid';
    case 'accepted':
      return 'accepted';
    case 'submitting':
    case 'retryable':
      return 'waiting';
    case 'in-doubt':
    case 'held':
      return hasMoneyInDoubt(entry) ? 'inDoubt' : 'waiting';
    case 'declined':
    case 'failed':
    case 'cancelled':
      return 'notPaid';
  }
}

/** Adds up orders; exact, in minor units. */
function moneyStanding(entries: Iterable<OrderView>): MoneyStanding[] {
  const sums = new Map<string, Record<MoneyColumn, { units: bigint; orders: number }>>();
  for (const entry of entries) {
    if (!entry.money || isCheck(entry.operation)) continue;
    const { currency, minorUnits } = entry.money;
    const none = () => ({ units: 0n, orders: 0 });
    const sum = sums.get(currency) ?? {
      paid: none(),
      accepted: none(),
      inDoubt: none(),
      waiting: none(),
      notPaid: none(),
    };
    sums.set(currency, sum);
    const column = sum[columnOf(entry)];
    column.units += minorUnits;
    column.orders += 1;
  }
  return [...sums]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, sum]) => {
      const shown = (name: MoneyColumn) => ({
        amount: formatMinorUnits(sum[name].units, currency),
        orders: sum[name].orders,
      });
      return {
        currency,
        paid: shown('paid'),
        accepted: shown('accepted'),
        inDoubt: shown('inDoubt'),
        waiting: shown('waiting'),
        notPaid: shown('notPaid'),
      };
    });
}

/** Reading again takes a tenth of the time at most. */
const restOfReading = 9;

/** Reads it, no more often than it may; answers with what was found last. */
export function createMoneyReader(client: DynamoDBClient, tableName: string, nowMs: () => number) {
  const orders = createDynamoDbAllOrders({ client, tableName });
  let last: readonly MoneyStanding[] = [];
  let nextMs = 0;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const startedMs = nowMs();
    const entries: OrderView[] = [];
    for await (const some of orders.scan({}))
      entries.push(...some.flatMap((found) => (found.kind === 'found' ? [viewOf(found.order)] : [])));
    last = moneyStanding(entries);
    nextMs = nowMs() + restOfReading * (nowMs() - startedMs);
  }

  return async (): Promise<readonly MoneyStanding[]> => {
    if (!reading && nowMs() >= nextMs) reading = read().finally(() => (reading = undefined));
    await reading?.catch(() => {});
    return last;
  };
}
