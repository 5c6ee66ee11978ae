// Announced changes of orders in the ledger's table: an item each, in the index of open work until the sweeper has
// counted the order (lib/batches/dynamodb-batch-rows.ts). And notes of deliveries that begin, which nobody lists.
import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { longestWaitDays } from '../payout/limits.ts';
import type { Deliveries } from '../payout/ports.ts';
import type { ChangeAnnouncing, OrderChange } from '../payout/order/order-changes.ts';
import { expiryIn, type TimedTable, updateIf } from './dynamodb-table.ts';

/** The table of the changes, and how long they live. */
export interface AnnouncingOptions extends TimedTable {
  readonly itemLifeDays: number;
}

/** The partition of the open-work index that holds changes; no kind of an order's open work has this letter. */
export const changesPartition = 'c0';
const layoutVersion = '1';

/** The item of a change. No batch id holds a slash. */
export const changeKey = ({ orderKey, revision, batchId = '' }: OrderChange): string =>
  `~change/${batchId}/${revision}/${orderKey}`;

/** The change that this key names: the index shows no more of it. */
export function changeOfKey(key: string): OrderChange {
  const [, batchId = '', revision = '', ...rest] = key.split('/');
  return { orderKey: rest.join('/'), revision: Number(revision), ...(batchId !== '' && { batchId }) };
}

/** Announcing over the ledger's table, by updates alone: every role that moves orders has that right anyway. */
export function createDynamoDbAnnouncing(options: AnnouncingOptions): ChangeAnnouncing {
  const { client, tableName, itemLifeDays, nowMs } = options;
  return {
    async announce({ orderKey, revision, batchId }) {
      const set = {
        v: { N: layoutVersion },
        changedAt: { N: String(nowMs()) },
        wk: { S: changesPartition },
        wa: { N: String(nowMs()) },
        expiresAt: expiryIn(itemLifeDays, nowMs()),
      };
      const key = changeKey({ orderKey, revision, ...(batchId !== undefined && { batchId }) });
      await updateIf(client, tableName, {
        key,
        condition: 'attribute_not_exists(v) OR v <= :layout',
        set,
        values: { ':layout': { N: layoutVersion } },
      });
    },
  };
}

/** Notes of deliveries, an item for each message that comes often; it expires when SQS has dropped the message. */
export function createDynamoDbDeliveries({ client, tableName: TableName, nowMs }: TimedTable): Deliveries {
  const [none, one] = [{ N: '0' }, { N: '1' }];
  const Key = (messageId: string) => ({ pk: { S: `~delivery/${messageId}` } });
  return {
    async begin(messageId, alone) {
      const note = new UpdateItemCommand({
        TableName,
        Key: Key(messageId),
        ...(!alone && { ConditionExpression: 'attribute_not_exists(begun) OR begun = :none' }),
        UpdateExpression: 'SET begun = if_not_exists(begun, :none) + :one, expiresAt = :expires',
        ExpressionAttributeValues: {
          ':none': none,
          ':one': one,
          ':expires': expiryIn(longestWaitDays + 1, nowMs()),
        },
        ReturnValues: 'ALL_OLD',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      try {
        const { Attributes } = await client.send(note);
        return Number(Attributes?.['begun']?.N ?? 0);
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // The condition refused, so there is one at least, however little the service says of it.
        return Number(error.Item?.['begun']?.N ?? 1);
      }
    },
    async end(messageId) {
      await client.send(
        new UpdateItemCommand({
          TableName,
          Key: Key(messageId),
          UpdateExpression: 'SET begun = :none',
          ExpressionAttributeValues: { ':none': none },
        }),
      );
    },
  };
}
