// Every order of the ledger, by a scan of its table: for exports alone, as it reads everything that is in it.
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { AllOrders } from '../payout/due-work.ts';
import { entryOf, type Item } from './ledger-item.ts';

/** All orders over one table. What is no order (batches, controls) is left out where it lies. */
export function createDynamoDbAllOrders({
  client,
  tableName,
}: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): AllOrders {
  return {
    async *scan({ merchant, sinceMs }) {
      const conditions = ['attribute_exists(st)'];
      const values: Item = {};
      if (sinceMs !== undefined) {
        conditions.push('ua >= :since');
        values[':since'] = { N: String(sinceMs) };
      }
      if (merchant !== undefined) {
        conditions.push('(begins_with(pk, :orders) OR begins_with(pk, :checks))');
        values[':orders'] = { S: `${merchant}/` };
        values[':checks'] = { S: `${merchant}~check/` };
      }
      let ExclusiveStartKey: Item | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new ScanCommand({
            TableName: tableName,
            FilterExpression: conditions.join(' AND '),
            ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
            ...(ExclusiveStartKey && { ExclusiveStartKey }),
          }),
        );
        yield Items.map(entryOf);
        ExclusiveStartKey = LastEvaluatedKey;
      } while (ExclusiveStartKey);
    },
  };
}
