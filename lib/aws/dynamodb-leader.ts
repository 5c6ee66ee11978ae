// The leader's name, in one item of the table of controls.
import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Leader } from '../payout/wait/release.ts';
import type { DynamoDbTable } from './dynamodb-table.ts';

const Key = { pk: { S: '~leader' } };

/** The leader's item over one table. */
export function createDynamoDbLeader({ client, tableName: TableName }: DynamoDbTable): Leader {
  return {
    async read() {
      const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
      return Item?.['leader']?.S;
    },
    async write(name) {
      await client.send(
        new UpdateItemCommand({
          TableName,
          Key,
          UpdateExpression: 'SET leader = :name',
          ExpressionAttributeValues: { ':name': { S: name } },
        }),
      );
    },
  };
}
