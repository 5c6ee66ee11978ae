// All orders of the ledger, by a parallel scan. It reads every item of the table, so it is for rare questions. One segment alone,
// read page by page of a megabyte, would take weeks over a billion orders.
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import type { AllOrders } from '../payout/inquire/due-work.ts';
import type { StoredOrder } from '../payout/order/orders.ts';
import { type DynamoDbTable, pagesOf, S } from './dynamodb-table.ts';
import { orderOf } from './order-item.ts';

/** Segments at once; more help only a machine with several cores. */
const scanSegments = 16;

/** All orders over one table, in no order. Items that are no orders are skipped. */
export function createDynamoDbAllOrders({
  client,
  tableName,
  segments = scanSegments,
}: DynamoDbTable & { readonly segments?: number }): AllOrders {
  return {
    async *scan(merchant) {
      const filter = filterOf(merchant);
      const sources = Array.from({ length: segments }, (_, segment) => pages(segment, filter));
      yield* inOrderOfArrival(sources);
    },
  };

  async function* pages(segment: number, filter: ReturnType<typeof filterOf>): AsyncGenerator<readonly StoredOrder[]> {
    const scan = { TableName: tableName, Segment: segment, TotalSegments: segments, ...filter };
    for await (const { Items = [] } of pagesOf((from) => client.send(new ScanCommand({ ...scan, ...from }))))
      yield Items.map(orderOf);
  }
}

const filterOf = (merchant: string | undefined) => ({
  FilterExpression: `attribute_exists(version)${merchant === undefined ? '' : ' AND begins_with(pk, :orders)'}`,
  ExpressionAttributeValues: merchant === undefined ? undefined : { ':orders': S(`${merchant}/`) },
});

/** Yields pages as they arrive; each source has one page under way. */
async function* inOrderOfArrival<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const next = (source: AsyncGenerator<T>) => {
    const coming = source.next().then((step) => ({ source, step }));
    // Not awaited after another source has failed: its own failure must not be unhandled.
    coming.catch(() => {});
    return coming;
  };
  const underWay = new Map(sources.map((source) => [source, next(source)]));
  while (underWay.size > 0) {
    const { source, step } = await Promise.race(underWay.values());
    if (step.done) {
      underWay.delete(source);
      continue;
    }
    underWay.set(source, next(source));
    yield step.value;
  }
}
