// The leader's name: one item in the table of controls.
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Leader } from '../payout/wait/release.ts';
import { type DynamoDbTable, S, updateIf } from './dynamodb-table.ts';

const key = '~leader';

/** The leader's item over one table. */
export function createDynamoDbLeader({ client, tableName: TableName }: DynamoDbTable): Leader {
  return {
    async read() {
      const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk: S(key) }, ConsistentRead: true }));
      return Item?.['leader']?.S;
    },
    async write(name) {
      await updateIf(client, TableName, { key, set: { leader: S(name) } });
    },
  };
}
