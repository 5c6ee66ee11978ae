// Safeguards in the table of batches, under keys that the policies give to approvers alone. A change stays in the index of
// open work until the sweeper has reported it.
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDbTable, openWorkItems, updateIf } from '../aws/dynamodb-table.ts';
import type { SafeguardsChanges, SafeguardsStore } from './safeguards.ts';

const safeguardsKey = (merchant: string): string => `~safeguards/${merchant}`;

/** The partition of the index that holds changes. */
const changedPartition = 'sg';

/** Records over the table of batches. */
export function createDynamoDbSafeguards({ client, tableName }: DynamoDbTable): SafeguardsStore {
  return {
    place: tableName,
    async read(merchant) {
      const Key = { pk: { S: safeguardsKey(merchant) } };
      const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }));
      const [text, mac] = [Item?.['record']?.S, Item?.['mac']?.S];
      if (text === undefined || mac === undefined) return undefined;
      return { text, mac, earlier: (Item?.['earlier']?.L ?? []).flatMap(({ S }) => S ?? []) };
    },
    write(merchant, { text, mac, earlier }, atMs) {
      const [replaced] = earlier;
      const isUnchanged = { condition: '#record = :before', values: { ':before': { S: replaced ?? '' } } };
      const nothing = { condition: 'attribute_not_exists(pk)', values: {} };
      return updateIf(client, tableName, {
        key: safeguardsKey(merchant),
        ...(replaced === undefined ? nothing : isUnchanged),
        set: {
          record: { S: text },
          mac: { S: mac },
          earlier: { L: earlier.map((S) => ({ S })) },
          openWork: { S: changedPartition },
          openWorkAt: { N: String(atMs) },
        },
      });
    },
  };
}

/** Changes over the index of open work. */
export function createDynamoDbSafeguardsChanges({ client, tableName }: DynamoDbTable): SafeguardsChanges {
  return {
    async *unreported(beforeMs) {
      for await (const { pk, openWorkAt } of openWorkItems({ client, tableName }, changedPartition, beforeMs))
        yield { merchant: (pk?.S ?? '').slice(safeguardsKey('').length), atMs: Number(openWorkAt?.N) };
    },
    async reported({ merchant, atMs }) {
      const [key, values] = [safeguardsKey(merchant), { ':reported': { N: String(atMs) } }];
      await updateIf(client, tableName, {
        key,
        condition: 'openWorkAt = :reported',
        remove: ['openWork', 'openWorkAt'],
        values,
      });
    },
  };
}
