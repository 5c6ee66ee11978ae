// The index of open work in DynamoDB, read shard by shard and page by page.
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { DueWork } from '../payout/inquiry-ports.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import { entryOf, type Item } from './ledger-item.ts';
import { openWorkIndexName, openWorkPartition, openWorkShards } from './due-work-item.ts';

/** Open work over one table with the index `open-work`. Items that this version can't read are left to newer code. */
export function createDynamoDbDueWork({ client, tableName }: { client: DynamoDBClient; tableName: string }): DueWork {
  return {
    async *dueWork(kind, beforeMs) {
      for (let shard = 0; shard < openWorkShards; shard += 1)
        yield* partition(openWorkPartition(kind, shard), beforeMs);
    },
  };

  async function* partition(name: string, beforeMs: number): AsyncGenerator<LedgerEntry> {
    let ExclusiveStartKey: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: openWorkIndexName,
          KeyConditionExpression: 'wk = :partition AND wa < :before',
          ExpressionAttributeValues: { ':partition': { S: name }, ':before': { N: String(beforeMs) } },
          ...(ExclusiveStartKey && { ExclusiveStartKey }),
        }),
      );
      for (const item of Items) {
        const found = entryOf(item);
        if (found.kind === 'found') yield found.entry;
      }
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey);
  }
}
