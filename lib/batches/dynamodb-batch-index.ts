// The index of batches in the ledger's table, and the orders of a file by their keys.
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDbTable, manyItems, type ManyItemsSource, pagesOf } from '../aws/dynamodb-table.ts';
import { batchIndexName, orderOf } from '../aws/order-item.ts';
import { batchPartitions } from '../payout/order/batch-entry.ts';
import type { BatchIndex } from './batch-payouts.ts';
import type { KnownOrders } from './known-orders.ts';

/** The index over the ledger's table; its partitions are read side by side. */
export function createDynamoDbBatchIndex({ client, tableName: TableName }: DynamoDbTable): BatchIndex {
  const pages = (partition: string) =>
    pagesOf((from) =>
      client.send(
        new QueryCommand({
          TableName,
          IndexName: batchIndexName,
          KeyConditionExpression: 'batchShard = :partition',
          ExpressionAttributeValues: { ':partition': { S: partition } },
          ...from,
        }),
      ),
    );
  return {
    async *entries(batchId) {
      const shards = batchPartitions(batchId).map(pages);
      let asked = shards.map((shard) => ({ shard, next: shard.next() }));
      while (asked.length > 0) {
        const read = await Promise.all(asked.map(async ({ shard, next }) => ({ shard, page: await next })));
        asked = read.flatMap(({ shard, page }) => (page.done ? [] : [{ shard, next: shard.next() }]));
        for (const { page } of read) {
          if (page.done) continue;
          for (const { pk, batchEntry } of page.value.Items ?? [])
            yield { orderKey: pk?.S ?? '', text: batchEntry?.S ?? '' };
        }
      }
    },
  };
}

/** Orders over the ledger's table. */
export function createDynamoDbKnownOrders(options: ManyItemsSource): KnownOrders {
  return {
    async read(orderKeys, how) {
      const items = await manyItems(orderKeys, options, how);
      return new Map(
        [...items].map(([key, item]) => {
          const found = orderOf(item);
          return [key, found.kind === 'found' ? { order: found.order } : { unreadable: true }];
        }),
      );
    },
  };
}
