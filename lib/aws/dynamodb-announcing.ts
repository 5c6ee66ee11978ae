// Announced changes of orders in the ledger's table: an item each, under the index of open work until whoever counts the
// order has done so (lib/batches/dynamodb-batch-rows.ts).
import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ChangeAnnouncing, OrderChange } from '../payout/order-changes.ts';
import { updateIf } from './dynamodb-table.ts';

/** Where the changes are and how long they live. */
export interface AnnouncingOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly itemLifeDays: number;
  readonly nowMs: () => number;
}

/** The partition of the open-work index that holds changes; no kind of an order's open work has this letter. */
export const changesPartition = 'c0';
const layoutVersion = '1';

/** The item of a change. No batch id holds a slash. */
export const changeKey = ({ orderKey, revision, batchId = '' }: OrderChange): string =>
  `~change/${batchId}/${revision}/${orderKey}`;

/** DynamoDB's time to live of an item that is written now. */
export const expiryOf = ({
  nowMs,
  itemLifeDays,
}: Pick<AnnouncingOptions, 'nowMs' | 'itemLifeDays'>): AttributeValue => ({
  N: String(Math.ceil(nowMs() / 1000) + itemLifeDays * 86_400),
});

/** Announcing over the ledger's table, by updates alone: whoever moves orders may do that anyway. */
export function createDynamoDbAnnouncing(options: AnnouncingOptions): ChangeAnnouncing {
  const { client, tableName, nowMs } = options;
  return {
    async announce({ orderKey, revision, batchId }) {
      const set = {
        v: { N: layoutVersion },
        changed: { S: orderKey },
        changedTo: { N: String(revision) },
        ...(batchId !== undefined && { changedOf: { S: batchId } }),
        changedAt: { N: String(nowMs()) },
        wk: { S: changesPartition },
        wa: { N: String(nowMs()) },
        expiresAt: expiryOf(options),
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
