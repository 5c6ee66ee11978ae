// Announced changes of orders in the ledger's table: an item each, in the index of open work until the sweeper has
// counted the order (lib/batches/dynamodb-batch-rows.ts).
import type { ChangeAnnouncing, OrderChange } from '../payout/order/order-changes.ts';
import { expiryIn, N, S, type TimedTable, updateIf } from './dynamodb-table.ts';

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
        changedAt: N(nowMs()),
        openWork: S(changesPartition),
        openWorkAt: N(nowMs()),
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
